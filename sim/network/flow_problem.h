#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace k3::sim {

/// One flow: `bytes` that move over all of `links` at once, at one rate. A path is the links along
/// it; a multicast is the tree of its links (one copy on each); a reduction inside a switch is the
/// up-links of all senders and the down-link of the receiver.
struct FlowSpec {
  std::span<const std::int32_t> links;  ///< at least one, no link twice
  double bytes = 0;                     ///< > 0
  double start_s = 0;                   ///< not before this
  double latency_s = 0;                 ///< added once, after the last byte has left
  std::span<const std::int32_t> after;  ///< flows that must have arrived before this one starts
};

/// Links with capacities and flows over them: columns and index lists, flows and links by number.
class FlowProblem {
 public:
  FlowProblem() = default;

  /// Links 0, 1, … by their capacities in bytes per second, > 0 where a flow uses the link.
  explicit FlowProblem(std::vector<double> capacity) : capacity_(std::move(capacity)) {}

  /// Number of the link.
  std::int32_t add_link(double capacity) {
    capacity_.push_back(capacity);
    return num_links() - 1;
  }

  /// Number of the flow. A link that does not exist is a bug of the caller.
  std::int32_t add(const FlowSpec& flow);

  void reserve(std::size_t flows, std::size_t links_per_flow);

  std::int32_t num_links() const { return static_cast<std::int32_t>(capacity_.size()); }

  std::int32_t num_flows() const { return static_cast<std::int32_t>(bytes_.size()); }

  std::span<const double> capacity() const { return capacity_; }

  std::span<const double> bytes() const { return bytes_; }

  std::span<const double> start_s() const { return start_s_; }

  std::span<const double> latency_s() const { return latency_s_; }

  std::span<const std::int32_t> links(std::int32_t flow) const {
    return at(links_, link_end_, flow);
  }

  std::span<const std::int32_t> after(std::int32_t flow) const {
    return at(after_, after_end_, flow);
  }

 private:
  static std::span<const std::int32_t> at(const std::vector<std::int32_t>& values,
                                          const std::vector<std::int64_t>& ends,
                                          std::int32_t flow) {
    const auto i = static_cast<std::size_t>(flow);
    const auto begin = static_cast<std::size_t>(i == 0 ? 0 : ends[i - 1]);
    return std::span(values).subspan(begin, static_cast<std::size_t>(ends[i]) - begin);
  }

  std::vector<double> capacity_;
  std::vector<double> bytes_;
  std::vector<double> start_s_;
  std::vector<double> latency_s_;
  std::vector<std::int32_t> links_;
  std::vector<std::int64_t> link_end_;
  std::vector<std::int32_t> after_;
  std::vector<std::int64_t> after_end_;
};

}  // namespace k3::sim
