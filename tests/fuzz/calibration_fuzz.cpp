// Whatever text a calibration holds: values that read back, or an Error.

#include <cstdint>
#include <string_view>

#include "engine/base/check.h"
#include "sim/calibration/calibration.h"
#include "sim/calibration/local_machine.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto calibration = k3::sim::parse_calibration(text, "t.toml");
  if (!calibration) return 0;
  K3_CHECK(k3::sim::parse_calibration(calibration_toml(*calibration), "t.toml").has_value());
  static_cast<void>(k3::sim::local_machine(*calibration, 8));
  return 0;
}
