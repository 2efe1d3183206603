#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace k3::sim {

/// Bounds of a factor that says something about a host; beyond them two things were compared that
/// do not belong together.
inline constexpr double kLeastStepFactor = 1e-3;
inline constexpr double kMostStepFactor = 1e3;

/// Time of a step over the sum of its micro-benchmarked parts: what tables cannot see, such as
/// caches that are cold between tasks, first touches of buffers and the host's changing clock. One
/// number for all tasks and phases, fitted to measured steps.
struct StepFactor {
  double value = 1;
  double least = 1;  ///< of the points' own ratios measured / predicted
  double most = 1;
  int points = 0;                      ///< (session, phase) pairs
  std::string source;                  ///< how it was fitted
  std::string date;                    ///< "YYYY-MM-DD"
  std::vector<std::string> scenarios;  ///< fingerprints of the sessions' scenarios
};

/// One phase of one measured session, and what the tables alone predict for it.
struct StepPoint {
  double measured_ms = 0;
  double predicted_ms = 0;
};

/// The geometric mean of measured / predicted, every point once, and its spread.
/// Errors: no points, a time that is not positive, a ratio beyond the bounds
Result<StepFactor> fit_step_factor(std::span<const StepPoint> points);

/// "fitted factor 1.13 from 4 points", or "factor 1, not fitted to steps".
std::string describe(const std::optional<StepFactor>& factor);

}  // namespace k3::sim
