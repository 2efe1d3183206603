#include "engine/text/units.h"

#include <array>
#include <charconv>
#include <cmath>
#include <span>

#include <fmt/core.h>

#include "engine/text/printable.h"

namespace k3 {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

/// What is read: its name for messages, a text that would be right, and its units.
struct Quantity {
  std::string_view name;
  std::string_view example;
  std::span<const Unit> units;
};

constexpr double kKi = 1024.0;
constexpr double kMi = kKi * kKi;
constexpr double kGi = kMi * kKi;
constexpr double kTi = kGi * kKi;

constexpr std::array kByteUnits{Unit{"B", 1},     Unit{"KiB", kKi}, Unit{"MiB", kMi},
                                Unit{"GiB", kGi}, Unit{"TiB", kTi}, Unit{"kB", 1e3},
                                Unit{"KB", 1e3},  Unit{"MB", 1e6},  Unit{"GB", 1e9},
                                Unit{"TB", 1e12}, Unit{"PB", 1e15}};
constexpr std::array kBandwidthUnits{Unit{"B/s", 1},     Unit{"kB/s", 1e3},  Unit{"KB/s", 1e3},
                                     Unit{"MB/s", 1e6},  Unit{"GB/s", 1e9},  Unit{"TB/s", 1e12},
                                     Unit{"KiB/s", kKi}, Unit{"MiB/s", kMi}, Unit{"GiB/s", kGi},
                                     Unit{"TiB/s", kTi}};
constexpr std::array kTimeUnits{Unit{"ps", 1},   Unit{"ns", 1e3}, Unit{"us", 1e6},
                                Unit{"µs", 1e6}, Unit{"ms", 1e9}, Unit{"s", 1e12}};
constexpr std::array kFlopUnits{Unit{"FLOP/s", 1}, Unit{"MFLOP/s", 1e6}, Unit{"GFLOP/s", 1e9},
                                Unit{"TFLOP/s", 1e12}, Unit{"PFLOP/s", 1e15}};
constexpr std::array kCountUnits{Unit{"", 1},    Unit{"Ki", kKi}, Unit{"Mi", kMi}, Unit{"Gi", kGi},
                                 Unit{"k", 1e3}, Unit{"M", 1e6},  Unit{"G", 1e9}};

constexpr Quantity kBytes{"a size", "16 GiB", kByteUnits};
constexpr Quantity kBandwidth{"a bandwidth", "900 GB/s", kBandwidthUnits};
constexpr Quantity kTime{"a time", "1.5 us", kTimeUnits};
constexpr Quantity kFlopRate{"a rate of operations", "2.5 PFLOP/s", kFlopUnits};
constexpr Quantity kCount{"a count", "128 Ki", kCountUnits};

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

tl::unexpected<Error> wrong(std::string_view text,
                            const Quantity& quantity,
                            std::string_view problem) {
  return fail(Code::invalid_input,
              printable(fmt::format("`{:.80}` {}; write {} like \"{}\"", text, problem,
                                    quantity.name, quantity.example)));
}

struct Written {
  double number = 0;
  std::string_view unit;
};

Result<Written> split(std::string_view text, const Quantity& quantity) {
  const std::string_view body = trimmed(text);
  Written written;
  const auto [end, problem] =
      std::from_chars(body.data(), body.data() + body.size(), written.number);
  if (problem == std::errc::result_out_of_range) return wrong(text, quantity, "is out of range");
  if (problem != std::errc() || !std::isfinite(written.number)) {
    return wrong(text, quantity, "has no number");
  }
  if (written.number < 0) return wrong(text, quantity, "is negative");
  written.unit = trimmed(body.substr(static_cast<std::size_t>(end - body.data())));
  return written;
}

/// Value in the quantity's base unit.
Result<double> parse(std::string_view text, const Quantity& quantity) {
  K3_TRY(const Written written, split(text, quantity));
  for (const Unit& unit : quantity.units) {
    if (unit.name == written.unit) return written.number * unit.factor;
  }
  if (written.unit.empty()) return wrong(text, quantity, "has no unit");
  std::string known;
  for (const Unit& unit : quantity.units) {
    if (!unit.name.empty()) known += (known.empty() ? "" : ", ") + std::string(unit.name);
  }
  return wrong(text, quantity,
               fmt::format("has the unknown unit `{:.40}` (known: {})", written.unit, known));
}

/// The same as a whole number of the base unit.
Result<std::int64_t> parse_whole(std::string_view text, const Quantity& quantity) {
  K3_TRY(const double value, parse(text, quantity));
  constexpr double kLimit = 9.2e18;
  if (value > kLimit) return wrong(text, quantity, "is too large");
  return static_cast<std::int64_t>(std::llround(value));
}

std::string scaled(double value, std::span<const Unit> ascending) {
  const Unit* chosen = &ascending.front();
  for (const Unit& unit : ascending) {
    if (std::abs(value) >= unit.factor) chosen = &unit;
  }
  return fmt::format("{:.4g} {}", value / chosen->factor, chosen->name);
}

}  // namespace

Result<Bytes> parse_bytes(std::string_view text) {
  K3_TRY(const std::int64_t count, parse_whole(text, kBytes));
  return Bytes{count};
}

Result<Bandwidth> parse_bandwidth(std::string_view text) {
  K3_TRY(const double rate, parse(text, kBandwidth));
  return Bandwidth{rate};
}

Result<Time> parse_time(std::string_view text) {
  K3_TRY(const Written written, split(text, kTime));
  if (written.unit.empty() && written.number == 0) return Time{};
  K3_TRY(const std::int64_t ps, parse_whole(text, kTime));
  return Time{ps};
}

Result<FlopRate> parse_flop_rate(std::string_view text) {
  K3_TRY(const double rate, parse(text, kFlopRate));
  return FlopRate{rate};
}

Result<std::int64_t> parse_count(std::string_view text) {
  K3_TRY(const double value, parse(text, kCount));
  constexpr double kLargestExact = 0x1p53;
  if (value > kLargestExact) return wrong(text, kCount, "is too large");
  if (value != std::floor(value)) return wrong(text, kCount, "is not a whole number");
  return static_cast<std::int64_t>(value);
}

std::string format_bytes(Bytes size) {
  return scaled(size.value(), std::span(kByteUnits).first(5));
}

std::string format_bandwidth(Bandwidth rate) {
  constexpr std::array kUnits{Unit{"B/s", 1}, Unit{"kB/s", 1e3}, Unit{"MB/s", 1e6},
                              Unit{"GB/s", 1e9}, Unit{"TB/s", 1e12}};
  return scaled(rate.bytes_per_second, kUnits);
}

std::string format_time(Time time) {
  constexpr std::array kUnits{Unit{"ns", 1e3}, Unit{"us", 1e6}, Unit{"ms", 1e9}, Unit{"s", 1e12}};
  return scaled(static_cast<double>(time.ps), kUnits);
}

std::string format_flop_rate(FlopRate rate) {
  return scaled(rate.per_second, kFlopUnits);
}

std::string format_count(std::int64_t count) {
  std::string digits = std::to_string(count);
  const std::size_t first = count < 0 ? 1 : 0;
  for (std::size_t i = digits.size(); i > first + 3; i -= 3)
    digits.insert(i - 3, 1, ',');
  return digits;
}

}  // namespace k3
