#include "profiler/visual/numbers.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace k3::visual {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

struct Case {
  double value;
  std::string expected;
};

TEST(Number, HasThreeSignificantDigits) {
  const std::vector<Case> cases{
      {0, "0"},
      {-0.0, "0"},
      {1, "1.00"},
      {-1.306, "-1.31"},
      {12.345, "12.3"},
      {99.96, "100"},
      {0.9996, "1.00"},
      {999.6, "1\u202f000"},
      {12345, "12\u202f300"},
      {-1234567, "-1\u202f230\u202f000"},
      {0.000123456, "0.000123"},
      {0.0000123456, "1.23e-5"},
      {1.5e14, "150\u202f000\u202f000\u202f000\u202f000"},
      {1.5e15, "1.50e15"},
      {std::numeric_limits<double>::max(), "1.80e308"},
      {5e-324, "4.94e-324"},
      {kNan, "–"},
      {kInf, "∞"},
      {-kInf, "-∞"},
  };
  for (const Case& c : cases)
    EXPECT_EQ(number(c.value), c.expected) << c.value;
}

TEST(Count, KeepsAllDigits) {
  EXPECT_EQ(counted(0, "pair"), "0 pairs");
  EXPECT_EQ(counted(1, "pair"), "1 pair");
  EXPECT_EQ(counted(12300, "pair"), "12\u202f300 pairs");
  EXPECT_EQ(counted(1, "PCIe switch"), "1 PCIe switch");
  EXPECT_EQ(counted(2, "PCIe switch"), "2 PCIe switches");
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(-1000), "-1\u202f000");
  EXPECT_EQ(count_text(104189614848), "104\u202f189\u202f614\u202f848");
  EXPECT_EQ(count_text(std::numeric_limits<std::int64_t>::min()),
            "-9\u202f223\u202f372\u202f036\u202f854\u202f775\u202f808");
  EXPECT_EQ(text_of(Quantity::count, 1234), "1\u202f234");
  EXPECT_EQ(text_of(Quantity::count, 12.5), "12.5");
  EXPECT_EQ(text_of(Quantity::count, 1e300), "1.00e300");
}

TEST(Time, ChoosesTheUnitBySize) {
  const std::vector<Case> cases{
      {0, "0 s"},
      {1.1e-12, "0.00110 ns"},
      {4.2e-9, "4.20 ns"},
      {999.4e-9, "999 ns"},
      {999.6e-9, "1.00 µs"},
      {412e-6, "412 µs"},
      {-0.0312, "-31.2 ms"},
      {24.36, "24.4 s"},
      {86400, "86\u202f400 s"},
      {kNan, "–"},
      {kInf, "∞ s"},
  };
  for (const Case& c : cases)
    EXPECT_EQ(text_of(Quantity::time, c.value), c.expected) << c.value;
}

TEST(Unit, IsTheSameForAWholeColumn) {
  const std::vector<double> column{kNan, 3e-6, 0.0412, kInf, 0};
  const Unit unit = unit_for(Quantity::time, column);
  EXPECT_EQ(unit.symbol, "ms");
  EXPECT_EQ(number_in(column[1], unit), "0.00300");
  EXPECT_EQ(number_in(column[2], unit), "41.2");
  EXPECT_EQ(number_in(column[0], unit), "–");
  EXPECT_EQ(number_in(column[3], unit), "∞");
}

TEST(Unit, OfAColumnWithoutValuesIsTheBaseUnit) {
  EXPECT_EQ(unit_for(Quantity::time, std::vector<double>{}).symbol, "s");
  EXPECT_EQ(unit_for(Quantity::bytes, std::vector<double>{kNan, 0}).symbol, "B");
}

TEST(Quantities, KeepTheirOwnUnits) {
  struct Row {
    Quantity quantity;
    double value;
    std::string expected;
  };

  const std::vector<Row> rows{
      {Quantity::bytes, 0, "0 B"},
      {Quantity::bytes, 3696, "3.70 kB"},
      {Quantity::bytes, 75.3e9, "75.3 GB"},
      {Quantity::bytes, 4e15, "4\u202f000 TB"},
      {Quantity::memory, 192.0 * (1 << 30), "192 GiB"},
      {Quantity::memory, 1 << 20, "0.000977 GiB"},
      {Quantity::bandwidth, 900e9, "900 GB/s"},
      {Quantity::bandwidth, 130e12, "130\u202f000 GB/s"},
      {Quantity::flop_rate, 2.5e15, "2\u202f500 TFLOP/s"},
      {Quantity::ratio, 1.306, "1.31×"},
      {Quantity::ratio, kNan, "–"},
      {Quantity::share, 0.1239, "12.4 %"},
      {Quantity::share, 1, "100 %"},
      {Quantity::share, 0.00126, "0.13 %"},
      {Quantity::share, 0.00001, "< 0.01 %"},
      {Quantity::share, -0.00001, "> -0.01 %"},
      {Quantity::share, 0, "0 %"},
      {Quantity::plain, 2.5, "2.50"},
  };
  for (const Row& row : rows)
    EXPECT_EQ(text_of(row.quantity, row.value), row.expected);
}

}  // namespace
}  // namespace k3::visual
