#include <fmt/core.h>

#include "profiler/cli/commands.h"
#include "profiler/cli/console.h"
#include "profiler/cli/options.h"
#include "profiler/cli/pdf_writer.h"
#include "profiler/figures/collect.h"
#include "profiler/report/html.h"

namespace k3::cli {
namespace {

/// Refused before the sessions are read.
Result<void> check_form(const std::filesystem::path& output) {
  const std::string extension = output.extension().string();
  if (extension == ".html") return {};
  if (extension != ".pdf") {
    return fail(Code::invalid_input, "unknown form; name a file that ends in .html or .pdf",
                output.string());
  }
  if (pdf_writer() == nullptr) {
    return fail(Code::unsupported,
                "this build has no PDF, which needs Qt; name a file that ends in .html",
                output.string());
  }
  return {};
}

Result<int> run_report(const Arguments& arguments, Console& console) {
  const std::optional<std::string> given = arguments.value("output");
  if (!given) return fail(Code::invalid_input, "missing; write -o R.html or R.pdf", "--output");
  const std::filesystem::path output = *given;
  K3_TRY_VOID(check_form(output));
  const Overwrite overwrite = overwrite_of(arguments);
  K3_TRY_VOID(check_output(output, overwrite));
  std::optional<std::filesystem::path> second;
  if (const auto name = arguments.positional(1)) second = *name;
  K3_TRY(const figures::Input input, figures::collect(arguments.required(0), second));
  K3_TRY(const report::Document document, report::make_document(input));
  if (output.extension() == ".pdf") {
    K3_TRY(const std::string pdf, pdf_writer()(document));
    K3_TRY_VOID(write_file_atomically(output, pdf, overwrite));
  } else {
    K3_TRY_VOID(write_file_atomically(output, report::to_html(document), overwrite));
  }
  console.print(fmt::format("written: {}\n", *given));
  return 0;
}

}  // namespace

Command report_command() {
  return {.name = "report",
          .summary = "a report about a session, or two beside each other: one HTML page or a PDF",
          .details =
              "Of two sessions the measured one comes first. Host names and folders are left out.",
          .positionals = {{"S", "a session"}, {"B", "a second session", false}},
          .options = {{"output", "R.html|R.pdf", "file to write; its name decides the form"},
                      force_option()},
          .run = run_report};
}

}  // namespace k3::cli
