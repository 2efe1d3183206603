#pragma once

#include <filesystem>
#include <vector>

#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/scenario/data_folders.h"
#include "sim/calibration/calibration.h"

namespace k3::session {

/// Measured sessions whose steps a calibration is to be fitted to.
struct FitRequest {
  std::vector<std::filesystem::path> sessions;
  const DataFolders& folders;  ///< the sessions' scenarios name models by preset
};

/// Whether the steps of these sessions can be held against `calibration`, whose tables need not be
/// there yet.
/// Errors: a session that is no complete measured run, or of another CPU, number of cores or
/// backend
Result<void> check_fit(const FitRequest& request, const sim::Calibration& calibration);

/// Simulates every session's steps on the tables alone, replaying its expert choices, and fits the
/// one factor between them: a point is a phase of a session, the median of its measured steps over
/// the mean of the predicted ones (which grow with the context and have no noise). `progress`
/// counts tasks of the session at hand.
/// Errors: as check_fit, simulate and fit_step_factor
Result<sim::StepFactor> fit_steps(const FitRequest& request,
                                  const sim::Calibration& calibration,
                                  Progress& progress);

}  // namespace k3::session
