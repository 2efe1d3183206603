#include "profiler/cli/help.h"

#include <algorithm>

#include <fmt/core.h>

namespace k3::cli {
namespace {

std::string padded(const std::string& text, std::size_t width) {
  return text + std::string(text.size() < width ? width - text.size() : 1, ' ');
}

std::string flag_text(const OptionSpec& option) {
  std::string text = option.name == "output" ? "-o, --output" : "    --" + option.name;
  if (!option.choices.empty()) {
    text += ' ';
    for (std::size_t i = 0; i < option.choices.size(); ++i) {
      text += (i > 0 ? "|" : "") + option.choices[i];
    }
  } else if (!option.value.empty()) {
    text += ' ' + option.value;
  }
  return text;
}

std::string usage(const Command& command) {
  std::string text = "k3rack " + command.name;
  for (const PositionalSpec& positional : command.positionals) {
    text += positional.required ? ' ' + positional.name : " [" + positional.name + ']';
  }
  return command.options.empty() ? text : text + " [options]";
}

}  // namespace

std::string version_line() {
  return "k3rack " K3_VERSION;
}

std::string overview() {
  std::string text =
      "K3Rack: run the Kimi K3 model on several ranks, simulate the same plan on a rack of GPUs,\n"
      "compare both.\n\nusage: k3rack [--data DIR] SUBCOMMAND [options]\n\n";
  for (const Command& command : all_commands()) {
    text += "  " + padded(command.name, 12) + command.summary + '\n';
  }
  text += "\n`k3rack SUBCOMMAND --help` shows its options; `k3rack help TOPIC` explains a topic:\n";
  for (const HelpTopic& topic : help_topics()) {
    text += "  " + padded(topic.name, 12) + topic.summary + '\n';
  }
  text +=
      "\nStart with `k3rack demo`.\n"
      "Exit code: 0 done, 1 the input or request is wrong, 2 the program or system failed,\n"
      "3 a --fail-above limit was exceeded, 130 interrupted (what was complete is kept).\n";
  return text;
}

std::string command_help(const Command& command) {
  std::string text = command.summary + "\n\nusage: " + usage(command) + '\n';
  std::size_t width = 0;
  for (const PositionalSpec& p : command.positionals)
    width = std::max(width, p.name.size());
  for (const OptionSpec& o : command.options)
    width = std::max(width, flag_text(o).size());
  width = std::min<std::size_t>(width, 34) + 2;
  if (!command.positionals.empty()) text += '\n';
  for (const PositionalSpec& p : command.positionals) {
    text += "  " + padded(p.name, width) + p.help + '\n';
  }
  if (!command.options.empty()) text += '\n';
  for (const OptionSpec& o : command.options) {
    const std::string flag = flag_text(o);
    text += "  " +
            (flag.size() < width ? padded(flag, width) : flag + "\n  " + std::string(width, ' '));
    text += o.help + (o.repeatable ? " (repeatable)" : "") + '\n';
  }
  if (!command.details.empty()) text += '\n' + command.details + '\n';
  return text;
}

}  // namespace k3::cli
