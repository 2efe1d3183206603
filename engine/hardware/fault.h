#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace k3 {

/// What a fault is about. Planes are numbered over the machine: rack r has the planes r·P …
/// r·P+P−1.
enum class FaultTarget : std::uint8_t {
  link,     ///< gpuG:planeP  both directions of all links of that GPU to that plane
  plane,    ///< planeP       every link of that switch
  nic,      ///< nicG         both directions of that GPU's NIC
  leaf,     ///< leafL        every link of that switch
  spine,    ///< spineS       every link of that switch
  compute,  ///< gpuG.compute speed of that GPU's kernels
  gpu,      ///< gpuG=gone
  tray,     ///< trayT=gone   every GPU of it
};

/// One fault: what is left of a capacity or speed, 0 to 1. `gone` targets have fraction 0.
struct Fault {
  FaultTarget target = FaultTarget::link;
  int index = 0;  ///< GPU, plane, leaf, spine or tray
  int plane = 0;  ///< of a link
  double fraction = 0;
  std::string text;  ///< as given
};

/// "gpu3:plane7=0.5", "plane4=0", "gpu5.compute=0.8", "gpu9=gone", "tray2=gone".
/// Errors: what is wrong and the form that is right. Whether the machine has such a part is checked
/// by with_faults
Result<Fault> parse_fault(std::string_view text);

}  // namespace k3
