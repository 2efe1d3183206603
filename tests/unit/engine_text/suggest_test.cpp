#include "engine/text/suggest.h"

#include <array>

#include <gtest/gtest.h>

namespace k3 {
namespace {

TEST(EditDistance, CountsInsertionsDeletionsReplacementsAndSwaps) {
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("abc", ""), 3);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("rakns", "ranks"), 1);
}

TEST(Suggestion, NamesTheNearestKnownWordOrAllOfThem) {
  constexpr std::array<std::string_view, 3> kKnown{"ranks", "expert", "attention"};
  EXPECT_EQ(suggestion("rank", kKnown), "did you mean `ranks`?");
  EXPECT_EQ(suggestion("attenton", kKnown), "did you mean `attention`?");
  EXPECT_EQ(suggestion("zzz", kKnown), "known: ranks, expert, attention");
  EXPECT_EQ(suggestion(std::string(100000, 'r'), kKnown), "known: ranks, expert, attention");
}

}  // namespace
}  // namespace k3
