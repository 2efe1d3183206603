#include "profiler/session/token_file.h"

#include <gtest/gtest.h>

namespace k3::session {
namespace {

std::string error_of(std::string_view text) {
  const Result<TokenLines> lines = parse_token_lines(text, "p.txt", 100);
  return lines ? "" : lines.error().text();
}

TEST(TokenFile, KeepsFileOrderAndAllowsBlanksAroundIds) {
  const Result<TokenLines> lines = parse_token_lines("  3 4\t5 \r\n7\n0 99", "p.txt", 100);
  ASSERT_TRUE(lines) << lines.error().text();
  EXPECT_EQ(*lines, (TokenLines{{3, 4, 5}, {7}, {0, 99}}));
}

TEST(TokenFile, AnEmptyLineIsAnErrorThatNamesIt) {
  EXPECT_EQ(error_of("1 2\n\n3\n"), "p.txt:2: empty line; every line is one sequence of token ids");
  EXPECT_EQ(error_of("1 2\n \n"), "p.txt:2: empty line; every line is one sequence of token ids");
  EXPECT_EQ(error_of(""), "p.txt: empty file; one sequence of token ids per line");
}

TEST(TokenFile, NamesLineAndColumnOfWhatIsNoId) {
  EXPECT_EQ(error_of("1 2\n3 x4"), "p.txt:2:3: `x4` is not a token id; whole numbers from 0 to 99");
  EXPECT_EQ(error_of("1 -2"), "p.txt:1:3: `-2` is not a token id; whole numbers from 0 to 99");
  EXPECT_EQ(error_of("100"), "p.txt:1:1: `100` is not a token id; whole numbers from 0 to 99");
  EXPECT_EQ(error_of("1.5"), "p.txt:1:1: `1.5` is not a token id; whole numbers from 0 to 99");
  EXPECT_EQ(error_of("99999999999999999999"),
            "p.txt:1:1: `99999999999999999999` is not a token id; whole numbers from 0 to 99");
}

}  // namespace
}  // namespace k3::session
