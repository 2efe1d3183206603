#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace k3::exporter {

// Numbers as text, appended: formatting through a library takes longer than everything else here.

template <std::integral T>
void append_integer(T value, std::string& out) {
  std::array<char, 24> digits;
  out.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
}

/// Microseconds with three decimals, exactly.
inline void append_micros(std::int64_t ns, std::string& out) {
  auto magnitude = static_cast<std::uint64_t>(ns);
  if (ns < 0) {
    out += '-';
    magnitude = 0 - magnitude;
  }
  append_integer(magnitude / 1000, out);
  const auto rest = static_cast<unsigned>(magnitude % 1000);
  const std::array<char, 4> decimals{'.', static_cast<char>('0' + rest / 100),
                                     static_cast<char>('0' + rest / 10 % 10),
                                     static_cast<char>('0' + rest % 10)};
  out.append(decimals.data(), decimals.size());
}

/// The shortest text that reads back to the same double; what is no number is `none`.
inline void append_real(double value, std::string_view none, std::string& out) {
  if (!std::isfinite(value)) {
    out += none;
    return;
  }
  std::array<char, 32> digits;
  out.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
}

}  // namespace k3::exporter
