#include "profiler/session/fit_steps.h"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/core.h>

#include "engine/scenario/scenario.h"
#include "profiler/calibrate/this_host.h"
#include "profiler/query/private_data.h"
#include "profiler/session/simulate.h"
#include "profiler/store/schema.h"
#include "profiler/store/session_reader.h"

namespace k3::session {
namespace {

using store::SessionReader;

tl::unexpected<Error> unfit(const SessionReader& session, std::string message) {
  return fail(Code::invalid_input, std::move(message), session.path().string());
}

Result<void> check_session(const SessionReader& session, const sim::Calibration& calibration) {
  if (session.kind() != RunKind::measured) {
    return unfit(session,
                 fmt::format("is {}; a fit needs a session that `k3rack run` measured here",
                             session.kind() == RunKind::simulated ? "simulated" : "imported"));
  }
  if (!session.is_complete()) {
    return unfit(session, "is of a run that did not end; record it again with `k3rack run`");
  }
  K3_TRY(const std::string cpu, session.meta("machine"));
  K3_TRY(const std::string cores, session.meta(store::kMetaCores));
  K3_TRY(const std::string backend, session.meta("backend"));
  if (cores.empty()) {
    return unfit(session,
                 "does not say on how many cores it ran; record it again with `k3rack run`");
  }
  const sim::HostDescription& host = calibration.host;
  if (cpu != host.cpu || cores != std::to_string(host.cores)) {
    return unfit(session, fmt::format("ran on {} cores of {}; the tables are of {} cores of {}",
                                      cores, cpu, host.cores, host.cpu));
  }
  if (backend != calibration.backend) {
    return unfit(session,
                 fmt::format("ran backend {}; the tables are of {}", backend, calibration.backend));
  }
  return {};
}

/// The session's scenario on machine `local`, whatever machine it names.
Result<Setup> setup_on_local(const SessionReader& session, const DataFolders& folders) {
  K3_TRY(const std::string text, session.meta(store::kMetaScenario));
  K3_TRY(Scenario scenario, scenario_from_text(text, session.path().string()));
  Json::Object& sections = scenario.document.members();
  std::erase_if(sections, [](const Json::Member& section) {
    return section.key == "machine" || section.key == "simulation";
  });
  scenario.document.set("machine", Json::object().set("preset", kLocalMachine));
  return resolve(scenario, folders);
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// A point per phase that the session has steps of.
Result<std::vector<sim::StepPoint>> points_of(const SessionReader& session,
                                              const SimulateResult& predicted) {
  K3_TRY(const std::vector<store::StepRow> steps, session.steps());
  std::array<std::vector<double>, 2> measured;
  for (const store::StepRow& step : steps) {
    measured[static_cast<std::size_t>(step.phase)].push_back(static_cast<double>(step.duration_ns) *
                                                             1e-6);
  }
  std::vector<sim::StepPoint> points;
  for (const Phase phase : {Phase::prefill, Phase::decode}) {
    std::vector<double>& times = measured[static_cast<std::size_t>(phase)];
    if (times.empty()) continue;
    points.push_back(
        {.measured_ms = median(std::move(times)),
         .predicted_ms = phase == predicted.phase ? predicted.step_ms : predicted.prefill_ms});
  }
  return points;
}

}  // namespace

Result<void> check_fit(const FitRequest& request, const sim::Calibration& calibration) {
  for (const std::filesystem::path& path : request.sessions) {
    K3_TRY(const SessionReader session, SessionReader::open(path));
    K3_TRY_VOID(check_session(session, calibration));
  }
  return {};
}

Result<sim::StepFactor> fit_steps(const FitRequest& request,
                                  const sim::Calibration& calibration,
                                  Progress& progress) {
  sim::Calibration tables = calibration;
  tables.step_factor.reset();
  std::vector<sim::StepPoint> points;
  std::vector<std::string> scenarios;
  for (const std::filesystem::path& path : request.sessions) {
    K3_TRY(const SessionReader session, SessionReader::open(path));
    K3_TRY_VOID(check_session(session, tables));
    SimulateRequest simulation;
    K3_TRY(simulation.setup, setup_on_local(session, request.folders));
    simulation.calibration = tables;
    simulation.routing_from = path;
    progress.done = 0;
    K3_TRY(const SimulateResult predicted, simulate(simulation, progress));
    K3_TRY(const std::vector<sim::StepPoint> added, points_of(session, predicted));
    points.insert(points.end(), added.begin(), added.end());
    K3_TRY(const std::string scenario, session.meta(store::kMetaScenario));
    scenarios.push_back(query::fingerprint(scenario));
  }
  K3_TRY(sim::StepFactor factor, sim::fit_step_factor(points));
  factor.scenarios = std::move(scenarios);
  factor.source = "fitted by k3rack calibrate --local --steps-from";
  factor.date = calibrate::today();
  return factor;
}

}  // namespace k3::session
