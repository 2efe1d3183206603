#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace k3::cli {

class Console;

/// One option of a subcommand. Help, parsing, completion and the man page all come from this.
struct OptionSpec {
  std::string name;   ///< without the dashes
  std::string value;  ///< placeholder of its value; empty and no choices: a switch
  std::string help;
  std::vector<std::string> choices = {};  ///< allowed values; empty: any
  bool repeatable = false;
};

struct PositionalSpec {
  std::string name;
  std::string help;
  bool required = true;
};

/// What the user gave to a subcommand.
class Arguments {
 public:
  bool has(const std::string& option) const { return options_.contains(option); }

  std::optional<std::string> value(const std::string& option) const;
  std::vector<std::string> values(const std::string& option) const;

  /// Errors: not a whole number, or below `minimum`
  Result<std::optional<std::int64_t>> integer(const std::string& option,
                                              std::int64_t minimum) const;

  std::optional<std::string> positional(std::size_t index) const;

  /// A positional that the command cannot do without, so that parsing has made sure of it.
  const std::string& required(std::size_t index) const;

  void add_option(const std::string& name, std::vector<std::string> given) {
    options_[name] = std::move(given);
  }

  void add_positional(std::string given) { positionals_.push_back(std::move(given)); }

 private:
  std::map<std::string, std::vector<std::string>> options_;
  std::vector<std::string> positionals_;
};

/// A subcommand: what it takes and what it does. `run` gives the exit code (0, or 3 for an exceeded
/// limit).
struct Command {
  std::string name;
  std::string summary;
  std::string details;  ///< paragraphs of the help after the options; may be empty
  std::vector<PositionalSpec> positionals;
  std::vector<OptionSpec> options;
  Result<int> (*run)(const Arguments&, Console&) = nullptr;
};

/// Every subcommand, in the order of the help text.
const std::vector<Command>& all_commands();

/// Parses the words after the subcommand's name.
/// Errors: unknown option (with the nearest known one), missing value or positional, wrong choice
Result<Arguments> parse_arguments(const Command& command, const std::vector<std::string>& words);

}  // namespace k3::cli
