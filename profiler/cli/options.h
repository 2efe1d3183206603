#pragma once

#include "engine/base/atomic_file.h"
#include "profiler/cli/command.h"

namespace k3::cli {

// Options that several subcommands share, so that they read and behave alike.
inline OptionSpec json_option() {
  return {"json", "", "print one JSON document instead of tables"};
}

inline OptionSpec force_option() {
  return {"force", "", "replace output files that exist"};
}

inline OptionSpec set_option() {
  return {"set", "KEY=VALUE", "override a key of the scenario", {}, true};
}

inline Overwrite overwrite_of(const Arguments& arguments) {
  return arguments.has("force") ? Overwrite::yes : Overwrite::no;
}

}  // namespace k3::cli
