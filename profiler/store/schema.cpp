#include "profiler/store/schema.h"

#include <fmt/core.h>

#include "profiler/store/span_block.h"

namespace k3::store {
namespace {

std::string_view sql_name(ColumnType type) {
  switch (type) {
    case ColumnType::integer:
      return "INTEGER";
    case ColumnType::real:
      return "REAL";
    case ColumnType::text:
      return "TEXT";
    case ColumnType::blob:
      break;
  }
  return "BLOB";
}

bool has_blob(const Table& table) {
  for (const Column& column : table.columns) {
    if (column.type == ColumnType::blob) return true;
  }
  return false;
}

bool has_rowid_key(const Table& table) {
  for (const Column& column : table.columns) {
    if (column.name == table.key) return column.type == ColumnType::integer;
  }
  return false;
}

}  // namespace

std::string create_statement(const Table& table, std::string_view scope) {
  std::string sql = fmt::format("CREATE {}TABLE {} (", scope, table.name);
  const bool rowid = has_rowid_key(table);
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Column& column = table.columns[i];
    sql += fmt::format("{}{} {}", i > 0 ? ", " : "", column.name, sql_name(column.type));
    if (rowid && column.name == table.key) sql += " PRIMARY KEY";
  }
  if (rowid || table.key.empty()) return sql + ")";
  sql += fmt::format(", PRIMARY KEY ({}))", table.key);
  // NOTE: rows with matrices stay out of the key's tree, where they would make every look-up read
  // them.
  return has_blob(table) ? sql : sql + " WITHOUT ROWID";
}

std::string create_statement(const View& view, std::string_view scope) {
  return fmt::format("CREATE {}VIEW {} AS {}", scope, view.name, view.select);
}

std::string insert_statement(const Table& table) {
  std::string sql = fmt::format("INSERT INTO {} VALUES (?", table.name);
  for (std::size_t i = 1; i < table.columns.size(); ++i)
    sql += ",?";
  return sql + ")";
}

std::string schema_readme() {
  std::string out = fmt::format(
      "# Session files (`.k3r`)\n"
      "\n"
      "Generated from `schema.h`; a test compares (`K3_UPDATE_SNAPSHOTS=1` rewrites).\n"
      "\n"
      "A session is one SQLite database: `application_id` 0x{:08x}, `user_version` {}. Times are\n"
      "integer nanoseconds in columns ending `_ns`; enumerations are stored as their names; "
      "indices\n"
      "count from 0. A file is in WAL mode while it is written, one transaction per step, and a\n"
      "single plain file once closed. Tables said to be filled when the run ends are empty in the "
      "file\n"
      "of an interrupted run (`meta.complete` is 0); K3Rack's readers compute them then.\n",
      kApplicationId, kUserVersion);
  for (const Table* table : kTables) {
    out += fmt::format("\n## {}\n\n{}", table->name, table->doc);
    if (!table->key.empty()) out += fmt::format(" Key: {}.", table->key);
    out += "\n\n| column | type | unit | meaning |\n|---|---|---|---|\n";
    for (const Column& column : table->columns) {
      out += fmt::format("| {} | {} | {} | {} |\n", column.name, sql_name(column.type), column.unit,
                         column.doc);
    }
  }
  for (const View& view : kViews) {
    out += fmt::format("\n## {} (view)\n\n{}\n\n```sql\n{};\n```\n", view.name, view.doc,
                       create_statement(view));
  }
  out += fmt::format("\n## Blob of span_block\n\n{}", kSpanBlockDoc);
  return out;
}

}  // namespace k3::store
