#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "profiler/store/database.h"
#include "profiler/store/session_reader.h"

namespace k3::query {

struct SqlLimits {
  std::size_t rows = 1000;
  std::size_t cell_bytes = 200;
  double seconds = 60;
  std::stop_token stop = {};
};

/// One value. `text` is what people read: NULL is "NULL", a blob its size, and a long text ends in
/// "…".
struct SqlCell {
  store::ValueType type = store::ValueType::null;
  std::string text;
  std::int64_t integer = 0;  ///< of an integer; of a blob its bytes
  double real = 0;           ///< of an integer or a real
};

/// What a statement yields.
struct SqlTable {
  std::vector<std::string> columns;
  std::vector<std::vector<SqlCell>> rows;
  bool cut = false;  ///< there were more rows than SqlLimits::rows
};

/// One reading statement over the tables of README.md in profiler/store.
/// Errors: invalid_input for anything that is not a plain query (writing, ATTACH, changing PRAGMA),
/// for SQL errors, and when the time limit is reached; cancelled once `stop` is requested
Result<SqlTable> run_sql(const store::SessionReader& session,
                         std::string_view sql,
                         const SqlLimits& limits = {});

}  // namespace k3::query
