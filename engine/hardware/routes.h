#pragma once

#include <memory>
#include <vector>

#include "engine/base/result.h"
#include "engine/hardware/topology.h"

namespace k3 {

/// The way from one GPU to another through the network: fewest links, then least latency, never a
/// dead link and never through a third GPU. Inside a rack that is one hop over a plane, between
/// racks NIC, leaf, spine, leaf, NIC.
///
/// Where several ways are equally good, the pair chooses: at each fork by a hash of (from, to),
/// weighted with the lines of the links, as switches spread flows. A pair's route is thus the same
/// in every run, and does not change with faults elsewhere that leave its fork alone. Transfers
/// striped over all planes of a rack use Topology::up_links and down_links instead.
///
/// Distances to a destination are found once and kept. Not thread-safe; the topology must outlive
/// this.
class Routes {
 public:
  explicit Routes(const Topology& topology);
  Routes(const Routes&) = delete;
  Routes& operator=(const Routes&) = delete;
  Routes(Routes&&) noexcept;
  Routes& operator=(Routes&&) noexcept;
  ~Routes();

  /// Ids of the links from `from` to `to` in order; none if they are the same GPU.
  /// Errors: nothing that is alive leads there
  Result<std::vector<int>> route(int from, int to);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace k3
