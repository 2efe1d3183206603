#pragma once

#include <string>

namespace k3::cli {

/// Shell code that completes subcommands, options, choices and files.
std::string bash_completion();
std::string zsh_completion();
/// The manual page in roff.
std::string man_page();

}  // namespace k3::cli
