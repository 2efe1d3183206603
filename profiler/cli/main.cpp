#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>

#include <fmt/core.h>

#include "profiler/cli/command.h"
#include "profiler/cli/console.h"
#include "profiler/cli/data_search.h"
#include "profiler/cli/help.h"
#include "profiler/cli/suggest_word.h"

namespace k3::cli {
namespace {

constexpr int kInterruptedExit = 130;  // as shells report SIGINT

int exit_code(Code code) {
  switch (code) {
    case Code::internal:
    case Code::io:
      return 2;
    case Code::cancelled:
      return kInterruptedExit;
    default:
      return 1;
  }
}

int report(const Error& error) {
  std::fflush(stdout);
  std::fputs(fmt::format("k3rack: error: {}\n", error.text()).c_str(), stderr);
  return exit_code(error.code);
}

const Command* find_command(const std::string& name) {
  for (const Command& command : all_commands()) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

Error unknown_command(const std::string& name) {
  std::vector<std::string> known;
  for (const Command& command : all_commands())
    known.push_back(command.name);
  return {Code::invalid_input, "unknown subcommand; " + suggest_word(name, known), name};
}

/// Takes `--data DIR` before the subcommand.
Result<std::optional<std::string>> take_data_option(std::vector<std::string>& words) {
  std::optional<std::string> folder;
  while (!words.empty() && (words.front() == "--data" || words.front().starts_with("--data="))) {
    const std::string word = words.front();
    words.erase(words.begin());
    if (word != "--data") {
      folder = word.substr(word.find('=') + 1);
    } else if (!words.empty()) {
      folder = words.front();
      words.erase(words.begin());
    } else {
      return fail(Code::invalid_input, "needs a folder; write --data DIR", word);
    }
  }
  return folder;
}

bool asks_for_help(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word == "--") return false;
    if (word == "--help" || word == "-h") return true;
  }
  return false;
}

bool is_output(const OptionSpec& option) {
  return option.name == "output" || option.name == "dump" || option.name == "graphml";
}

/// A command must not replace what it reads.
Result<void> check_inputs_survive(const Command& command, const Arguments& arguments) {
  std::vector<std::string> inputs;
  for (std::size_t i = 0; const auto positional = arguments.positional(i); ++i)
    inputs.push_back(*positional);
  for (const OptionSpec& option : command.options) {
    if (is_output(option)) continue;
    for (const std::string& value : arguments.values(option.name))
      inputs.push_back(value);
  }
  for (const OptionSpec& option : command.options) {
    if (!is_output(option)) continue;
    for (const std::string& output : arguments.values(option.name)) {
      for (const std::string& input : inputs) {
        std::error_code ignored;
        if (!std::filesystem::equivalent(input, output, ignored)) continue;
        return fail(Code::invalid_input, "is read by this command; choose another output", output);
      }
    }
  }
  return {};
}

Result<int> run(std::vector<std::string> words) {
  K3_TRY(const std::optional<std::string> data, take_data_option(words));
  if (words.empty()) {
    std::fputs(overview().c_str(), stderr);
    return 1;
  }
  const std::string name = words.front();
  words.erase(words.begin());
  if (name == "--version") {
    std::puts(version_line().c_str());
    return 0;
  }
  if (name == "--help" || name == "-h") {
    std::fputs(overview().c_str(), stdout);
    return 0;
  }
  const Command* command = find_command(name);
  if (command == nullptr) return tl::unexpected(unknown_command(name));
  if (asks_for_help(words)) {
    std::fputs(command_help(*command).c_str(), stdout);
    return 0;
  }
  K3_TRY(const Arguments arguments, parse_arguments(*command, words));
  K3_TRY_VOID(check_inputs_survive(*command, arguments));
  K3_TRY(DataFolders folders, search_data_folders(data));
  Console console(std::move(folders));
  return command->run(arguments, console);
}

}  // namespace
}  // namespace k3::cli

int main(int argc, char** argv) {
  using namespace k3;
  cli::install_interrupt_handler();
  try {
    const Result<int> code = cli::run(std::vector<std::string>(argv + 1, argv + argc));
    if (!code) return cli::report(code.error());
    if (std::fflush(stdout) != 0) {
      return cli::report({Code::io, "cannot be written", "standard output"});
    }
    return *code;
  } catch (const std::bad_alloc&) {
    return cli::report({Code::internal, "out of memory", ""});
  } catch (const std::exception& error) {
    return cli::report({Code::internal, error.what(), ""});
  }
}
