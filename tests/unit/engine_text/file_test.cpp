#include "engine/text/file.h"

#include <fstream>

#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"

namespace k3 {
namespace {

TEST(ReadTextFile, ReadsTheWholeFile) {
  const test::TempDir dir;
  const std::string text = std::string(100000, 'x') + '\0' + "end\n";
  std::ofstream(dir / "a.txt", std::ios::binary) << text;
  const auto read = read_text_file(dir / "a.txt");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(*read, text);
}

TEST(ReadTextFile, SkipsAByteOrderMark) {
  const test::TempDir dir;
  const auto read = [&](const std::string& text) {
    std::ofstream(dir / "a.txt", std::ios::binary) << text;
    return read_text_file(dir / "a.txt").value();
  };
  EXPECT_EQ(read("\xef\xbb\xbf"
                 "1,2\n"),
            "1,2\n");
  EXPECT_EQ(read("\xef\xbb\xbf"), "");
  EXPECT_EQ(read("\xef\xbb"), "\xef\xbb");
  EXPECT_EQ(read("x\xef\xbb\xbf"), "x\xef\xbb\xbf");
}

TEST(ReadTextFile, GivesTheSystemsReason) {
  const test::TempDir dir;
  const auto missing = read_text_file(dir / "none.txt");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Code::not_found);
  EXPECT_EQ(missing.error().text(),
            (dir / "none.txt").string() + ": cannot read: No such file or directory");
  const auto folder = read_text_file(dir.path());
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().message, "cannot read: Is a directory");
}

}  // namespace
}  // namespace k3
