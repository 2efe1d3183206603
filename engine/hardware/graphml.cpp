#include "engine/hardware/graphml.h"

#include <array>
#include <sstream>
#include <string_view>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/graphml.hpp>

namespace k3 {
namespace {

struct Node {
  std::string kind;
  std::string name;
  int rack = -1;
  int tray = -1;
};

struct Edge {
  double capacity = 0;
  double latency_ns = 0;
  int lines = 1;
};

// NOTE: bidirectional graphs keep their edges in the order in which they were added.
using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, Node, Edge>;

Graph graph_of(const Topology& topology) {
  Graph graph;
  for (const TopologyNode& node : topology.nodes) {
    add_vertex({std::string(name_of(node.kind)), node.name, node.rack, node.tray}, graph);
  }
  for (const TopologyLink& link : topology.links) {
    add_edge(
        static_cast<std::size_t>(link.from), static_cast<std::size_t>(link.to),
        {link.capacity.bytes_per_second, static_cast<double>(link.latency.ps) / 1000, link.lines},
        graph);
  }
  return graph;
}

}  // namespace

std::string write_graphml(const Topology& topology) {
  Graph graph = graph_of(topology);
  boost::dynamic_properties properties;
  properties.property("kind", get(&Node::kind, graph));
  properties.property("name", get(&Node::name, graph));
  properties.property("rack", get(&Node::rack, graph));
  properties.property("tray", get(&Node::tray, graph));
  properties.property("capacity_bytes_per_s", get(&Edge::capacity, graph));
  properties.property("latency_ns", get(&Edge::latency_ns, graph));
  properties.property("lines", get(&Edge::lines, graph));
  std::ostringstream text;
  boost::write_graphml(text, graph, properties, true);
  return std::move(text).str();
}

}  // namespace k3
