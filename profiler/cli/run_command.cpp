#include <fmt/core.h>

#include "engine/text/json.h"
#include "profiler/cli/commands.h"
#include "profiler/cli/console.h"
#include "profiler/cli/load_setup.h"
#include "profiler/cli/options.h"
#include "profiler/session/execute.h"
#include "profiler/visual/numbers.h"

namespace k3::cli {
namespace {

constexpr std::int64_t kLargeDump = 4'000'000'000;  // bytes; larger ones need --force

std::vector<std::string> split_names(const std::vector<std::string>& given) {
  std::vector<std::string> names;
  for (std::string text : given) {
    while (!text.empty()) {
      const std::size_t comma = std::min(text.find(','), text.size());
      if (comma > 0) names.push_back(text.substr(0, comma));
      text.erase(0, comma + 1);
    }
  }
  return names;
}

Result<session::ExecuteRequest> make_request(const Arguments& arguments, Console& console) {
  session::ExecuteRequest request;
  K3_TRY(request.setup, load_setup(arguments,
                                   {{"checkpoint", "model.checkpoint"},
                                    {"ranks", "parallel.ranks", true},
                                    {"precision", "precision.mode"},
                                    {"backend", "executor.backend"},
                                    {"transport", "executor.transport"}},
                                   console));
  if (request.setup.precision.mode != PrecisionMode::float32) {
    return fail(Code::unsupported, "this build executes in float32 only; add --precision float32",
                "precision.mode");
  }
  const int vocab = request.setup.model.vocab;
  if (const auto path = arguments.value("prompt-ids")) {
    K3_TRY(request.prompts, session::load_token_file(*path, vocab));
  }
  if (const auto path = arguments.value("force-ids")) {
    K3_TRY(request.forced, session::load_token_file(*path, vocab));
  }
  K3_TRY(const std::optional<std::int64_t> decode, arguments.integer("decode", 0));
  K3_TRY(request, session::with_workload(std::move(request)));
  if (decode) request.greedy_tokens = *decode;
  if (const auto path = arguments.value("pin-router")) request.pinned_router = *path;
  if (const auto path = arguments.value("dump")) request.dump = *path;
  request.dump_only = split_names(arguments.values("dump-only"));
  request.output = *arguments.value("output");
  request.overwrite = overwrite_of(arguments);
  return request;
}

Result<void> announce_dump(const session::ExecuteRequest& request, Console& console) {
  if (!request.dump) return {};
  K3_TRY(const std::int64_t bytes, session::dump_bytes(request));
  console.note(fmt::format("dump: {}",
                           visual::text_of(visual::Quantity::bytes, static_cast<double>(bytes))));
  if (bytes > kLargeDump && request.overwrite == Overwrite::no) {
    return fail(Code::invalid_input,
                "larger than 4 GB; name the tensors with --dump-only or add --force",
                request.dump->string());
  }
  return {};
}

Json to_json(const session::ExecuteRequest& request, const session::ExecuteResult& result) {
  Json ids = Json::array();
  for (const std::vector<std::int32_t>& sequence : result.greedy_ids) {
    Json line = Json::array();
    for (const std::int32_t id : sequence)
      line.push(id);
    ids.push(line);
  }
  return Json::object()
      .set("session", request.output.string())
      .set("device", result.device)
      .set("ranks", request.setup.parallel.ranks)
      .set("sequences", request.prompts.size())
      .set("prefill",
           Json::object().set("steps", result.prefill_steps).set("step_ms", result.prefill_ms))
      .set("decode",
           Json::object().set("steps", result.decode_steps).set("step_ms", result.decode_ms))
      .set("greedy_ids", ids);
}

std::string summary(const session::ExecuteRequest& request, const session::ExecuteResult& result) {
  const auto line = [](std::string_view phase, int steps, double ms) {
    return steps == 0 ? std::string()
                      : fmt::format("  {:<8}{}, mean {}\n", phase, visual::counted(steps, "step"),
                                    visual::text_of(visual::Quantity::time, ms * 1e-3));
  };
  return fmt::format("executed {} on {} ({}), measured\n",
                     visual::counted(std::ssize(request.prompts), "sequence"),
                     visual::counted(request.setup.parallel.ranks, "rank"), result.device) +
         line("prefill", result.prefill_steps, result.prefill_ms) +
         line("decode", result.decode_steps, result.decode_ms) +
         fmt::format("written: {}\n", request.output.string());
}

Result<int> run_run(const Arguments& arguments, Console& console) {
  if (!arguments.has("output")) {
    return fail(Code::invalid_input, "missing; write -o S.k3r", "--output");
  }
  if (!arguments.positional(0) && !arguments.has("checkpoint")) {
    return fail(Code::invalid_input, "nothing to run; name a SCENARIO or --checkpoint DIR", "run");
  }
  K3_TRY(const session::ExecuteRequest request, make_request(arguments, console));
  K3_TRY_VOID(announce_dump(request, console));
  if (request.setup.execution.overlap != Overlap::none) {
    console.note(
        "thread ranks run their tasks one after the other; execution.overlap shapes the "
        "plan only");
  }
  Progress progress;
  const auto execute = [&] {
    const ProgressDisplay display("run", "tasks", progress);
    return session::execute(request, progress);
  };
  K3_TRY(const session::ExecuteResult result, execute());
  if (arguments.has("json")) {
    console.print_json(to_json(request, result));
  } else {
    console.print(summary(request, result));
  }
  return 0;
}

}  // namespace

Command run_command() {
  return {
      .name = "run",
      .summary = "execute a model on real ranks and record it",
      .details =
          "Without --prompt-ids the prompts are random token ids as the scenario's workload says.\n"
          "With --force-ids the dump holds decode_*, with --decode greedy_*; with both, each "
          "starts\n"
          "from the state after the prompt. A killed run leaves a session with its finished steps.",
      .positionals = {{"SCENARIO", "scenario file; not needed with --checkpoint", false}},
      .options = {{"output", "S.k3r", "session file to write"},
                  {"ranks", "N", "number of ranks (parallel.ranks)"},
                  {"checkpoint", "DIR", "Hugging Face folder: config.json and safetensors"},
                  {"prompt-ids", "FILE", "one sequence of token ids per line"},
                  {"force-ids", "FILE", "token ids fed after each prompt, one line per sequence"},
                  {"decode", "N", "greedy tokens per sequence after the prompt"},
                  {"pin-router", "F.safetensors",
                   "experts from seqS.router_ids instead of the router"},
                  {"precision", "", "number formats of the computation", {"float32", "serving"}},
                  {"backend", "", "operators to use", {"auto", "reference"}},
                  {"transport", "", "how ranks exchange rows", {"threads"}},
                  {"dump", "F.safetensors", "write intermediate tensors"},
                  {"dump-only", "NAMES", "only these tensors, e.g. logits,stream", {}, true},
                  set_option(),
                  force_option(),
                  json_option()},
      .run = run_run};
}

}  // namespace k3::cli
