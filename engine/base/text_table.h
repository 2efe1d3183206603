#pragma once

#include <string>
#include <vector>

namespace k3 {

/// A table for a terminal: columns as wide as their longest cell, the first left-aligned, the
/// others right-aligned, two blanks between them. Units belong into the header.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header);

  void add_row(std::vector<std::string> cells);

  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace k3
