#include <algorithm>
#include <charconv>
#include <iterator>

#include <fmt/core.h>

#include "engine/text/json.h"
#include "profiler/cli/commands.h"
#include "profiler/cli/console.h"
#include "profiler/cli/options.h"
#include "profiler/export/export.h"
#include "profiler/visual/numbers.h"

namespace k3::cli {
namespace {

using exporter::ExportRequest;
using exporter::ExportSummary;
using exporter::Format;

constexpr std::string_view kFormatNames[] = {"perfetto", "chrome", "csv"};

std::string_view name_of_format(Format format) {
  return kFormatNames[static_cast<std::size_t>(format)];
}

/// "3" or "2-5"; both ends included.
std::optional<std::pair<int, int>> parse_range(std::string_view text) {
  const auto number = [](std::string_view digits, int& value) {
    const auto end = digits.data() + digits.size();
    const auto result = std::from_chars(digits.data(), end, value);
    return result.ec == std::errc() && result.ptr == end && value >= 0;
  };
  const std::size_t dash = text.find('-');
  std::pair<int, int> range;
  if (!number(text.substr(0, dash), range.first)) return std::nullopt;
  range.second = range.first;
  if (dash == std::string_view::npos) return range;
  if (!number(text.substr(dash + 1), range.second) || range.second < range.first) {
    return std::nullopt;
  }
  return range;
}

Result<void> take_steps(const Arguments& arguments, ExportRequest& request) {
  const std::optional<std::string> text = arguments.value("steps");
  if (!text) return {};
  const auto range = parse_range(*text);
  if (!range) {
    return fail(Code::invalid_input,
                fmt::format("'{}' are no steps; write 3 or, with both ends, 2-5", *text),
                "--steps");
  }
  request.steps = {.first = range->first, .last = range->second};
  return {};
}

Result<void> take_ranks(const Arguments& arguments, ExportRequest& request) {
  constexpr int kMostRanks = 1 << 16;
  const std::optional<std::string> text = arguments.value("ranks");
  if (!text) return {};
  for (std::string_view rest = *text;;) {
    const std::size_t comma = rest.find(',');
    const auto range = parse_range(rest.substr(0, comma));
    if (!range || range->second >= kMostRanks) {
      return fail(Code::invalid_input,
                  fmt::format("'{}' are no ranks; write 3, 0-7 or 0-3,8,12", *text), "--ranks");
    }
    for (int rank = range->first; rank <= range->second; ++rank)
      request.ranks.push_back(rank);
    if (comma == std::string_view::npos) return {};
    rest.remove_prefix(comma + 1);
  }
}

/// From --format, else from the name of the output.
Result<Format> format_asked_for(const Arguments& arguments) {
  if (const auto name = arguments.value("format")) {
    const auto* const at = std::find(std::begin(kFormatNames), std::end(kFormatNames), *name);
    return static_cast<Format>(at - std::begin(kFormatNames));
  }
  if (arguments.has("table")) return Format::csv;
  const std::string output = arguments.value("output").value_or("");
  if (const auto format = exporter::format_of(output); format && !output.empty()) return *format;
  return fail(Code::invalid_input,
              output.empty() ? "missing; write -o t.pftrace, -o t.json or -o FOLDER"
                             : "the name tells no format; end it in .pftrace or .json, name a "
                               "folder for CSV, or add --format",
              output.empty() ? "--output" : output);
}

Result<ExportRequest> request_of(const Arguments& arguments) {
  ExportRequest request;
  K3_TRY(request.format, format_asked_for(arguments));
  request.table = arguments.value("table").value_or("");
  request.output = arguments.value("output").value_or("");
  request.overwrite = overwrite_of(arguments);
  if (arguments.has("with-private")) request.private_data = exporter::PrivateData::kept;
  if (!request.table.empty() && request.format != Format::csv) {
    return fail(Code::invalid_input, "only CSV is written table by table; leave --format out",
                "--table");
  }
  if (request.output.empty() && request.table.empty()) {
    return fail(Code::invalid_input, "missing; name the file or folder to write", "--output");
  }
  if (request.output.empty() && arguments.has("json")) {
    return fail(Code::invalid_input, "the table itself goes to the standard output; add -o F.csv",
                "--json");
  }
  K3_TRY_VOID(take_steps(arguments, request));
  K3_TRY_VOID(take_ranks(arguments, request));
  return request;
}

Json to_json(const ExportRequest& request, const ExportSummary& summary) {
  Json notes = Json::array();
  for (const std::string& note : summary.notes)
    notes.push(note);
  return Json::object()
      .set("format", name_of_format(request.format))
      .set("file", request.output.string())
      .set("files", summary.files)
      .set("bytes", summary.bytes)
      .set("steps", summary.steps)
      .set("spans", summary.spans)
      .set("tracks", summary.tracks)
      .set("flows", summary.flows)
      .set("counters", summary.counter_samples)
      .set("rows", summary.rows)
      .set("notes", notes);
}

std::string text_of(const ExportRequest& request, const ExportSummary& summary) {
  using visual::counted;
  const std::string what =
      request.format == Format::csv
          ? fmt::format("{} in {}", counted(summary.rows, "row"), counted(summary.files, "file"))
          : fmt::format("{} on {}, {}, {}", counted(summary.spans, "span"),
                        counted(summary.tracks, "track"), counted(summary.flows, "arrow"),
                        counted(summary.counter_samples, "counter sample"));
  std::string text = fmt::format("written: {} ({}, {:.3g} MB)\n", request.output.string(), what,
                                 static_cast<double>(summary.bytes) * 1e-6);
  if (request.format == Format::perfetto) text += "open it in ui.perfetto.dev\n";
  if (request.format == Format::chrome) {
    text += "open it in ui.perfetto.dev or chrome://tracing\n";
  }
  return text;
}

Result<int> run_export(const Arguments& arguments, Console& console) {
  K3_TRY(const ExportRequest request, request_of(arguments));
  K3_TRY(const store::SessionReader session, store::SessionReader::open(arguments.required(0)));
  if (!session.warning().empty()) console.note(session.warning());
  Progress progress;
  const auto write = [&] {
    const ProgressDisplay display("export", request.format == Format::csv ? "rows" : "spans",
                                  progress);
    return exporter::export_session(session, request, progress);
  };
  K3_TRY(const ExportSummary summary, write());
  for (const std::string& note : summary.notes)
    console.note(note);
  if (arguments.has("json")) {
    console.print_json(to_json(request, summary));
  } else if (!request.output.empty()) {
    console.print(text_of(request, summary));
  }
  return 0;
}

}  // namespace

Command export_command() {
  return {
      .name = "export",
      .summary = "a session as a Perfetto or Chrome trace, or as CSV tables",
      .details =
          "Without --format the name decides: .pftrace and .perfetto-trace, .json, a name without\n"
          "extension for a folder of CSV files; .gz at its end compresses.\n\n"
          "Traces hold one process per rank and one track per lane; spans that cross others get\n"
          "tracks of their own. Waiting has its own category and name. Arrows go from what a\n"
          "sender of a dispatch or combine did last to the transfers that waited for it: between\n"
          "all pairs of up to 4 ranks, beyond that from the last sender to each receiver.\n"
          "Counters show memory, tokens in work at a rank's experts, and links if sampled.\n\n"
          "CSV holds every table with the column names of the session, numbers exact; matrices,\n"
          "loads and expert choices have one row per value.\n\n"
          "Host names and folders are left out unless --with-private is given.",
      .positionals = {{"S", "a session"}},
      .options = {{"output", "F", "file to write; CSV: folder, or file of one --table"},
                  {"format", "WORD", "what to write", {"perfetto", "chrome", "csv"}},
                  {"steps", "A-B", "only these steps, both ends included"},
                  {"ranks", "LIST", "only these ranks: 3, 0-7 or 0-3,8"},
                  {"table", "NAME", "CSV of this table only; without -o to the standard output"},
                  {"with-private", "", "keep host names and folders"},
                  force_option(),
                  json_option()},
      .run = run_export};
}

}  // namespace k3::cli
