#include "profiler/visual/numbers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include <fmt/core.h>

namespace k3::visual {
namespace {

constexpr std::string_view kNoValue = "–";
// U+202F: as narrow as a thin space, but a number is never broken over two lines there.
constexpr std::string_view kGroupSpace = "\u202f";
constexpr int kLargestPlainExponent = 14;
constexpr int kSmallestPlainExponent = -4;

constexpr std::array kTimeUnits{Unit{"s", 1, Quantity::time}, Unit{"ms", 1e3, Quantity::time},
                                Unit{"µs", 1e6, Quantity::time}, Unit{"ns", 1e9, Quantity::time}};
constexpr std::array kByteUnits{Unit{"TB", 1e-12, Quantity::bytes},
                                Unit{"GB", 1e-9, Quantity::bytes},
                                Unit{"MB", 1e-6, Quantity::bytes},
                                Unit{"kB", 1e-3, Quantity::bytes}, Unit{"B", 1, Quantity::bytes}};

/// "12345" -> "12 345"; `digits` may begin with a sign.
std::string grouped(std::string_view digits) {
  std::string out;
  const std::size_t begin = !digits.empty() && digits.front() == '-' ? 1 : 0;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > begin && (digits.size() - i) % 3 == 0) out += kGroupSpace;
    out += digits[i];
  }
  return out;
}

struct Rounded {
  double value = 0;
  int exponent = 0;  ///< decimal exponent of the first digit
};

/// To three significant digits. Printing decides: 999.6 has exponent 3 as "1.00e+03".
Rounded rounded(double value) {
  const std::string text = fmt::format("{:.2e}", value);
  return {std::strtod(text.c_str(), nullptr), std::atoi(text.c_str() + text.find('e') + 1)};
}

std::string scientific(double value) {
  const std::string text = fmt::format("{:.2e}", value);
  const std::size_t e = text.find('e');
  return text.substr(0, e) + "e" + std::to_string(std::atoi(text.c_str() + e + 1));
}

/// The percent sign carries the size already, so more than two decimals only feign precision.
std::string percent(double percent_value) {
  const double size = std::abs(percent_value);
  if (size > 0 && size < 0.005) return percent_value < 0 ? "> -0.01" : "< 0.01";
  if (size > 0 && size < 1) return fmt::format("{:.2f}", percent_value);
  return number(percent_value);
}

Unit first_that_fits(std::span<const Unit> large_to_small, double largest) {
  for (const Unit& unit : large_to_small) {
    if (std::abs(rounded(largest * unit.scale).value) >= 1) return unit;
  }
  return large_to_small.back();
}

}  // namespace

Unit unit_for(Quantity quantity, double largest) {
  const bool usable = std::isfinite(largest) && largest != 0;
  switch (quantity) {
    case Quantity::time:
      return usable ? first_that_fits(kTimeUnits, largest) : kTimeUnits.front();
    case Quantity::bytes:
      return usable ? first_that_fits(kByteUnits, largest) : kByteUnits.back();
    case Quantity::memory:
      return {"GiB", 1.0 / (1 << 30), quantity};
    case Quantity::bandwidth:
      return {"GB/s", 1e-9, quantity};
    case Quantity::flop_rate:
      return {"TFLOP/s", 1e-12, quantity};
    case Quantity::ratio:
      return {"×", 1, quantity};
    case Quantity::share:
      return {"%", 100, quantity};
    case Quantity::plain:
    case Quantity::count:
      break;
  }
  return {"", 1, quantity};
}

Unit unit_for(Quantity quantity, std::span<const double> column) {
  double largest = 0;
  for (const double v : column) {
    if (std::isfinite(v)) largest = std::max(largest, std::abs(v));
  }
  return unit_for(quantity, largest);
}

std::string number(double value) {
  if (std::isnan(value)) return std::string(kNoValue);
  if (std::isinf(value)) return value < 0 ? "-∞" : "∞";
  if (value == 0) return "0";
  const Rounded r = rounded(value);
  if (r.exponent > kLargestPlainExponent || r.exponent < kSmallestPlainExponent) {
    return scientific(value);
  }
  if (r.exponent >= 2) return grouped(fmt::format("{:.0f}", r.value));
  return fmt::format("{:.{}f}", r.value, 2 - r.exponent);
}

std::string count_text(std::int64_t count) {
  return grouped(std::to_string(count));
}

std::string counted(std::int64_t count, std::string_view noun) {
  const std::string_view ending = count == 1 ? "" : noun.ends_with("ch") ? "es" : "s";
  return fmt::format("{} {}{}", count_text(count), noun, ending);
}

std::string number_in(double value, const Unit& unit) {
  const double shown = value * unit.scale;
  if (!std::isfinite(shown)) return number(shown);
  if (unit.quantity == Quantity::share) return percent(shown);
  constexpr double kLargestExact = 9007199254740992.0;  // 2^53
  if (unit.quantity == Quantity::count && std::trunc(shown) == shown &&
      std::abs(shown) <= kLargestExact) {
    return count_text(static_cast<std::int64_t>(shown));
  }
  return number(shown);
}

std::string text_in(double value, const Unit& unit) {
  std::string text = number_in(value, unit);
  if (unit.symbol.empty() || std::isnan(value)) return text;
  if (unit.quantity != Quantity::ratio) text += ' ';
  return text.append(unit.symbol);
}

std::string text_of(Quantity quantity, double value) {
  return text_in(value, unit_for(quantity, value));
}

}  // namespace k3::visual
