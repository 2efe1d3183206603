#include "profiler/query/sql.h"

#include <iterator>

#include <fmt/core.h>

#include "profiler/store/query_limit.h"

namespace k3::query {
namespace {

using store::Statement;

/// At most `limit` bytes of a text, not ending inside a UTF-8 character.
std::string shortened(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return std::string(text);
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xc0) == 0x80)
    --limit;
  return std::string(text.substr(0, limit)) + "…";
}

SqlCell cell(const Statement& row, int column, std::size_t limit) {
  SqlCell cell;
  cell.type = row.type(column);
  switch (cell.type) {
    case store::ValueType::null:
      cell.text = "NULL";
      break;
    case store::ValueType::blob:
      cell.integer = std::ssize(row.blob(column));
      cell.text = fmt::format("({} byte{})", cell.integer, cell.integer == 1 ? "" : "s");
      break;
    case store::ValueType::integer:
      cell.integer = row.integer(column);
      [[fallthrough]];
    case store::ValueType::real:
      cell.real = row.real(column);
      [[fallthrough]];
    case store::ValueType::text:
      // NOTE: last, since it converts the value in place.
      cell.text = shortened(row.text(column), limit);
      break;
  }
  return cell;
}

}  // namespace

Result<SqlTable> run_sql(const store::SessionReader& session,
                         std::string_view sql,
                         const SqlLimits& limits) {
  K3_TRY_VOID(session.ensure_totals());
  K3_TRY(Statement query, session.database().prepare_query(sql));
  const store::QueryLimit limit(session.database(), limits.seconds, limits.stop);
  SqlTable table;
  for (int i = 0; i < query.num_columns(); ++i)
    table.columns.emplace_back(query.column_name(i));
  while (true) {
    Result<bool> more = query.next();
    if (!more && more.error().code == Code::cancelled && !limits.stop.stop_requested()) {
      return fail(Code::invalid_input,
                  fmt::format("the query took longer than {} s; ask for less", limits.seconds),
                  session.path().string());
    }
    if (!more) return tl::unexpected(std::move(more).error());
    if (!*more) return table;
    if (table.rows.size() == limits.rows) {
      table.cut = true;
      return table;
    }
    std::vector<SqlCell>& cells = table.rows.emplace_back();
    for (int i = 0; i < query.num_columns(); ++i)
      cells.push_back(cell(query, i, limits.cell_bytes));
  }
}

}  // namespace k3::query
