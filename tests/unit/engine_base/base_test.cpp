#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "engine/base/atomic_file.h"
#include "engine/base/rng.h"
#include "engine/base/text_table.h"
#include "engine/base/units.h"
#include "tests/support/temp_dir.h"

namespace k3 {
namespace {

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Error, ReadsAsPlaceThenContextThenMessage) {
  const Error error{Code::invalid_input, "0 ranks; at least 1", "a.toml:3:9"};
  EXPECT_EQ(error.text(), "a.toml:3:9: 0 ranks; at least 1");
  EXPECT_EQ(Error(error).with("loading").text(), "a.toml:3:9: loading: 0 ranks; at least 1");
  EXPECT_EQ(Error(error).at("b").where, "b: a.toml:3:9");
}

TEST(Units, TimeRoundsToTheNearestPicosecond) {
  EXPECT_EQ(Time::from_seconds(1.5e-6), Time{1'500'000});
  EXPECT_EQ(Time::from_seconds(-1.5e-6), Time{-1'500'000});
  EXPECT_EQ((3_us + 2_ns).ns(), 3002);
  EXPECT_EQ(Time{1499}.ns(), 1);
  EXPECT_EQ(Time{1500}.ns(), 2);
}

TEST(Units, MovingNothingTakesNoTimeAtAnyRate) {
  EXPECT_EQ(seconds_to_move(Bytes{0}, Bandwidth{0}), 0.0);
  EXPECT_EQ(seconds_to_move(Bytes{9'000'000'000}, 900_GBps), 0.01);
}

TEST(Rng, SplitDependsOnSeedAndNameOnly) {
  Rng used(7);
  used.next();
  EXPECT_NE(Rng(7).split("a").next(), Rng(7).split("b").next());
  EXPECT_NE(Rng(7).split("a").next(), Rng(8).split("a").next());
  EXPECT_EQ(Rng(7).split("a").next(), Rng(7).split("a").next());
  EXPECT_NE(used.next(), Rng(7).next());
}

TEST(TextTable, AlignsByCharactersNotBytes) {
  TextTable table({"kind", "time/µs"});
  table.add_row({"µ", "1.5"});
  table.add_row({"dispatch", "12"});
  EXPECT_EQ(table.text(), "kind      time/µs\nµ             1.5\ndispatch       12\n");
}

TEST(AtomicFile, RefusesToOverwriteUnlessForced) {
  const test::TempDir dir;
  const auto path = dir / "out.txt";
  ASSERT_TRUE(write_file_atomically(path, "one", Overwrite::no));
  const Result<void> again = write_file_atomically(path, "two", Overwrite::no);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, Code::invalid_input);
  EXPECT_EQ(content(path), "one");
  ASSERT_TRUE(write_file_atomically(path, "two", Overwrite::yes));
  EXPECT_EQ(content(path), "two");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir.path()), {}), 1);
}

TEST(AtomicFile, NamesAFolderThatIsNotThere) {
  const test::TempDir dir;
  const Result<void> result = write_file_atomically(dir / "no/out.txt", "x", Overwrite::no);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().text(),
            (dir / "no").string() + ": folder does not exist; create it first");
}

}  // namespace
}  // namespace k3
