#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "sim/network/flow_component_internal.h"

namespace k3::sim {

/// Max-min rates of a component whose classes gain and lose flows (max_min.h says how). Kept
/// between changes: the order of the links and what stands before the first link that a change
/// touches.
class WaterLevels {
 public:
  explicit WaterLevels(const FlowComponent& part);

  /// One flow more or less in a class; rates hold again after the next fill().
  void add(std::int32_t number);
  void remove(std::int32_t number);

  void fill();

  /// Of each flow of the class, bytes per second.
  double rate(std::int32_t number) const { return rate_[static_cast<std::size_t>(number)]; }

 private:
  static constexpr std::int32_t kNowhere = std::numeric_limits<std::int32_t>::max();

  double level_at(std::int32_t position) const;
  void freeze(std::int32_t position);
  void thaw(std::int32_t position);
  void place(std::int32_t position, double level);

  void touch(std::int32_t position) { first_ = std::min(first_, position); }

  double& level(std::int32_t link) { return level_[static_cast<std::size_t>(link)]; }

  const FlowComponent& part_;
  std::vector<std::vector<std::int32_t>> on_link_;  ///< classes with flows, per link
  std::vector<double> count_;                       ///< flows, per class
  std::vector<double> rate_;                        ///< per class
  std::vector<std::int32_t> held_at_;   ///< per class: position of the link that holds it
  std::vector<std::int32_t> order_;     ///< links, ascending by level
  std::vector<std::int32_t> position_;  ///< of each link in the order
  std::vector<double> level_;           ///< per link; infinite where nothing is held
  std::int32_t first_ = 0;              ///< positions from here on are to be filled again
};

}  // namespace k3::sim
