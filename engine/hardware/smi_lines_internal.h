#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace k3 {

/// A word of a line; the column counts bytes from 1.
struct SmiWord {
  std::string text;
  int column = 0;
};

/// A line of a terminal's output without colours and carriage returns.
struct SmiLine {
  int number = 0;  ///< from 1
  std::string text;
  std::vector<SmiWord> words;  ///< parts between blanks and tabs

  std::string_view word(std::size_t i) const {
    return i < words.size() ? std::string_view(words[i].text) : std::string_view();
  }
};

std::vector<SmiLine> smi_lines(std::string_view text);

/// The number in PREFIX<number>, as in GPU12; −1 if the word is none.
int number_after(std::string_view prefix, std::string_view word);

}  // namespace k3
