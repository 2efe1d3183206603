#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace k3::visual {

// The number formats of K3Rack, for the command line, reports and the desktop: three significant
// digits, thin no-break spaces between groups of three digits, one unit per column. Values go in as
// SI base units (seconds, bytes, bytes per second, FLOP per second), shares as fractions. What has
// no value (NaN) is written as an en dash, infinity as ∞.

/// What a number measures; decides which units are possible and how it is written.
enum class Quantity : std::uint8_t {
  plain,      ///< no unit
  time,       ///< seconds: ns, µs, ms, s
  bytes,      ///< payload, decimal: B, kB, MB, GB, TB
  memory,     ///< bytes held by a device: GiB, always
  bandwidth,  ///< bytes per second: GB/s, always
  flop_rate,  ///< FLOP per second: TFLOP/s, always
  count,      ///< tokens, tasks, ranks: all digits of a whole number
  ratio,      ///< 1.31×
  share,      ///< a fraction: 12.4 %
};

/// The unit of a column, an axis or one value: number shown = value · scale.
struct Unit {
  std::string_view symbol;
  double scale = 1;
  Quantity quantity = Quantity::plain;
};

/// The unit in which the number of largest magnitude reads best, at least 1 where there is one.
Unit unit_for(Quantity quantity, double largest);

/// The same for a column; NaN and infinities do not count.
Unit unit_for(Quantity quantity, std::span<const double> column);

/// Three significant digits: "0.0123", "1.00", "12 300", "1.23e17".
std::string number(double value);

/// A whole number with all its digits: "104 189 614 848".
std::string count_text(std::int64_t count);

/// A count of things: "0 pairs", "1 pair", "12 300 pairs", "2 switches".
std::string counted(std::int64_t count, std::string_view noun);

/// `value` in `unit`, the unit not written (it stands in the header of the column).
std::string number_in(double value, const Unit& unit);

/// `value` in `unit`, with the unit: "412 ms", "1.31×", "12.4 %".
std::string text_in(double value, const Unit& unit);

/// One value alone, in the unit that suits it.
std::string text_of(Quantity quantity, double value);

}  // namespace k3::visual
