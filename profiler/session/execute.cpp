#include "profiler/session/execute.h"

#include <algorithm>
#include <set>

#include <fmt/core.h>

#include "engine/base/rng.h"
#include "engine/comm/thread_communicator.h"
#include "engine/model/counts.h"
#include "engine/runtime/executor.h"
#include "engine/runtime/generate.h"
#include "engine/weights/safetensors_writer.h"
#include "engine/weights/weight_store.h"
#include "kernels/registry/registry.h"
#include "profiler/calibrate/this_host.h"
#include "profiler/session/host_memory.h"
#include "profiler/session/pinned_router.h"
#include "profiler/session/placement_of.h"
#include "profiler/session/run_header.h"
#include "profiler/store/session_writer.h"

namespace k3::session {
namespace {

GenerateRequest generate_request(const ExecuteRequest& request) {
  GenerateRequest generate;
  generate.prompts = request.prompts;
  generate.forced = request.forced;
  generate.greedy_tokens = request.greedy_tokens;
  return generate;
}

/// Tensors of the dump: all of the run's, or those named by `dump_only`.
Result<std::vector<DumpTensorSpec>> wanted_tensors(const ExecuteRequest& request,
                                                   const GenerateRequest& generate) {
  if (!request.dump) return std::vector<DumpTensorSpec>{};
  std::vector<DumpTensorSpec> specs =
      dump_tensor_specs(request.setup.model, dump_lengths(generate));
  if (request.dump_only.empty()) return specs;
  const std::set<std::string> names(request.dump_only.begin(), request.dump_only.end());
  std::set<std::string> found;
  std::vector<DumpTensorSpec> wanted;
  for (DumpTensorSpec& spec : specs) {
    const std::string name = spec.name;
    const std::string short_name = name.substr(name.find('.') + 1);
    if (!names.contains(name) && !names.contains(short_name)) continue;
    found.insert(names.contains(name) ? name : short_name);
    wanted.push_back(std::move(spec));
  }
  for (const std::string& name : names) {
    if (found.contains(name)) continue;
    return fail(
        Code::invalid_input,
        fmt::format("`{}` is no tensor of this run; e.g. logits, stream, seq0.router_ids", name),
        "--dump-only");
  }
  return wanted;
}

Result<void> write_dump(const TensorDump& dump,
                        const std::filesystem::path& path,
                        Overwrite overwrite) {
  std::vector<TensorData> tensors;
  for (const auto& [name, tensor] : dump.tensors()) {
    tensors.push_back({{name, tensor.spec.dtype, tensor.spec.shape}, tensor.data});
  }
  return write_safetensors(path, tensors, overwrite);
}

std::string lengths_text(const std::vector<std::vector<std::int32_t>>& prompts) {
  std::string text;
  for (const std::vector<std::int32_t>& prompt : prompts)
    text += fmt::format("{} ", prompt.size());
  return text;
}

/// Sums step times by phase while passing records on to the sink.
struct StepTimes {
  int steps[2] = {0, 0};
  double total_ms[2] = {0, 0};

  void add(const StepRecord& record) {
    const auto phase = static_cast<std::size_t>(record.phase);
    steps[phase] += 1;
    total_ms[phase] += static_cast<double>(record.duration_ns) * 1e-6;
  }

  double mean_ms(Phase phase) const {
    const auto i = static_cast<std::size_t>(phase);
    return steps[i] == 0 ? 0 : total_ms[i] / steps[i];
  }
};

/// Weights that are made rather than mapped, and the caches of all sequences.
Result<void> check_fits(const Setup& setup, const GenerateRequest& generate) {
  const WeightBytes weights = weight_bytes(setup.model);
  const CacheElements cache = cache_elements(setup.model);
  double bytes = setup.checkpoint ? 0 : static_cast<double>(weights.total - weights.vision);
  for (const std::int64_t tokens : cache_capacity(generate)) {
    bytes += 4.0 * static_cast<double>(cache.kda_state + cache.kda_conv) +
             4.0 * static_cast<double>(cache.mla_per_token) * static_cast<double>(tokens);
  }
  return check_host_memory(bytes, setup.checkpoint ? "caches" : "synthetic weights and caches",
                           "take a smaller model (preset = \"mini\"), fewer sequences or a shorter "
                           "context");
}

std::int64_t count_tasks(const std::vector<Plan>& plans, const GenerateRequest& generate) {
  auto total = static_cast<std::int64_t>(plans[0].tasks().size());
  if (plans.size() == 1) return total;
  const auto forced =
      generate.forced.empty() ? 0 : static_cast<std::int64_t>(generate.forced[0].size());
  const std::int64_t steps = forced + std::max<std::int64_t>(generate.greedy_tokens - 1, 0);
  return total + steps * static_cast<std::int64_t>(plans[1].tasks().size());
}

}  // namespace

Result<ExecuteRequest> with_workload(ExecuteRequest request) {
  if (!request.prompts.empty()) return request;
  const WorkloadSpec& work = request.setup.workload;
  const bool decode = work.phase == Phase::decode;
  if (!decode && (work.context > 0 || work.steps > 1)) {
    return fail(Code::unsupported,
                "a prefill run starts from empty caches and has one step; set context = 0 and "
                "steps = 1",
                "workload");
  }
  if (decode && work.context < 1) {
    return fail(Code::invalid_input,
                "a decode run needs a prompt of at least 1 token per sequence; set context >= 1",
                "workload.context");
  }
  const std::int64_t length = decode ? work.context : work.tokens_per_sequence;
  const int sequences = work.sequences_per_rank * request.setup.parallel.ranks;
  const Rng seed = Rng(request.setup.weights_seed).split("prompts");
  for (int s = 0; s < sequences; ++s) {
    Rng rng = seed.split(static_cast<std::uint64_t>(s));
    std::vector<std::int32_t> ids(static_cast<std::size_t>(length));
    for (std::int32_t& id : ids) {
      id = static_cast<std::int32_t>(rng.uniform() * request.setup.model.vocab);
    }
    request.prompts.push_back(std::move(ids));
  }
  // NOTE: the first greedy id comes from the prompt's own logits, so `steps` steps give one id
  // more.
  request.greedy_tokens = decode ? work.steps + 1 : 0;
  return request;
}

Result<std::int64_t> dump_bytes(const ExecuteRequest& request) {
  K3_TRY(const std::vector<DumpTensorSpec> specs,
         wanted_tensors(request, generate_request(request)));
  std::int64_t total = 0;
  for (const DumpTensorSpec& spec : specs)
    total += spec.bytes();
  return total;
}

Result<ExecuteResult> execute(const ExecuteRequest& request, Progress& progress) {
  const Setup& setup = request.setup;
  K3_TRY_VOID(check_output(request.output, request.overwrite));
  if (request.dump) K3_TRY_VOID(check_output(*request.dump, request.overwrite));
  GenerateRequest generate = generate_request(request);
  if (request.pinned_router) {
    K3_TRY_VOID(read_pinned_router(*request.pinned_router, setup.model, generate));
  }
  K3_TRY_VOID(check_request(setup.model, generate));
  K3_TRY_VOID(check_fits(setup, generate));
  K3_TRY(const std::vector<DumpTensorSpec> specs, wanted_tensors(request, generate));
  K3_TRY(const std::unique_ptr<Backend> backend, make_backend(setup.executor.backend));
  K3_TRY(const Placement placement, placement_of(setup));
  K3_TRY(const WeightStore weights, open_weights(setup));
  const int ranks = setup.parallel.ranks;
  TensorDump dump(specs);
  const std::vector<Plan> plans =
      generate_plans(setup.model, setup.execution, ranks, generate, dump);
  progress.total = count_tasks(plans, generate);
  K3_TRY(Executor executor, Executor::create({.model = setup.model,
                                              .placement = placement,
                                              .weights = weights,
                                              .backend = *backend,
                                              .communicators = make_thread_communicators(ranks),
                                              .execution = setup.execution,
                                              .precision = setup.precision,
                                              .capacity = cache_capacity(generate),
                                              .progress = &progress}));
  RunHeader header = make_header(RunKind::measured, setup, plans, placement);
  header.device = backend->device_title(0);
  header.lanes = executor_lanes(ranks);
  header.memory = executor.memory();
  header.meta.emplace_back("backend", backend->name());
  header.meta.emplace_back("machine", header.device);
  if (backend->uses_host_memory()) {
    add_processor(header, calibrate::describe_host(*backend));
  }
  header.meta.emplace_back(kPromptLengthsKey, lengths_text(generate.prompts));
  K3_TRY(const std::unique_ptr<TraceSink> sink,
         store::create_session(request.output, request.overwrite));
  K3_TRY_VOID(sink->begin(header));
  StepTimes times;
  K3_TRY(GenerateOutput output,
         k3::generate(executor, plans, generate, dump, [&](const StepRecord& record) {
           times.add(record);
           return sink->step(record);
         }));
  if (request.dump) K3_TRY_VOID(write_dump(dump, *request.dump, request.overwrite));
  K3_TRY_VOID(sink->finish());
  return ExecuteResult{.device = header.device,
                       .prefill_steps = times.steps[static_cast<int>(Phase::prefill)],
                       .decode_steps = times.steps[static_cast<int>(Phase::decode)],
                       .prefill_ms = times.mean_ms(Phase::prefill),
                       .decode_ms = times.mean_ms(Phase::decode),
                       .greedy_ids = std::move(output.greedy_ids)};
}

}  // namespace k3::session
