#include "profiler/cli/commands.h"

namespace k3::cli {

const std::vector<Command>& all_commands() {
  static const std::vector<Command> commands{
      demo_command(),    run_command(),      simulate_command(),   calibrate_command(),
      compare_command(), report_command(),   export_command(),     inspect_command(),
      model_command(),   alltoall_command(), topo_command(),       collective_command(),
      presets_command(), help_command(),     completion_command(),
  };
  return commands;
}

}  // namespace k3::cli
