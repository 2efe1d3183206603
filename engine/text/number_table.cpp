#include "engine/text/number_table.h"

#include <charconv>
#include <cmath>

#include <fmt/core.h>

#include "engine/text/file.h"
#include "engine/text/printable.h"

namespace k3 {
namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// One line: its cells are appended to the table. Returns their number.
Result<int> read_row(std::string_view line, const std::string& where, std::vector<double>& out) {
  int cells = 0;
  for (std::size_t begin = 0; begin <= line.size(); ++cells) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    const std::string_view cell = trimmed(line.substr(begin, end - begin));
    double value = 0;
    const auto [stop, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error != std::errc() || stop != cell.data() + cell.size() || !std::isfinite(value)) {
      return fail(Code::invalid_input,
                  cell.empty() ? "an empty cell; must be a number"
                               : fmt::format("`{:.40}` is no number; the table has no header and "
                                             "commas between numbers",
                                             printable(cell)),
                  fmt::format("{}:{}", where, begin + 1));
    }
    out.push_back(value);
    begin = end + 1;
  }
  return cells;
}

}  // namespace

Result<NumberTable> parse_number_table(std::string_view text, const std::string& where) {
  NumberTable table;
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  text = text.substr(0, last == std::string_view::npos ? 0 : last + 1);
  if (text.empty()) {
    return fail(Code::invalid_input, "is empty; must hold rows of numbers with commas between them",
                where);
  }
  for (std::size_t begin = 0; begin <= text.size(); ++table.rows) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string place = fmt::format("{}:{}", where, table.rows + 1);
    K3_TRY(const int cells, read_row(text.substr(begin, end - begin), place, table.values));
    if (table.rows == 0) table.columns = cells;
    if (cells != table.columns) {
      return fail(Code::invalid_input,
                  fmt::format("has {} numbers; every row must have {} like the first", cells,
                              table.columns),
                  place);
    }
    begin = end + 1;
  }
  return table;
}

Result<NumberTable> read_number_table(const std::filesystem::path& path) {
  K3_TRY(const std::string text, read_text_file(path));
  return parse_number_table(text, path.string());
}

}  // namespace k3
