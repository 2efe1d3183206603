#pragma once

#include <algorithm>

#include "engine/base/units.h"

namespace k3::sim {

/// Rounds a model's seconds to the picosecond clock. The clock ends after 106 days: what is longer
/// stays at its end, and the executor refuses steps that come near it.
constexpr Time virtual_time(double seconds) {
  constexpr double kLongest = 9.2e6;
  return Time::from_seconds(std::min(seconds, kLongest));
}

}  // namespace k3::sim
