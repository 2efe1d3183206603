#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/weights/safetensors.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/engine_weights/small_model.h"

namespace k3::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kIndex = "model.safetensors.index.json";

void write_shard(const std::filesystem::path& path, std::string_view tensor, char value) {
  write_raw(path,
            R"({")" + std::string(tensor) + R"(":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
            std::string(1, value));
}

TEST(Checkpoint, ReadsASingleFileByFolderOrByName) {
  const TempDir folder;
  write_shard(folder / "model.safetensors", "w", 'x');
  for (const std::filesystem::path& path : {folder.path(), folder / "model.safetensors"}) {
    const auto checkpoint = Checkpoint::open(path);
    ASSERT_TRUE(checkpoint) << checkpoint.error().text();
    EXPECT_THAT(checkpoint->names(), ElementsAre("w"));
    EXPECT_EQ(checkpoint->view("w")->data[0], std::byte{'x'});
    EXPECT_EQ(checkpoint->view("v").error().code, Code::not_found);
  }
}

TEST(Checkpoint, OpensShardsWhenTheyAreNeeded) {
  const TempDir folder;
  write_shard(folder / "one.safetensors", "a", '1');
  write_text(folder / "two.safetensors", "broken");
  write_text(folder / kIndex,
             R"({"metadata":{},"weight_map":{"b":"two.safetensors","a":"one.safetensors"}})");
  const auto checkpoint = Checkpoint::open(folder.path());
  ASSERT_TRUE(checkpoint) << checkpoint.error().text();
  EXPECT_THAT(checkpoint->names(), ElementsAre("a", "b"));
  EXPECT_EQ(checkpoint->view("a")->data[0], std::byte{'1'});
  const auto broken = checkpoint->view("b");
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, Code::corrupt);
  EXPECT_THAT(broken.error().text(), HasSubstr("two.safetensors"));
}

TEST(Checkpoint, NamesAMissingShardOrTensor) {
  const TempDir folder;
  write_text(folder / kIndex, R"({"weight_map":{"a":"one.safetensors"}})");
  const auto missing = Checkpoint::open(folder.path());
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Code::not_found);
  EXPECT_THAT(missing.error().text(), HasSubstr("one.safetensors"));
  write_shard(folder / "one.safetensors", "other", '1');
  const auto checkpoint = Checkpoint::open(folder.path());
  ASSERT_TRUE(checkpoint);
  const auto view = checkpoint->view("a");
  ASSERT_FALSE(view);
  EXPECT_EQ(view.error().code, Code::corrupt);
  EXPECT_THAT(view.error().text(), HasSubstr("no tensor a"));
}

TEST(Checkpoint, RefusesAnIndexThatIsNone) {
  const TempDir folder;
  write_shard(folder / "one.safetensors", "a", '1');
  for (const char* text : {"{", "[]", R"({"weight_map":[]})", R"({"weight_map":{"a":1}})",
                           R"({"weight_map":{"a":"../one.safetensors"}})",
                           R"({"weight_map":{"a":".."}})", R"({"weight_map":{"a":""}})",
                           R"({"weight_map":{"a":"one.safetensors","a":"one.safetensors"}})"}) {
    write_text(folder / kIndex, text);
    const auto checkpoint = Checkpoint::open(folder.path());
    ASSERT_FALSE(checkpoint) << text;
    EXPECT_THAT(checkpoint.error().text(), HasSubstr("index.json")) << text;
  }
}

TEST(Checkpoint, SaysWhatAFolderShouldHold) {
  const TempDir folder;
  const auto empty = Checkpoint::open(folder.path());
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().code, Code::not_found);
  EXPECT_THAT(empty.error().text(), HasSubstr("model.safetensors"));
  EXPECT_EQ(Checkpoint::open(folder / "absent").error().code, Code::not_found);
}

}  // namespace
}  // namespace k3::test
