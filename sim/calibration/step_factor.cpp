#include "sim/calibration/step_factor.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

namespace k3::sim {

Result<StepFactor> fit_step_factor(std::span<const StepPoint> points) {
  if (points.empty()) {
    return fail(Code::invalid_input, "no measured steps to fit; name a session that has some");
  }
  double logarithms = 0;
  StepFactor factor;
  factor.least = kMostStepFactor;
  factor.most = kLeastStepFactor;
  for (const StepPoint& point : points) {
    if (!(point.measured_ms > 0 && point.predicted_ms > 0)) {
      return fail(Code::invalid_input,
                  fmt::format("steps measured as {} ms and predicted as {} ms; both are positive",
                              point.measured_ms, point.predicted_ms));
    }
    const double ratio = point.measured_ms / point.predicted_ms;
    if (!(ratio >= kLeastStepFactor && ratio <= kMostStepFactor)) {
      return fail(Code::invalid_input,
                  fmt::format("steps take {:.3g} times what the tables predict; they were measured "
                              "under other conditions",
                              ratio));
    }
    logarithms += std::log(ratio);
    factor.least = std::min(factor.least, ratio);
    factor.most = std::max(factor.most, ratio);
  }
  factor.points = static_cast<int>(points.size());
  // NOTE: rounding must not push the mean of equal ratios out of their range.
  factor.value = std::clamp(std::exp(logarithms / factor.points), factor.least, factor.most);
  return factor;
}

std::string describe(const std::optional<StepFactor>& factor) {
  if (!factor) return "factor 1, not fitted to steps";
  return fmt::format("fitted factor {:.3g} from {} point{}", factor->value, factor->points,
                     factor->points == 1 ? "" : "s");
}

}  // namespace k3::sim
