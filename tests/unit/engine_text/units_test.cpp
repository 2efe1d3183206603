#include "engine/text/units.h"

#include <gtest/gtest.h>

namespace k3 {
namespace {

TEST(ParseBytes, KnowsBinaryAndDecimalUnits) {
  EXPECT_EQ(parse_bytes("16 GiB")->count, std::int64_t{16} << 30);
  EXPECT_EQ(parse_bytes("3 GB")->count, 3'000'000'000);
  EXPECT_EQ(parse_bytes("128KiB")->count, 131072);
  EXPECT_EQ(parse_bytes(" 1.5 MiB ")->count, 1572864);
  EXPECT_EQ(parse_bytes("0 B")->count, 0);
}

TEST(ParseBandwidth, IsDecimal) {
  EXPECT_EQ(parse_bandwidth("900 GB/s")->bytes_per_second, 9e11);
  EXPECT_EQ(parse_bandwidth("8 TB/s")->bytes_per_second, 8e12);
}

TEST(ParseTime, KeepsPicoseconds) {
  EXPECT_EQ(parse_time("1.5 us")->ps, 1'500'000);
  EXPECT_EQ(parse_time("500 ns")->ps, 500'000);
  EXPECT_EQ(parse_time("2 ms")->ps, 2'000'000'000);
  EXPECT_EQ(parse_time("0")->ps, 0);
}

TEST(ParseFlopRate, KnowsPetaflops) {
  EXPECT_EQ(parse_flop_rate("2.5 PFLOP/s")->per_second, 2.5e15);
  EXPECT_EQ(parse_flop_rate("989 TFLOP/s")->per_second, 989e12);
}

TEST(ParseCount, KnowsBinaryPrefixes) {
  EXPECT_EQ(*parse_count("128 Ki"), 131072);
  EXPECT_EQ(*parse_count("1 Mi"), 1048576);
  EXPECT_EQ(*parse_count("4096"), 4096);
  EXPECT_EQ(*parse_count("2.5 k"), 2500);
}

TEST(ParseUnits, SaysWhatWouldBeRight) {
  EXPECT_EQ(parse_bandwidth("900").error().text(),
            "`900` has no unit; write a bandwidth like \"900 GB/s\"");
  EXPECT_EQ(parse_time("5").error().text(), "`5` has no unit; write a time like \"1.5 us\"");
  EXPECT_EQ(parse_bytes("GiB").error().text(), "`GiB` has no number; write a size like \"16 GiB\"");
  EXPECT_EQ(parse_bytes("-1 GB").error().text(),
            "`-1 GB` is negative; write a size like \"16 GiB\"");
  EXPECT_EQ(parse_time("3 parsec").error().text(),
            "`3 parsec` has the unknown unit `parsec` (known: ps, ns, us, µs, ms, s); write a time "
            "like \"1.5 us\"");
  EXPECT_EQ(parse_count("0.3").error().text(),
            "`0.3` is not a whole number; write a count like \"128 Ki\"");
}

TEST(ParseUnits, RefusesWhatDoesNotFit) {
  for (const char* text : {"1e300 TiB", "1e999 B", "inf B", "nan B", "", "99999999 TiB"}) {
    EXPECT_FALSE(parse_bytes(text)) << text;
  }
  EXPECT_FALSE(parse_count("9007199254740994 k"));
}

TEST(FormatUnits, KeepsTheNumberSmall) {
  EXPECT_EQ(format_bytes({std::int64_t{35} << 29}), "17.5 GiB");
  EXPECT_EQ(format_bytes({12}), "12 B");
  EXPECT_EQ(format_bandwidth({9e11}), "900 GB/s");
  EXPECT_EQ(format_time({1'500'000}), "1.5 us");
  EXPECT_EQ(format_flop_rate({2.5e15}), "2.5 PFLOP/s");
  EXPECT_EQ(format_count(1560860324864), "1,560,860,324,864");
  EXPECT_EQ(format_count(-1000), "-1,000");
  EXPECT_EQ(format_count(999), "999");
}

}  // namespace
}  // namespace k3
