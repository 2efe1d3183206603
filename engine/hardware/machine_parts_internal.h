#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/hardware/machine.h"

namespace k3 {

/// How many of each part a machine has, and which belong together.
class MachineParts {
 public:
  explicit MachineParts(const Machine& machine)
      : machine_(machine),
        gpus_per_rack_(machine.gpus_per_rack()),
        gpus_per_tray_(machine.gpus_per_tray > 0 ? machine.gpus_per_tray : gpus_per_rack_) {}

  int gpus() const { return machine_.num_gpus; }

  int planes() const { return machine_.racks * machine_.planes(); }

  int trays() const { return machine_.racks * trays_per_rack(); }

  int nics() const { return machine_.scale_out ? gpus() : 0; }

  int rails() const { return std::min(gpus_per_tray_, gpus_per_rack_); }

  int leaves() const {
    if (!machine_.scale_out) return 0;
    return rails() * ceil_div(trays(), machine_.scale_out->leaf_down_links);
  }

  int spines() const { return machine_.scale_out ? machine_.scale_out->spines : 0; }

  int rack_of(int gpu) const { return gpu / gpus_per_rack_; }

  int tray_of(int gpu) const {
    return rack_of(gpu) * trays_per_rack() + gpu % gpus_per_rack_ / gpus_per_tray_;
  }

  /// The leaf of a GPU's rail that serves its tray.
  int leaf_of(int gpu) const {
    const int rail = gpu % gpus_per_rack_ % gpus_per_tray_;
    return tray_of(gpu) / machine_.scale_out->leaf_down_links * rails() + rail;
  }

 private:
  static int ceil_div(int a, int b) { return (a + b - 1) / b; }

  int trays_per_rack() const { return ceil_div(gpus_per_rack_, gpus_per_tray_); }

  const Machine& machine_;
  int gpus_per_rack_;
  int gpus_per_tray_;
};

/// What faults leave of nodes and of single links.
struct Damage {
  Damage(std::span<const Fault> faults, const MachineParts& parts);

  bool gone(int gpu) const { return compute[static_cast<std::size_t>(gpu)] == 0; }

  /// Of both directions between a GPU and a plane.
  double link(int gpu, int plane_index) const;

  std::vector<double> compute;  ///< per GPU; 0: gone
  std::vector<double> plane;
  std::vector<double> nic;
  std::vector<double> leaf;
  std::vector<double> spine;
  std::vector<Fault> links;

 private:
  void add(const Fault& fault, const MachineParts& parts);
};

}  // namespace k3
