#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/base/units.h"

namespace k3 {

/// Quantities as people write them: a number, an optional blank, a unit. All are finite and not
/// negative. Errors: no unit, an unknown unit, no number; the message names a text that would be
/// right. `where` is left to the caller.

Result<Bytes> parse_bytes(std::string_view text);          ///< "16 GiB", "3 GB", "128 KiB", "40 B"
Result<Bandwidth> parse_bandwidth(std::string_view text);  ///< "900 GB/s", "8 TB/s", "1 GiB/s"
Result<Time> parse_time(std::string_view text);            ///< "1.5 us", "500 ns", "2 ms"; bare "0"
Result<FlopRate> parse_flop_rate(std::string_view text);   ///< "2.5 PFLOP/s", "989 TFLOP/s"
/// "4096", "128 Ki", "1 Mi", "2 k"; a whole number after multiplying out.
Result<std::int64_t> parse_count(std::string_view text);

/// For people: at most four significant digits and the unit that keeps the number small. Memory is
/// binary
/// ("17.5 GiB"), everything else decimal.
std::string format_bytes(Bytes size);
std::string format_bandwidth(Bandwidth rate);
std::string format_time(Time time);
std::string format_flop_rate(FlopRate rate);
/// All digits, in groups of three: "1,560,860,324,864".
std::string format_count(std::int64_t count);

}  // namespace k3
