#include "engine/weights/safetensors.h"

#include <cstring>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/base/rng.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/engine_weights/small_model.h"

namespace k3::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kTwo =
    R"({"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
    R"("b":{"dtype":"BF16","shape":[3,1],"data_offsets":[8,14]}})";

TEST(Safetensors, ReadsTensorsInPlace) {
  const TempDir folder;
  const float stored[] = {1.5F, -2.0F};
  std::string data(14, '\x3f');
  std::memcpy(data.data(), stored, 8);
  write_raw(folder / "x.safetensors", kTwo, data);
  const auto file = SafetensorsFile::open(folder / "x.safetensors");
  ASSERT_TRUE(file) << file.error().text();
  EXPECT_EQ(file->tensors().size(), 2U);
  const auto a = file->view("a");
  ASSERT_TRUE(a);
  EXPECT_EQ(a->dtype, DType::f32);
  EXPECT_THAT(a->shape, ElementsAre(2));
  EXPECT_EQ(std::memcmp(a->data, stored, 8), 0);
  const auto b = file->view("b");
  ASSERT_TRUE(b);
  EXPECT_EQ(b->dtype, DType::bf16);
  EXPECT_EQ(b->bytes(), 6);
  EXPECT_EQ(b->data[5], std::byte{0x3f});
  EXPECT_EQ(file->view("c").error().code, Code::not_found);
}

TEST(Safetensors, KnowsTypesThatItCannotShow) {
  const TempDir folder;
  write_raw(folder / "x", R"({"a":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[0,2]}})", "12");
  const auto file = SafetensorsFile::open(folder / "x");
  ASSERT_TRUE(file) << file.error().text();
  EXPECT_EQ(file->view("a").error().code, Code::unsupported);
}

TEST(Safetensors, EmptyTensorsAndScalarsAreFine) {
  const TempDir folder;
  write_raw(folder / "x",
            R"({"e":{"dtype":"F32","shape":[0,7],"data_offsets":[0,0]},)"
            R"("s":{"dtype":"U8","shape":[],"data_offsets":[0,1]}}  )",
            "1");
  const auto file = SafetensorsFile::open(folder / "x");
  ASSERT_TRUE(file) << file.error().text();
  EXPECT_EQ(file->view("e")->bytes(), 0);
  EXPECT_EQ(file->view("s")->bytes(), 1);
}

struct BadCase {
  std::string header;
  std::string data;
  std::string message;
};

TEST(Safetensors, NamesWhatIsWrong) {
  const auto one = [](const std::string& entry) { return R"({"w":)" + entry + "}"; };
  const std::vector<BadCase> cases{
      {"{", "", "header"},
      {"[]", "", "must be an object"},
      {R"({"w":1,"w":2})", "", "w"},
      {one("7"), "", "no dtype"},
      {one(R"({"dtype":"F33","shape":[1],"data_offsets":[0,4]})"), "1234", "unknown dtype F33"},
      {one(R"({"dtype":"F32","data_offsets":[0,4]})"), "1234", "shape must be"},
      {one(R"({"dtype":"F32","shape":[-1],"data_offsets":[0,4]})"), "1234", "shape must be"},
      {one(R"({"dtype":"F32","shape":[1.5],"data_offsets":[0,4]})"), "1234", "shape must be"},
      {one(R"({"dtype":"F32","shape":[1],"data_offsets":[0]})"), "1234", "two ascending"},
      {one(R"({"dtype":"F32","shape":[1],"data_offsets":[4,0]})"), "1234", "two ascending"},
      {one(R"({"dtype":"F32","shape":[2],"data_offsets":[0,4]})"), "1234", "need 8"},
      {one(R"({"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]})"), "", "overf"},
      {one(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8]})"), "1234", "truncated"},
      {R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
       R"("b":{"dtype":"U8","shape":[4],"data_offsets":[3,7]}})",
       "1234567", "a and b overlap"}};
  const TempDir folder;
  for (const BadCase& bad : cases) {
    write_raw(folder / "bad", bad.header, bad.data);
    const auto file = SafetensorsFile::open(folder / "bad");
    ASSERT_FALSE(file) << bad.header;
    EXPECT_EQ(file.error().code, Code::corrupt) << bad.header;
    EXPECT_THAT(file.error().text(), HasSubstr(bad.message));
    EXPECT_THAT(file.error().text(), HasSubstr("bad"));
    EXPECT_EQ(file.error().text().find('\n'), std::string::npos);
  }
}

TEST(Safetensors, RefusesFilesThatAreNone) {
  const TempDir folder;
  EXPECT_EQ(SafetensorsFile::open(folder / "absent").error().code, Code::not_found);
  EXPECT_FALSE(SafetensorsFile::open(folder.path()));
  write_text(folder / "empty", "");
  EXPECT_EQ(SafetensorsFile::open(folder / "empty").error().code, Code::corrupt);
  write_text(folder / "short", "1234567");
  EXPECT_EQ(SafetensorsFile::open(folder / "short").error().code, Code::corrupt);
  write_text(folder / "text", "this is certainly not a checkpoint");
  EXPECT_THAT(SafetensorsFile::open(folder / "text").error().text(), HasSubstr("header length"));
}

/// Every tensor's bytes are read: a view that reaches outside would be caught by a sanitizer.
void touch_everything(const SafetensorsFile& file) {
  for (const StoredTensor& tensor : file.tensors()) {
    const auto view = file.view(tensor.name);
    if (!view) continue;
    unsigned sum = 0;
    for (std::int64_t i = 0; i < view->bytes(); ++i)
      sum += std::to_integer<unsigned>(view->data[i]);
    EXPECT_LE(sum, 255U * static_cast<unsigned>(view->bytes()));
  }
}

TEST(Safetensors, MutatedFilesNeverCrash) {
  const TempDir folder;
  write_raw(folder / "good", kTwo, "12345678901234");
  std::ifstream stream(folder / "good", std::ios::binary);
  const std::string good{std::istreambuf_iterator<char>(stream), {}};
  Rng rng(7);
  int accepted = 0;
  int refused = 0;
  for (int round = 0; round < 600; ++round) {
    std::string bytes = good;
    const std::uint64_t changes = 1 + rng.next() % 3;
    for (std::uint64_t i = 0; i < changes; ++i) {
      // Half of the changes put in a character that means something in a header.
      constexpr std::string_view kTelling = "0123456789-{}[]\",:eFU";
      const std::size_t place = rng.next() % bytes.size();
      bytes[place] = rng.next() % 2 == 0 ? static_cast<char>(rng.next())
                                         : kTelling[rng.next() % kTelling.size()];
    }
    if (rng.next() % 8 == 0) bytes.resize(rng.next() % bytes.size());
    write_text(folder / "mutated", bytes);
    const auto file = SafetensorsFile::open(folder / "mutated");
    if (file) {
      touch_everything(*file);
      ++accepted;
    } else {
      EXPECT_FALSE(file.error().message.empty());
      ++refused;
    }
  }
  EXPECT_GT(accepted, 20);  // changed values or names
  EXPECT_GT(refused, 200);
}

}  // namespace
}  // namespace k3::test
