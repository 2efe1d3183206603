#include <fmt/core.h>

#include "profiler/cli/commands.h"
#include "profiler/cli/completion.h"
#include "profiler/cli/console.h"
#include "profiler/cli/help.h"
#include "profiler/cli/suggest_word.h"

namespace k3::cli {
namespace {

Result<int> run_help(const Arguments& arguments, Console& console) {
  const std::optional<std::string> name = arguments.positional(0);
  if (!name) {
    console.print(overview());
    return 0;
  }
  std::vector<std::string> known;
  for (const HelpTopic& topic : help_topics()) {
    if (topic.name == *name) {
      console.print(topic.text);
      return 0;
    }
    known.push_back(topic.name);
  }
  for (const Command& command : all_commands()) {
    if (command.name == *name) {
      console.print(command_help(command));
      return 0;
    }
    known.push_back(command.name);
  }
  return fail(Code::invalid_input, "no such topic or subcommand; " + suggest_word(*name, known),
              *name);
}

Result<int> run_completion(const Arguments& arguments, Console& console) {
  const std::string shell = arguments.required(0);
  if (shell == "bash") {
    console.print(bash_completion());
  } else if (shell == "zsh") {
    console.print(zsh_completion());
  } else if (shell == "man") {
    console.print(man_page());
  } else {
    return fail(Code::invalid_input, "unknown form; bash, zsh or man", shell);
  }
  return 0;
}

}  // namespace

Command help_command() {
  return {.name = "help",
          .summary = "explain a subcommand or a topic",
          .details = "",
          .positionals = {{"TOPIC", "subcommand or topic", false}},
          .options = {},
          .run = run_help};
}

Command completion_command() {
  return {.name = "completion",
          .summary = "print shell completion or the manual page",
          .details = "Installed by the packages; by hand: source <(k3rack completion bash)",
          .positionals = {{"FORM", "bash, zsh or man"}},
          .options = {},
          .run = run_completion};
}

}  // namespace k3::cli
