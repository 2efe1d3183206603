#pragma once

#include <cstddef>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "profiler/store/session_reader.h"

namespace k3::query {

struct SqlLimits {
  std::size_t rows = 1000;
  std::size_t cell_bytes = 200;
  double seconds = 60;
  std::stop_token stop = {};
};

/// What a statement yields, as text. NULL is "NULL", a blob its size; long cells end in "…".
struct SqlTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  bool cut = false;  ///< there were more rows than SqlLimits::rows
};

/// One reading statement over the tables of README.md in profiler/store.
/// Errors: invalid_input for anything that is not a plain query (writing, ATTACH, changing PRAGMA),
/// for SQL errors, and when the time limit is reached; cancelled once `stop` is requested
Result<SqlTable> run_sql(const store::SessionReader& session,
                         std::string_view sql,
                         const SqlLimits& limits = {});

}  // namespace k3::query
