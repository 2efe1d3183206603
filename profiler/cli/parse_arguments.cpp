#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "profiler/cli/command.h"
#include "profiler/cli/suggest_word.h"

namespace k3::cli {
namespace {

struct Bound {
  CLI::Option* option = nullptr;
  std::vector<std::string> values;
  std::string single;  ///< of a positional: a vector would take those after it too
};

Result<void> check_known(const Command& command, const std::vector<std::string>& words) {
  std::vector<std::string> known;
  for (const OptionSpec& option : command.options)
    known.push_back("--" + option.name);
  for (const std::string& word : words) {
    if (word == "--") break;
    if (!word.starts_with("--")) continue;
    const std::string name = word.substr(0, word.find('='));
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    return fail(Code::invalid_input,
                fmt::format("unknown option of `{}`; {}", command.name, suggest_word(name, known)),
                name);
  }
  return {};
}

void declare(CLI::App& app,
             const Command& command,
             std::vector<Bound>& options,
             std::vector<Bound>& positionals) {
  app.set_help_flag();
  for (std::size_t i = 0; i < command.options.size(); ++i) {
    const OptionSpec& spec = command.options[i];
    const std::string name = (spec.name == "output" ? "-o,--" : "--") + spec.name;
    Bound& bound = options[i];
    if (spec.value.empty() && spec.choices.empty()) {
      bound.option = app.add_flag(name);
      continue;
    }
    bound.option = app.add_option(name, bound.values)->allow_extra_args(false);
    if (!spec.repeatable) bound.option->expected(1);
    bound.option->multi_option_policy(spec.repeatable ? CLI::MultiOptionPolicy::TakeAll
                                                      : CLI::MultiOptionPolicy::Throw);
    if (!spec.choices.empty()) bound.option->check(CLI::IsMember(spec.choices));
  }
  for (std::size_t i = 0; i < command.positionals.size(); ++i) {
    const PositionalSpec& spec = command.positionals[i];
    positionals[i].option =
        app.add_option(spec.name, positionals[i].single)->required(spec.required);
  }
}

Result<void> check_filled(const std::string& name, const std::vector<std::string>& values) {
  for (const std::string& value : values) {
    if (value.empty()) return fail(Code::invalid_input, "is empty; leave it out or name one", name);
  }
  return {};
}

}  // namespace

Result<Arguments> parse_arguments(const Command& command, const std::vector<std::string>& words) {
  K3_TRY_VOID(check_known(command, words));
  CLI::App app;
  std::vector<Bound> options(command.options.size());
  std::vector<Bound> positionals(command.positionals.size());
  declare(app, command, options, positionals);
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& error) {
    return fail(Code::invalid_input,
                fmt::format("{}; see `k3rack help {}`", error.what(), command.name), command.name);
  }
  Arguments arguments;
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (options[i].option->count() == 0) continue;
    K3_TRY_VOID(check_filled("--" + command.options[i].name, options[i].values));
    arguments.add_option(command.options[i].name, options[i].values);
  }
  for (std::size_t i = 0; i < positionals.size(); ++i) {
    if (positionals[i].option->count() == 0) continue;
    K3_TRY_VOID(check_filled(command.positionals[i].name, {positionals[i].single}));
    arguments.add_positional(positionals[i].single);
  }
  return arguments;
}

}  // namespace k3::cli
