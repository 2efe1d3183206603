#include "engine/text/number_table.h"

#include <gtest/gtest.h>

namespace k3 {
namespace {

TEST(NumberTable, ReadsRows) {
  const auto table = parse_number_table("1, 2.5,\t-3\r\n4e2,5,6\n\n", "m.csv");
  ASSERT_TRUE(table) << table.error().text();
  EXPECT_EQ(table->rows, 2);
  EXPECT_EQ(table->columns, 3);
  EXPECT_EQ(table->values, (std::vector<double>{1, 2.5, -3, 400, 5, 6}));
  EXPECT_EQ(table->at(1, 0), 400);
}

TEST(NumberTable, SaysWhatIsWrongAndWhere) {
  const auto error_of = [](std::string_view text) {
    const auto table = parse_number_table(text, "m.csv");
    return table ? std::string("read") : table.error().text();
  };
  EXPECT_EQ(error_of(""), "m.csv: is empty; must hold rows of numbers with commas between them");
  EXPECT_EQ(error_of("\n \n"), error_of(""));
  EXPECT_EQ(error_of("1,2\n3\n"), "m.csv:2: has 1 numbers; every row must have 2 like the first");
  EXPECT_EQ(error_of("1,2\n\n3,4"), "m.csv:2:1: an empty cell; must be a number");
  EXPECT_EQ(error_of("1,\n"), "m.csv:1:3: an empty cell; must be a number");
  EXPECT_EQ(error_of("src,dst\n"),
            "m.csv:1:1: `src` is no number; the table has no header and commas between numbers");
  EXPECT_EQ(error_of("1,2x"),
            "m.csv:1:3: `2x` is no number; the table has no header and commas between numbers");
  EXPECT_EQ(error_of("inf"),
            "m.csv:1:1: `inf` is no number; the table has no header and commas between numbers");
  EXPECT_NE(error_of("1e999"), "read");
}

}  // namespace
}  // namespace k3
