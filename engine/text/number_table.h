#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace k3 {

/// Numbers in rows of equal length, as comma-separated text without a header.
struct NumberTable {
  int rows = 0;
  int columns = 0;
  std::vector<double> values;  ///< [rows][columns]

  double at(int row, int column) const {
    return values[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
                  static_cast<std::size_t>(column)];
  }
};

/// Blanks around numbers, CRLF and empty lines at the end are allowed. `where` names the text.
/// Errors: line and column of what is not a finite number, of a row with another length; no row
Result<NumberTable> parse_number_table(std::string_view text, const std::string& where);

Result<NumberTable> read_number_table(const std::filesystem::path& path);

}  // namespace k3
