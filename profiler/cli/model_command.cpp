#include <filesystem>

#include <fmt/core.h>

#include "engine/model/model_report.h"
#include "engine/model/tensor_spec.h"
#include "engine/weights/checkpoint_check.h"
#include "profiler/cli/commands.h"
#include "profiler/cli/console.h"
#include "profiler/cli/data_search.h"
#include "profiler/cli/options.h"

namespace k3::cli {
namespace {

namespace fs = std::filesystem;

/// A checkpoint folder is held against its own config.
Result<std::string> check_folder(const fs::path& folder, const ModelConfig& model) {
  K3_TRY(const Checkpoint checkpoint, Checkpoint::open(folder));
  K3_TRY_VOID(check_checkpoint(checkpoint, tensor_specs(model)));
  return fmt::format("checkpoint: {} tensors, all as the config says", checkpoint.names().size());
}

Result<int> run_model(const Arguments& arguments, Console& console) {
  K3_TRY(const fs::path path,
         find_input(arguments.required(0), PresetKind::model, console.folders()));
  std::error_code ignored;
  const bool is_folder = fs::is_directory(path, ignored);
  K3_TRY(const ModelConfig model, load_model_config(is_folder ? path / "config.json" : path));
  std::string checked;
  if (is_folder) {
    K3_TRY(checked, check_folder(path, model));
  }
  if (arguments.has("json")) {
    console.print_json(model_report_json(model));
  } else {
    console.print(model_report_text(model));
  }
  if (is_folder) console.note(checked);
  return 0;
}

}  // namespace

Command model_command() {
  return {.name = "model",
          .summary = "parameters, bytes, FLOPs, cache and all-to-all volume of a model",
          .details =
              "A folder is checked too: every tensor of its safetensors against its config.json.",
          .positionals = {{"CONFIG", "config.json, checkpoint folder, or a model of `presets`"}},
          .options = {json_option()},
          .run = run_model};
}

}  // namespace k3::cli
