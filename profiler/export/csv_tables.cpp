#include <algorithm>

#include <fmt/core.h>

#include "profiler/export/csv_tables_internal.h"
#include "profiler/export/csv_text_internal.h"
#include "profiler/export/run_facts_internal.h"

namespace k3::exporter {
namespace {

using store::ColumnType;
using store::Table;

/// Tables whose blobs become rows of their own files.
constexpr CsvTable kBlobTables[] = {
    {.name = "traffic",
     .table = &store::kTrafficTable,
     .write = write_traffic,
     .header = "step,layer,direction,src,dst,copies,rows,bytes",
     .rows = "num_ranks * num_ranks"},
    {.name = "expert_load",
     .table = &store::kExpertLoadTable,
     .write = write_expert_load,
     .header = "step,layer,expert,tokens",
     .rows = "num_experts"},
    {.name = "expert_load_slots",
     .table = &store::kExpertLoadTable,
     .write = write_slot_load,
     .header = "step,layer,slot,tokens",
     .rows = "length(slot_tokens) / 4"},
    {.name = "routing",
     .table = &store::kRoutingTable,
     .write = write_routing,
     .header = "step,layer,token,choice,expert",
     .rows = "num_tokens * top_k"},
};

bool has_column(const Table& table, std::string_view name) {
  return std::ranges::any_of(table.columns,
                             [name](const store::Column& column) { return column.name == name; });
}

std::string rank_list(const CsvInput& input) {
  std::string list;
  for (std::size_t rank = 0; rank < input.rank_chosen.size(); ++rank) {
    if (input.rank_chosen[rank] != 0) list += fmt::format("{}{}", list.empty() ? "" : ",", rank);
  }
  return list;
}

/// Spans of a step have contiguous ids: no other rows need to be looked at.
std::string step_condition(const CsvInput& input, const Table& table) {
  const auto& steps = input.steps;
  std::string sql = fmt::format("step BETWEEN {} AND {}", steps.front().step, steps.back().step);
  if (&table != &store::kSpanTable) return sql;
  std::int64_t first = steps.front().first_span;
  std::int64_t end = first;
  for (const store::StepRow& step : steps) {
    first = std::min(first, step.first_span);
    end = std::max(end, step.first_span + step.num_spans);
  }
  return sql + fmt::format(" AND span_id >= {} AND span_id < {}", first, end);
}

/// "" or " WHERE …" that keeps the steps and ranks asked for.
std::string where(const CsvInput& input, const Table& table) {
  std::vector<std::string> conditions;
  if (!input.all_steps && has_column(table, "step")) {
    conditions.push_back(step_condition(input, table));
  }
  if (!input.all_ranks) {
    const std::string ranks = rank_list(input);
    if (has_column(table, "rank")) {
      conditions.push_back(fmt::format("rank IN ({})", ranks));
    } else if (has_column(table, "lane_id")) {
      conditions.push_back(
          fmt::format("lane_id IN (SELECT lane_id FROM lane WHERE rank IN ({}))", ranks));
    } else if (has_column(table, "dst")) {
      conditions.push_back(fmt::format("(src IN ({0}) OR dst IN ({0}))", ranks));
    }
  }
  std::string sql;
  for (const std::string& condition : conditions)
    sql += (sql.empty() ? " WHERE " : " AND ") + condition;
  return sql;
}

std::string select_statement(const CsvInput& input, const Table& table) {
  std::string columns;
  for (const store::Column& column : table.columns)
    columns += (columns.empty() ? "" : ", ") + std::string(column.name);
  std::string sql = fmt::format("SELECT {} FROM {}", columns, table.name) + where(input, table);
  if (!table.key.empty()) sql += fmt::format(" ORDER BY {}", table.key);
  return sql;
}

void append_value(const CsvInput& input,
                  const store::Statement& row,
                  const store::Column& column,
                  int index,
                  std::string& out) {
  if (row.is_null(index)) return;
  const bool kept = input.private_data == PrivateData::kept;
  switch (column.type) {
    case ColumnType::integer:
      append_integer(row.integer(index), out);
      return;
    case ColumnType::real:
      append_csv_real(row.real(index), out);
      return;
    case ColumnType::text:
      if (!kept && column.name == "host") return;
      append_csv_text(public_text(row.text(index), input.private_data), out);
      return;
    case ColumnType::blob:
      append_hexadecimal(row.blob(index), out);
      return;
  }
}

Result<void> write_plain(const CsvInput& input, const Table& table, CsvRows& rows) {
  K3_TRY(store::Statement query, input.session.database().prepare(select_statement(input, table)));
  return store::for_each_row(query, [&](const store::Statement& row) -> Result<void> {
    for (int i = 0; i < static_cast<int>(table.columns.size()); ++i) {
      if (i > 0) rows.text() += ',';
      append_value(input, row, table.columns[static_cast<std::size_t>(i)], i, rows.text());
    }
    rows.text() += '\n';
    return rows.added(1);
  });
}

/// Private keys of `meta` are left out as a whole.
Result<void> write_meta(const CsvInput& input, CsvRows& rows) {
  K3_TRY(const auto pairs, public_meta(input.session, input.private_data));
  for (const auto& [key, value] : pairs) {
    append_csv_text(key, rows.text());
    rows.text() += ',';
    append_csv_text(value, rows.text());
    rows.text() += '\n';
    K3_TRY_VOID(rows.added(1));
  }
  return {};
}

}  // namespace

Result<void> CsvRows::added(std::int64_t rows) {
  constexpr std::int64_t kEvery = 4096;
  const std::int64_t before = count_;
  count_ += rows;
  if (before / kEvery == count_ / kEvery) return {};
  progress_.done += (count_ / kEvery - before / kEvery) * kEvery;
  if (progress_.cancelled) return fail(Code::cancelled, std::string(kStopped));
  return file_.flush_if_large();
}

std::vector<CsvTable> csv_tables(int user_version) {
  std::vector<CsvTable> out;
  for (const Table* table : store::kTables) {
    if (table->since > user_version) continue;
    // What these hold stands in `span`.
    if (table == &store::kSpanBlockTable || table == &store::kSpanRangeTable) continue;
    bool is_blob_table = false;
    for (const CsvTable& blob : kBlobTables) {
      if (blob.table != table) continue;
      out.push_back(blob);
      is_blob_table = true;
    }
    if (is_blob_table) continue;
    CsvTable& plain = out.emplace_back(CsvTable{.name = table->name, .table = table});
    plain.of_whole_run = table == &store::kLaneSummaryTable ||
                         table == &store::kTrafficTotalTable ||
                         table == &store::kExpertLoadTotalTable;
  }
  return out;
}

Result<std::int64_t> expected_rows(const CsvInput& input, const CsvTable& table) {
  const std::string count =
      table.rows.empty() ? "count(*)" : fmt::format("ifnull(sum({}), 0)", table.rows);
  return input.session.database().integer(
      fmt::format("SELECT {} FROM {}", count, table.table->name) + where(input, *table.table));
}

Result<void> write_csv_table(const CsvInput& input, const CsvTable& table, CsvRows& rows) {
  if (input.progress.cancelled) return fail(Code::cancelled, std::string(kStopped));
  if (table.write != nullptr) {
    rows.text() += table.header;
    rows.text() += '\n';
    return table.write(input, rows);
  }
  for (const store::Column& column : table.table->columns) {
    if (&column != &table.table->columns.front()) rows.text() += ',';
    rows.text() += column.name;
  }
  rows.text() += '\n';
  if (table.table == &store::kMetaTable) return write_meta(input, rows);
  return write_plain(input, *table.table, rows);
}

}  // namespace k3::exporter
