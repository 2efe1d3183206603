#pragma once

#include <string>

#include "engine/base/result.h"
#include "engine/hardware/topology.h"
#include "profiler/cli/command.h"
#include "profiler/cli/console.h"

namespace k3::cli {

/// Why a question about links has no answer for this host.
tl::unexpected<Error> no_links(const std::string& where);

/// --fault, repeatable.
OptionSpec fault_option();

/// The machine with every --fault that was given added.
Result<Machine> with_given_faults(Machine machine, const Arguments& arguments);

/// Empty, or " with gpu3:plane7=0.5, plane4=0".
std::string faults_text(const Machine& machine);

/// The machine that the first positional names, with every --fault.
Result<Machine> faulty_machine(const Arguments& arguments, const Console& console);

}  // namespace k3::cli
