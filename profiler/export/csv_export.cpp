#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "engine/text/suggest.h"
#include "profiler/export/csv_tables_internal.h"
#include "profiler/export/output_folder_internal.h"
#include "profiler/export/run_facts_internal.h"
#include "profiler/export/trace_export_internal.h"

namespace k3::exporter {
namespace {

Result<CsvInput> input_of(const store::SessionReader& session,
                          const ExportRequest& request,
                          Progress& progress) {
  CsvInput input{.session = session,
                 .steps = {},
                 .rank_chosen = {},
                 .all_steps = !request.steps,
                 .private_data = request.private_data,
                 .progress = progress};
  K3_TRY(input.steps, chosen_steps(session, request));
  K3_TRY(input.rank_chosen, chosen_ranks(session, request));
  input.all_ranks = std::ranges::count(input.rank_chosen, 0) == 0;
  return input;
}

/// The table asked for. Errors: not_found, naming the nearest
Result<CsvTable> find_table(const std::vector<CsvTable>& tables, const ExportRequest& request) {
  std::vector<std::string_view> names;
  for (const CsvTable& table : tables) {
    if (table.name != request.table) {
      names.push_back(table.name);
    } else if (table.of_whole_run && request.steps) {
      return fail(Code::invalid_input, "holds sums over the whole run; leave --steps out",
                  request.table);
    } else {
      return table;
    }
  }
  return fail(Code::not_found, "no such table; " + suggestion(request.table, names), request.table);
}

Result<void> write_file(const CsvInput& input,
                        const CsvTable& table,
                        OutputFile file,
                        ExportSummary& summary) {
  CsvRows rows(file, input.progress);
  K3_TRY_VOID(write_csv_table(input, table, rows));
  K3_TRY_VOID(file.publish());
  summary.rows += rows.count();
  summary.bytes += file.bytes();
  ++summary.files;
  if (table.table == &store::kSpanTable) summary.spans += rows.count();
  return {};
}

Result<void> write_one(const CsvInput& input,
                       const CsvTable& table,
                       const ExportRequest& request,
                       ExportSummary& summary) {
  K3_TRY(input.progress.total, expected_rows(input, table));
  if (request.output.empty()) {
    return write_file(input, table, OutputFile::standard_output(), summary);
  }
  K3_TRY(OutputFile file, OutputFile::create(request.output, request.overwrite));
  return write_file(input, table, std::move(file), summary);
}

Result<void> write_all(const CsvInput& input,
                       const std::vector<CsvTable>& tables,
                       const ExportRequest& request,
                       ExportSummary& summary) {
  if (request.output.extension() == ".csv" || request.output.extension() == ".gz") {
    return fail(Code::invalid_input,
                "all tables need a folder; name one, or one table with --table NAME",
                request.output.string());
  }
  K3_TRY(OutputFolder folder, OutputFolder::create(request.output, request.overwrite));
  std::vector<CsvTable> chosen;
  for (const CsvTable& table : tables) {
    if (table.of_whole_run && request.steps) {
      summary.notes.push_back(
          fmt::format("{} is left out: it holds sums over the whole run", table.name));
      continue;
    }
    K3_TRY(const std::int64_t rows, expected_rows(input, table));
    input.progress.total += rows;
    chosen.push_back(table);
  }
  for (const CsvTable& table : chosen) {
    K3_TRY(OutputFile file,
           OutputFile::create(folder.path() / fmt::format("{}.csv", table.name), Overwrite::no));
    K3_TRY_VOID(write_file(input, table, std::move(file), summary));
  }
  return folder.publish();
}

}  // namespace

Result<ExportSummary> export_csv(const store::SessionReader& session,
                                 const ExportRequest& request,
                                 Progress& progress) {
  K3_TRY(const CsvInput input, input_of(session, request, progress));
  const std::vector<CsvTable> tables = csv_tables(session.user_version());
  ExportSummary summary;
  summary.steps = std::ssize(input.steps);
  if (!request.table.empty()) {
    K3_TRY(const CsvTable table, find_table(tables, request));
    K3_TRY_VOID(session.ensure_totals());
    K3_TRY_VOID(write_one(input, table, request, summary));
  } else {
    K3_TRY_VOID(session.ensure_totals());
    K3_TRY_VOID(write_all(input, tables, request, summary));
  }
  if (!session.is_complete()) {
    summary.notes.emplace_back("the run was interrupted; its finished steps are exported");
  }
  return summary;
}

}  // namespace k3::exporter
