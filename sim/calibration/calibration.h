#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "sim/calibration/step_factor.h"
#include "sim/compute/table.h"

namespace k3::sim {

/// The computer on which a calibration was measured. Says what it is, not whose: no host name.
struct HostDescription {
  std::string cpu;  ///< model name
  int cores = 1;    ///< that this process may use
  Bytes memory;     ///< of the computer
  Bytes cache;      ///< last level
};

/// What was measured about one machine: tables with unit, source and date, and what they were
/// measured on. Immutable once made; the only thing that flows from measurements back into
/// simulations, and only as a file.
struct Calibration {
  std::string machine;  ///< the machine it describes: "local"
  std::string backend;  ///< whose operators were measured
  std::string source;   ///< "measured by k3rack calibrate --local"
  std::string date;     ///< "YYYY-MM-DD"
  HostDescription host;
  TableSet set;
  std::optional<StepFactor> step_factor;  ///< absent: no step was ever looked at

  /// What every time of a step is multiplied by; 1 where none was fitted.
  double factor() const { return step_factor ? step_factor->value : 1; }
};

/// TOML of a calibration; parse_calibration reads it back to the same values.
std::string calibration_toml(const Calibration& calibration);

/// Reads a calibration.
/// Errors: file, line, column, key, what would be right (unknown keys, a grid whose number of
/// values is not that of its axes, values that are not positive, points that do not ascend)
Result<Calibration> parse_calibration(std::string_view toml, const std::string& where);
Result<Calibration> load_calibration(const std::filesystem::path& path);

}  // namespace k3::sim
