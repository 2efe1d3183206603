#include "profiler/export/export.h"

#include <algorithm>
#include <memory>

#include <fmt/core.h>

#include "profiler/export/chrome_encoder_internal.h"
#include "profiler/export/output_file_internal.h"
#include "profiler/export/perfetto_encoder_internal.h"
#include "profiler/export/run_facts_internal.h"
#include "profiler/export/trace_export_internal.h"
#include "profiler/export/trace_writer_internal.h"

namespace k3::exporter {
namespace fs = std::filesystem;

namespace {

/// What a trace has no place for, as far as the session has it.
Result<std::string> tables_left_out(const store::SessionReader& session, Format format) {
  std::string names;
  for (const char* table : {"traffic", "expert_load", "routing", "placement", "link_use"}) {
    const std::string exists =
        fmt::format("SELECT count(*) FROM sqlite_master WHERE name = '{}'", table);
    K3_TRY(const std::int64_t there, session.database().integer(exists));
    if (there == 0) continue;
    K3_TRY(const std::int64_t rows,
           session.database().integer(fmt::format("SELECT EXISTS (SELECT 1 FROM {})", table)));
    if (rows == 0) continue;
    names += names.empty() ? "" : ", ";
    names += table;
    const bool summed = format == Format::chrome && std::string_view(table) == "traffic";
    if (summed) names += " (its sum is)";
  }
  return names;
}

std::unique_ptr<TraceEncoder> make_encoder(Format format, const RunFacts& facts, std::string& out) {
  if (format == Format::chrome) return std::make_unique<ChromeEncoder>(facts, out);
  return std::make_unique<PerfettoEncoder>(facts, out);
}

}  // namespace

std::optional<Format> format_of(const fs::path& output) {
  const fs::path name = output.extension() == ".gz" ? output.stem() : output;
  const std::string extension = name.extension().string();
  if (extension == ".pftrace" || extension == ".perfetto-trace") return Format::perfetto;
  if (extension == ".json") return Format::chrome;
  if (extension == ".csv" || extension.empty()) return Format::csv;
  return std::nullopt;
}

Result<ExportSummary> export_trace(const store::SessionReader& session,
                                   const ExportRequest& request,
                                   Progress& progress) {
  K3_TRY(const RunFacts facts, read_run_facts(session, request));
  K3_TRY(OutputFile file, OutputFile::create(request.output, request.overwrite));
  const std::unique_ptr<TraceEncoder> encoder = make_encoder(request.format, facts, file.text());
  TraceWriter writer({.session = session,
                      .facts = facts,
                      .encoder = *encoder,
                      .file = file,
                      .progress = progress});
  K3_TRY_VOID(writer.write());
  K3_TRY_VOID(file.publish());
  ExportSummary summary = writer.summary();
  summary.files = 1;
  summary.bytes = file.bytes();
  K3_TRY(const std::string left_out, tables_left_out(session, request.format));
  if (!left_out.empty()) {
    summary.notes.push_back(
        fmt::format("not part of a trace: {}; --format csv writes every table", left_out));
  }
  return summary;
}

Result<ExportSummary> export_session(const store::SessionReader& session,
                                     const ExportRequest& request,
                                     Progress& progress) {
  return request.format == Format::csv ? export_csv(session, request, progress)
                                       : export_trace(session, request, progress);
}

}  // namespace k3::exporter
