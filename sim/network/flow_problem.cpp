#include "sim/network/flow_problem.h"

#include "engine/base/check.h"

namespace k3::sim {

void FlowProblem::reserve(std::size_t flows, std::size_t links_per_flow) {
  bytes_.reserve(flows);
  start_s_.reserve(flows);
  latency_s_.reserve(flows);
  link_end_.reserve(flows);
  after_end_.reserve(flows);
  links_.reserve(flows * links_per_flow);
}

std::int32_t FlowProblem::add(const FlowSpec& flow) {
  const std::int32_t number = num_flows();
  K3_CHECK(!flow.links.empty(), "flow {} has no link", number);
  for (const std::int32_t link : flow.links) {
    K3_CHECK(link >= 0 && link < num_links() && capacity_[static_cast<std::size_t>(link)] > 0,
             "flow {} uses link {}, which carries nothing", number, link);
  }
  for (const std::int32_t earlier : flow.after) {
    K3_CHECK(earlier >= 0 && earlier < number, "flow {} waits for flow {}", number, earlier);
  }
  bytes_.push_back(flow.bytes);
  start_s_.push_back(flow.start_s);
  latency_s_.push_back(flow.latency_s);
  links_.insert(links_.end(), flow.links.begin(), flow.links.end());
  link_end_.push_back(static_cast<std::int64_t>(links_.size()));
  after_.insert(after_.end(), flow.after.begin(), flow.after.end());
  after_end_.push_back(static_cast<std::int64_t>(after_.size()));
  return number;
}

}  // namespace k3::sim
