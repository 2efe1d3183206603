#include "profiler/cli/completion.h"

#include <fmt/core.h>

#include "profiler/cli/command.h"
#include "profiler/cli/help.h"

namespace k3::cli {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words)
    text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string command_names() {
  std::vector<std::string> names;
  for (const Command& command : all_commands())
    names.push_back(command.name);
  return joined(names);
}

std::string option_names(const Command& command) {
  std::vector<std::string> names{"--help"};
  for (const OptionSpec& option : command.options)
    names.push_back("--" + option.name);
  return joined(names);
}

/// roff: a leading dot or quote starts a request, a backslash an escape, a bare minus a hyphen.
std::string roff(const std::string& text) {
  std::string out;
  bool line_begin = true;
  for (const char c : text) {
    if (line_begin && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    line_begin = c == '\n';
  }
  return out;
}

}  // namespace

std::string bash_completion() {
  std::string text =
      "# bash completion of k3rack\n"
      "_k3rack() {\n"
      "  local word=\"${COMP_WORDS[COMP_CWORD]}\" previous=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
      "  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n";
  text += fmt::format("    COMPREPLY=($(compgen -W \"{} --help --version\" -- \"$word\"))\n",
                      command_names());
  text += "    return\n  fi\n  case \"${COMP_WORDS[1]} $previous\" in\n";
  for (const Command& command : all_commands()) {
    for (const OptionSpec& option : command.options) {
      if (option.choices.empty()) continue;
      text +=
          fmt::format("    \"{} --{}\") COMPREPLY=($(compgen -W \"{}\" -- \"$word\")); return ;;\n",
                      command.name, option.name, joined(option.choices));
    }
  }
  text += "  esac\n  if [[ \"$word\" == -* ]]; then\n    case \"${COMP_WORDS[1]}\" in\n";
  for (const Command& command : all_commands()) {
    text += fmt::format("      {}) COMPREPLY=($(compgen -W \"{}\" -- \"$word\")) ;;\n",
                        command.name, option_names(command));
  }
  text +=
      "    esac\n    return\n  fi\n"
      "  COMPREPLY=($(compgen -f -- \"$word\"))\n"
      "}\n"
      "complete -o filenames -F _k3rack k3rack\n";
  return text;
}

std::string zsh_completion() {
  std::string text =
      "#compdef k3rack\n_k3rack() {\n  if (( CURRENT == 2 )); then\n    local -a c\n    c=(\n";
  for (const Command& command : all_commands()) {
    text += fmt::format("      '{}:{}'\n", command.name, command.summary);
  }
  text += "    )\n    _describe subcommand c\n    return\n  fi\n  case $words[2] in\n";
  for (const Command& command : all_commands()) {
    text += fmt::format("    {}) _arguments", command.name);
    for (const OptionSpec& option : command.options) {
      text += fmt::format(" \\\n      '{}--{}", option.repeatable ? "*" : "", option.name);
      std::string help = option.help;
      for (std::size_t i = 0; (i = help.find_first_of("[]:'", i)) != std::string::npos;) {
        help.replace(i, 1, " ");
      }
      text += fmt::format("[{}]", help);
      if (!option.choices.empty()) {
        text += fmt::format(":value:({})", joined(option.choices));
      } else if (!option.value.empty()) {
        text += fmt::format(":{}:_files", option.value);
      }
      text += '\'';
    }
    text += " \\\n      '*:file:_files' ;;\n";
  }
  return text + "  esac\n}\n_k3rack \"$@\"\n";
}

std::string man_page() {
  std::string text =
      ".TH K3RACK 1\n.SH NAME\nk3rack \\- run, simulate and compare Kimi K3 on a rack of GPUs\n"
      ".SH SYNOPSIS\n.B k3rack\n[\\-\\-data DIR] SUBCOMMAND [options]\n.SH SUBCOMMANDS\n";
  for (const Command& command : all_commands()) {
    text += ".SS " + roff(command.name) + "\n.nf\n" + roff(command_help(command)) + ".fi\n";
  }
  text += ".SH TOPICS\n";
  for (const HelpTopic& topic : help_topics()) {
    text += ".SS " + roff(topic.name) + "\n.nf\n" + roff(topic.text) + ".fi\n";
  }
  return text +
         ".SH EXIT STATUS\n0 done, 1 wrong input or request, 2 the program or system failed, 3 a "
         "limit was exceeded, 130 interrupted.\n";
}

}  // namespace k3::cli
