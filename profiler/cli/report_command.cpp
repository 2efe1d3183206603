#include <fmt/core.h>

#include "profiler/cli/commands.h"
#include "profiler/cli/console.h"
#include "profiler/cli/options.h"
#include "profiler/figures/collect.h"
#include "profiler/report/report.h"

namespace k3::cli {
namespace {

Result<int> run_report(const Arguments& arguments, Console& console) {
  const std::optional<std::string> output = arguments.value("output");
  if (!output) return fail(Code::invalid_input, "missing; write -o R.html", "--output");
  if (!output->ends_with(".html")) {
    return fail(Code::unsupported, "this build writes HTML only; name a file that ends in .html",
                *output);
  }
  K3_TRY_VOID(check_output(*output, overwrite_of(arguments)));
  std::optional<std::filesystem::path> second;
  if (const auto given = arguments.positional(1)) second = *given;
  K3_TRY(const figures::Input input, figures::collect(*arguments.positional(0), second));
  K3_TRY(const std::string page, report::render_report(input));
  K3_TRY_VOID(write_file_atomically(*output, page, overwrite_of(arguments)));
  console.print(fmt::format("written: {}\n", *output));
  return 0;
}

}  // namespace

Command report_command() {
  return {.name = "report",
          .summary = "one self-contained HTML page about a session, or two beside each other",
          .details =
              "Of two sessions the measured one comes first. Host names and folders are left out.",
          .positionals = {{"S", "a session"}, {"B", "a second session", false}},
          .options = {{"output", "R.html", "page to write"}, force_option()},
          .run = run_report};
}

}  // namespace k3::cli
