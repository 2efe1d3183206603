#include "profiler/session/simulate.h"

#include <algorithm>
#include <optional>
#include <sstream>

#include <fmt/core.h>

#include "engine/hardware/topology.h"
#include "profiler/query/recorded_routing.h"
#include "profiler/session/host_memory.h"
#include "profiler/session/placement_of.h"
#include "profiler/session/run_header.h"
#include "profiler/store/session_reader.h"
#include "profiler/store/session_writer.h"
#include "sim/calibration/local_machine.h"
#include "sim/executor/exchange_costs.h"
#include "sim/executor/simulation.h"
#include "sim/memory/memory_model.h"

namespace k3::session {
namespace {

/// Takes a run that nobody wants to keep.
class NullSink final : public TraceSink {
 public:
  Result<void> begin(const RunHeader&) override { return {}; }

  Result<void> step(const StepRecord&) override { return {}; }

  Result<void> finish() override { return {}; }
};

/// Steps of one shape in a row: contexts grow from step to step.
struct Stretch {
  StepShape shape;
  int steps = 1;
};

struct Work {
  std::vector<Stretch> stretches;
  std::unique_ptr<Routing> routing;
};

Result<Work> work_of_scenario(const Setup& setup) {
  const WorkloadSpec& load = setup.workload;
  Work work;
  work.stretches.push_back(
      {StepShape::uniform(load.phase, setup.parallel.ranks, load.sequences_per_rank, load.context,
                          load.phase == Phase::decode ? 1 : load.tokens_per_sequence),
       load.steps});
  K3_TRY(work.routing, routing_of(setup));
  return work;
}

Result<std::vector<std::int64_t>> prompt_lengths(const store::SessionReader& session) {
  K3_TRY(const std::string text, session.meta(kPromptLengthsKey));
  std::istringstream stream(text);
  std::vector<std::int64_t> lengths;
  for (std::int64_t length = 0; stream >> length;)
    lengths.push_back(length);
  if (lengths.empty() || !stream.eof()) {
    return fail(Code::invalid_input,
                "holds no executed run to replay; record one with `k3rack run`",
                session.path().string());
  }
  return lengths;
}

StepShape recorded_shape(Phase phase, const std::vector<std::int64_t>& lengths, int ranks) {
  StepShape shape;
  shape.phase = phase;
  shape.num_ranks = ranks;
  for (std::size_t s = 0; s < lengths.size(); ++s) {
    const auto sequence = static_cast<std::int32_t>(s);
    shape.sequences.push_back({sequence, sequence % ranks, phase == Phase::prefill ? 0 : lengths[s],
                               phase == Phase::prefill ? lengths[s] : 1});
  }
  return shape;
}

Result<Work> work_of_recording(const Setup& setup, const std::filesystem::path& path) {
  K3_TRY(const store::SessionReader session, store::SessionReader::open(path));
  K3_TRY(const std::vector<std::int64_t> lengths, prompt_lengths(session));
  K3_TRY(const std::vector<store::StepRow> steps, session.steps());
  K3_TRY(std::vector<StepRouting> routing, query::read_routing(session));
  Work work;
  std::int64_t next_context = -1;
  for (const store::StepRow& step : steps) {
    const bool continues = step.phase == Phase::decode && step.context == next_context;
    next_context = step.context + 1;
    if (continues) {
      work.stretches.back().steps += 1;
    } else {
      work.stretches.push_back({recorded_shape(step.phase, lengths, setup.parallel.ranks), 1});
    }
  }
  const MoeConfig& moe = setup.model.moe;
  work.routing = make_recorded_routing({.num_layers = setup.model.count(FfnKind::moe),
                                        .num_experts = moe.experts,
                                        .top_k = moe.top_k},
                                       std::move(routing));
  return work;
}

std::vector<MemoryRecord> memory_records(const std::vector<sim::RankMemory>& ranks) {
  std::vector<MemoryRecord> records;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    for (int part = 0; part < sim::kNumMemoryParts; ++part) {
      const auto id = static_cast<sim::MemoryPart>(part);
      records.push_back(
          {static_cast<std::int32_t>(r), std::string(name_of(id)), ranks[r][id].count});
    }
  }
  return records;
}

std::vector<Lane> lanes_of(int ranks) {
  std::vector<Lane> lanes;
  for (int rank = 0; rank < ranks; ++rank) {
    lanes.push_back({rank, LaneKind::compute, fmt::format("rank {} compute", rank)});
    lanes.push_back({rank, LaneKind::communication, fmt::format("rank {} communication", rank)});
  }
  return lanes;
}

/// NOTE: a session finds the tray of a rank by its number, which is wrong where ranks skip GPUs
/// that are gone: such a session names no trays.
int gpus_per_tray(const Machine& machine, int ranks) {
  if (machine.faults.empty()) return machine.gpus_per_tray;
  const std::vector<int> gpus = live_gpus(machine);
  const auto count = static_cast<std::size_t>(ranks);
  const bool in_order = count <= gpus.size() && gpus[count - 1] == ranks - 1;
  return in_order ? machine.gpus_per_tray : 0;
}

/// The choices of a whole step are held at once, two bytes each.
Result<void> check_routing_fits(const Setup& setup, const std::vector<Plan>& plans) {
  std::int64_t tokens = 0;
  for (const Plan& plan : plans)
    tokens = std::max(tokens, plan.shape().num_tokens());
  const double choices =
      static_cast<double>(tokens) * setup.model.moe.top_k * setup.model.count(FfnKind::moe);
  return check_host_memory(2 * choices, "the expert choices of a step",
                           "simulate fewer or shorter sequences");
}

/// Threads of a host exchange through its memory, whatever the scenario says.
std::string network_name(const Setup& setup, bool on_host) {
  if (on_host) return "memory";
  return setup.network == NetworkModel::exact ? "exact" : "endpoint";
}

SimulateResult result_of(const Setup& setup,
                         const Plan& last,
                         const sim::SimulationSummary& summary) {
  SimulateResult result;
  result.machine = setup.machine->name;
  result.phase = last.shape().phase;
  result.steps = static_cast<int>(summary.steps.size());
  result.sequences = static_cast<std::int64_t>(last.shape().sequences.size());
  result.step_ms = summary.step_ms();
  result.prefill_ms = summary.mean_ms(Phase::prefill);
  result.wall_s = summary.wall_s;
  result.tasks = summary.steps.back().tasks;
  result.flows = summary.steps.back().flows;
  result.network = network_name(setup, !summary.host_ms().empty());
  if (summary.endpoint_error.exchanges > 0) {
    result.endpoint_error_mean = summary.endpoint_error.mean;
    result.endpoint_error_max = summary.endpoint_error.max;
  }
  for (const auto& [kind, ms] : summary.breakdown_ms())
    result.breakdown_ms.emplace_back(kind, ms);
  for (const auto& [part, ms] : summary.host_ms())
    result.host_ms.emplace_back(part, ms);
  return result;
}

Result<sim::Calibration> calibration_of(const SimulateRequest& request) {
  if (request.calibration) return *request.calibration;
  if (!request.setup.calibration) {
    return fail(Code::invalid_input,
                "missing; measure this computer with `k3rack calibrate --local -o T.toml`, then "
                "add calibration = \"T.toml\"",
                "machine.calibration");
  }
  return sim::load_calibration(*request.setup.calibration);
}

/// Machine `local` becomes what its calibration describes.
Result<std::optional<sim::Calibration>> read_host(const SimulateRequest& request, Setup& setup) {
  if (!setup.on_local()) return std::nullopt;
  K3_TRY(sim::Calibration calibration, calibration_of(request));
  auto machine = sim::local_machine(calibration, setup.parallel.ranks);
  if (!machine && setup.calibration) {
    return tl::unexpected(std::move(machine).error().at(setup.calibration->string()));
  }
  if (!machine) return tl::unexpected(std::move(machine).error());
  setup.machine = std::move(*machine);
  return calibration;
}

}  // namespace

Result<SimulateResult> simulate(const SimulateRequest& request, Progress& progress) {
  Setup setup = request.setup;
  K3_TRY(const std::optional<sim::Calibration> host, read_host(request, setup));
  if (!setup.machine) {
    return fail(Code::invalid_input,
                "missing; name a machine, e.g. preset = \"gb300-nvl72\" (k3rack presets)",
                "machine");
  }
  if (request.output) K3_TRY_VOID(check_output(*request.output, request.overwrite));
  K3_TRY(const Placement placement, placement_of(setup));
  K3_TRY(const Work work, request.routing_from ? work_of_recording(setup, *request.routing_from)
                                               : work_of_scenario(setup));
  std::vector<Plan> plans;
  std::vector<sim::RankMemory> memory;
  for (const Stretch& stretch : work.stretches) {
    const StepShape last = stretch.shape.advanced(stretch.steps - 1);
    memory = sim::memory_per_rank({.model = setup.model,
                                   .precision = setup.precision,
                                   .execution = setup.execution,
                                   .placement = placement,
                                   .shape = last});
    K3_TRY_VOID(sim::check_memory(memory, last, *setup.machine));
    plans.push_back(Plan::build({setup.model, setup.execution, stretch.shape}));
  }
  K3_TRY_VOID(check_routing_fits(setup, plans));
  std::vector<sim::SimulatedPhase> phases;
  progress.total = 0;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    phases.push_back({plans[i], work.stretches[i].steps});
    progress.total += static_cast<std::int64_t>(plans[i].tasks().size()) * work.stretches[i].steps;
  }
  std::unique_ptr<TraceSink> sink = std::make_unique<NullSink>();
  if (request.output) {
    K3_TRY(sink, store::create_session(*request.output, request.overwrite));
  }
  RunHeader header = make_header(RunKind::simulated, setup, plans, placement);
  header.lanes = lanes_of(setup.parallel.ranks);
  header.memory = memory_records(memory);
  header.gpus_per_tray = gpus_per_tray(*setup.machine, setup.parallel.ranks);
  header.device = setup.machine->gpu.name;
  header.meta.emplace_back("machine", setup.machine->name);
  header.meta.emplace_back("network", network_name(setup, host.has_value()));
  if (host) {
    add_processor(header, host->host);
    header.meta.emplace_back("calibration", host->source + ", " + host->date);
    header.meta.emplace_back("step_factor", sim::describe(host->step_factor));
  }
  if (!host) header.links = sim::link_records(build_topology(*setup.machine));
  K3_TRY_VOID(sink->begin(header));
  std::optional<sim::HostInput> host_input;
  if (host) {
    host_input.emplace(sim::HostInput{.set = host->set,
                                      .cores = host->host.cores,
                                      .cache_bytes = host->host.cache.value(),
                                      .step_factor = host->factor()});
  }
  K3_TRY(const sim::SimulationSummary summary,
         sim::run({.model = setup.model,
                   .machine = *setup.machine,
                   .precision = setup.precision,
                   .execution = setup.execution,
                   .placement = placement,
                   .routing = *work.routing,
                   .phases = phases,
                   .network = setup.network,
                   .links = request.output ? setup.links : LinkDetail::none,
                   .progress = &progress,
                   .host = host_input ? &*host_input : nullptr},
                  *sink));
  K3_TRY_VOID(sink->finish());
  SimulateResult result = result_of(setup, plans.back(), summary);
  if (host) {
    result.cores = host->host.cores;
    result.step_factor = host->step_factor;
  }
  return result;
}

}  // namespace k3::session
