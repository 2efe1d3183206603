#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "profiler/export/text_values_internal.h"

namespace k3::exporter {

/// A field as RFC 4180 wants it. What is empty is quoted, so that it differs from a value that is
/// not there.
inline void append_csv_text(std::string_view text, std::string& out) {
  const bool plain = !text.empty() && text.find_first_of("\",\r\n") == std::string_view::npos &&
                     text.front() != ' ' && text.back() != ' ';
  if (plain) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

/// The shortest text that reads back to the same double.
inline void append_csv_real(double value, std::string& out) {
  if (std::isinf(value)) {
    out += value < 0 ? "-inf" : "inf";
  } else {
    append_real(value, "nan", out);
  }
}

inline void append_hexadecimal(std::span<const std::byte> bytes, std::string& out) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (const std::byte byte : bytes) {
    const auto value = std::to_integer<unsigned>(byte);
    out += kDigits[value >> 4];
    out += kDigits[value & 15];
  }
}

/// Whole numbers, commas between them, and the end of the line.
template <class First, class... Rest>
void append_csv_integers(std::string& out, First first, Rest... rest) {
  append_integer(first, out);
  ((out += ',', append_integer(rest, out)), ...);
  out += '\n';
}

}  // namespace k3::exporter
