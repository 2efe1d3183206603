#pragma once

#include "profiler/cli/command.h"

namespace k3::cli {

// One file per subcommand: NAME_command.cpp.
Command alltoall_command();
Command calibrate_command();
Command collective_command();
Command compare_command();
Command completion_command();
Command demo_command();
Command export_command();
Command help_command();
Command inspect_command();
Command model_command();
Command presets_command();
Command report_command();
Command run_command();
Command simulate_command();
Command topo_command();

}  // namespace k3::cli
