// What write_graphml writes, read by the library's own reader.

#include "engine/hardware/graphml.h"

#include <sstream>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/graphml.hpp>
#include <gtest/gtest.h>

#include "tests/unit/engine_hardware/two_racks.h"

namespace k3 {
namespace {

struct Node {
  std::string kind;
  std::string name;
  int rack = 99;
  int tray = 99;
};

struct Edge {
  double capacity = -1;
  double latency_ns = -1;
  int lines = -1;
};

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, Node, Edge>;

Graph read(const std::string& text) {
  Graph graph;
  boost::dynamic_properties properties;
  properties.property("kind", get(&Node::kind, graph));
  properties.property("name", get(&Node::name, graph));
  properties.property("rack", get(&Node::rack, graph));
  properties.property("tray", get(&Node::tray, graph));
  properties.property("capacity_bytes_per_s", get(&Edge::capacity, graph));
  properties.property("latency_ns", get(&Edge::latency_ns, graph));
  properties.property("lines", get(&Edge::lines, graph));
  std::istringstream stream(text);
  boost::read_graphml(stream, graph, properties);
  return graph;
}

TEST(Graphml, ComesBackAsItWas) {
  Machine machine = test::two_racks();
  machine.plane_links = {3, 1};
  const Topology topology =
      build_topology(test::broken(machine, {"gpu1:plane0=0.3", "spine1=0", "tray3=gone"}));
  const Graph graph = read(write_graphml(topology));
  ASSERT_EQ(num_vertices(graph), topology.nodes.size());
  for (std::size_t i = 0; i < topology.nodes.size(); ++i) {
    const TopologyNode& node = topology.nodes[i];
    EXPECT_EQ(graph[i].kind, name_of(node.kind));
    EXPECT_EQ(graph[i].name, node.name);
    EXPECT_EQ(graph[i].rack, node.rack);
    EXPECT_EQ(graph[i].tray, node.tray);
  }
  ASSERT_EQ(num_edges(graph), topology.links.size());
  std::size_t i = 0;
  for (auto [edge, end] = edges(graph); edge != end; ++edge, ++i) {
    const TopologyLink& link = topology.links[i];
    EXPECT_EQ(source(*edge, graph), static_cast<std::size_t>(link.from));
    EXPECT_EQ(target(*edge, graph), static_cast<std::size_t>(link.to));
    EXPECT_EQ(graph[*edge].capacity, link.capacity.bytes_per_second);
    EXPECT_EQ(graph[*edge].latency_ns, static_cast<double>(link.latency.ps) / 1000);
    EXPECT_EQ(graph[*edge].lines, link.lines);
  }
}

}  // namespace
}  // namespace k3
