#include <algorithm>
#include <array>
#include <set>

#include <fmt/core.h>

#include "engine/hardware/smi_matrix_internal.h"
#include "engine/text/printable.h"

namespace k3 {
namespace {

/// GPUs and NICs of a host, so that no header asks for the square of a large number.
constexpr std::size_t kMaxColumns = 1024;

/// A line with a row of the matrix or its begin: a label, then a cell.
bool is_row(const SmiLine& line) {
  return line.words.size() > 1 && !is_smi_cell(line.word(0)) && is_smi_cell(line.word(1));
}

/// Where a label like NIC28NIC29 parts into two; 0 if it is one label.
std::size_t seam_of(std::string_view label) {
  for (const std::string_view prefix : {"NIC", "GPU", "mlx5_"}) {
    if (!label.starts_with(prefix)) continue;
    const std::size_t second = label.find(prefix, prefix.size());
    if (second != std::string_view::npos && second > prefix.size()) return second;
  }
  return 0;
}

class MatrixReader {
 public:
  MatrixReader(const std::vector<SmiLine>& lines, const std::string& where)
      : lines_(lines), where_(where) {}

  Result<SmiMatrix> read() {
    at_ = find_smi_header(lines_);
    if (at_ == lines_.size()) {
      return fail(Code::invalid_input,
                  "no header with GPU0 …; the output of `nvidia-smi topo -m` has one", where_);
    }
    K3_TRY_VOID(read_header());
    while (at_ < lines_.size())
      K3_TRY_VOID(read_line());
    K3_TRY_VOID(check_rows());
    return std::move(matrix_);
  }

 private:
  tl::unexpected<Error> fail_at(int line, int column, const std::string& message) const {
    return fail(Code::invalid_input, message, fmt::format("{}:{}:{}", where_, line, column));
  }

  /// Labels up to the affinity columns; a narrow terminal breaks the header into several lines.
  Result<void> read_header() {
    const int begin = lines_[at_].number;
    std::vector<std::string> words;
    do {
      for (const SmiWord& word : lines_[at_].words)
        words.push_back(word.text);
      ++at_;
    } while (at_ < lines_.size() && !lines_[at_].words.empty() && !is_row(lines_[at_]));
    const auto is = [&](std::size_t i, std::string_view word) {
      return i < words.size() && words[i] == word;
    };
    for (std::size_t i = 0; i < words.size();) {
      if (is(i, "CPU") && is(i + 1, "Affinity")) {
        i += 2;
      } else if (is(i, "NUMA") && is(i + 1, "Affinity")) {
        has_numa_ = true;
        i += 2;
      } else if (is(i, "GPU") && is(i + 1, "NUMA") && is(i + 2, "ID")) {
        i += 3;
      } else {
        if (!known_.insert(words[i]).second) {
          return fail_at(begin, 1, fmt::format("two columns `{}`", printable(words[i])));
        }
        matrix_.labels.push_back(words[i++]);
      }
    }
    if (matrix_.labels.size() > kMaxColumns) {
      return fail_at(
          begin, 1,
          fmt::format("{} columns; one host has at most {}", matrix_.labels.size(), kMaxColumns));
    }
    return {};
  }

  Result<void> read_line() {
    const SmiLine& line = lines_[at_++];
    if (line.words.empty()) return {};
    if (number_after("GPU", line.word(0)) >= 0 && !is_row(line) && !matrix_.rows.empty() &&
        number_after("GPU", line.word(1)) >= 0) {
      return fail_at(line.number, line.words[0].column,
                     "a second matrix begins here; give one file per host");
    }
    if (is_row(line)) return read_row(line);
    // NIC Legend: "NIC0: mlx5_0".
    if (line.words.size() == 2 && line.word(0).ends_with(':')) {
      const std::string label(line.word(0).substr(0, line.word(0).size() - 1));
      if (known_.contains(label)) matrix_.names.emplace(label, line.words[1].text);
    }
    return {};
  }

  Result<void> read_row(const SmiLine& line) {
    const std::string& label = line.words[0].text;
    if (!known_.contains(label)) {
      return fail_at(line.number, line.words[0].column,
                     fmt::format("row `{}` has no column in the header", printable(label)));
    }
    SmiMatrix::Row row{line.number, line.words[0].column, {}, "", ""};
    std::size_t next = 1;
    while (is_smi_cell(line.word(next)))
      row.cells.push_back(line.words[next++].text);
    read_affinity(line, next, row);
    // A narrow terminal breaks rows too: the rest begins with a cell.
    while (at_ < lines_.size() && is_smi_cell(lines_[at_].word(0)) &&
           row.cells.size() < matrix_.labels.size() && lines_[at_].word(1) != "=") {
      const SmiLine& rest = lines_[at_++];
      for (next = 0; is_smi_cell(rest.word(next)); ++next)
        row.cells.push_back(rest.words[next].text);
      read_affinity(rest, next, row);
    }
    if (!matrix_.rows.emplace(label, std::move(row)).second) {
      return fail_at(line.number, line.words[0].column,
                     fmt::format("a second row `{}`; give one file per host", printable(label)));
    }
    return {};
  }

  /// CPU and NUMA affinity stand behind the cells. Between tabs they may be empty.
  void read_affinity(const SmiLine& line, std::size_t next, SmiMatrix::Row& row) const {
    if (next >= line.words.size()) return;
    row.cpu_affinity = line.words[next].text;
    if (!has_numa_ || next + 1 >= line.words.size()) return;
    const std::size_t cpu_end =
        static_cast<std::size_t>(line.words[next].column) - 1 + line.words[next].text.size();
    const std::size_t numa = static_cast<std::size_t>(line.words[next + 1].column) - 1;
    const std::string_view between = std::string_view(line.text).substr(cpu_end, numa - cpu_end);
    if (std::ranges::count(between, '\t') <= 1) row.numa_affinity = line.words[next + 1].text;
  }

  /// All rows have as many cells as the header has labels, once glued labels are parted.
  Result<void> check_rows() {
    if (matrix_.rows.empty()) {
      return fail(Code::invalid_input, "a header without rows; is the file complete?", where_);
    }
    std::size_t cells = 0;
    for (const auto& [label, row] : matrix_.rows)
      cells = std::max(cells, row.cells.size());
    if (cells > matrix_.labels.size()) part_glued(cells);
    for (const std::string& label : matrix_.labels) {
      if (seam_of(label) > 0) matrix_.glued.push_back(label);
    }
    for (const auto& [label, row] : matrix_.rows) {
      if (row.cells.size() == matrix_.labels.size()) continue;
      return fail_at(row.line, row.column,
                     fmt::format("row `{}` has {} cells, the header {} columns; is the line "
                                 "complete?",
                                 printable(label), row.cells.size(), matrix_.labels.size()));
    }
    return {};
  }

  void part_glued(std::size_t cells) {
    std::vector<std::string> labels;
    std::size_t lacking = cells - matrix_.labels.size();
    for (const std::string& label : matrix_.labels) {
      const std::size_t seam = lacking > 0 ? seam_of(label) : 0;
      if (seam > 0) {
        labels.push_back(label.substr(0, seam));
        --lacking;
      }
      labels.push_back(label.substr(seam));
    }
    matrix_.labels = std::move(labels);
  }

  const std::vector<SmiLine>& lines_;
  const std::string& where_;
  SmiMatrix matrix_;
  std::set<std::string> known_;  ///< labels as the header has them
  std::size_t at_ = 0;
  bool has_numa_ = false;
};

}  // namespace

bool is_smi_cell(std::string_view word) {
  constexpr std::array<std::string_view, 9> kWords{"X",   "SYS", "NODE", "PHB", "PXB",
                                                   "PIX", "SOC", "PSB",  "C2C"};
  return std::ranges::find(kWords, word) != kWords.end() || number_after("NV", word) >= 0;
}

std::size_t find_smi_header(const std::vector<SmiLine>& lines) {
  // NOTE: a sentence may begin with GPU0 too; a second label has a digit.
  const auto found = std::ranges::find_if(lines, [](const SmiLine& line) {
    const std::string_view second = line.word(1);
    return number_after("GPU", line.word(0)) >= 0 && !is_smi_cell(second) &&
           (second.empty() || second == "CPU" || second == "NUMA" ||
            second.find_first_of("0123456789") != std::string_view::npos);
  });
  return static_cast<std::size_t>(found - lines.begin());
}

Result<SmiMatrix> read_smi_matrix(const std::vector<SmiLine>& lines, const std::string& where) {
  return MatrixReader(lines, where).read();
}

}  // namespace k3
