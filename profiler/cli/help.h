#pragma once

#include <string>
#include <vector>

#include "profiler/cli/command.h"

namespace k3::cli {

std::string version_line();
/// `k3rack --help`.
std::string overview();
/// `k3rack COMMAND --help`.
std::string command_help(const Command& command);

/// A page of background that belongs to no single subcommand.
struct HelpTopic {
  std::string name;
  std::string summary;
  std::string text;
};

const std::vector<HelpTopic>& help_topics();

}  // namespace k3::cli
