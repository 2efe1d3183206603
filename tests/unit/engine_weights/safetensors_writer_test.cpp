#include "engine/weights/safetensors_writer.h"

#include <array>
#include <cstring>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/weights/safetensors.h"
#include "tests/support/temp_dir.h"

namespace k3::test {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

std::string content(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

const std::array<float, 2> kFloats{1, 2};
const std::array<std::int32_t, 1> kInteger{7};

std::vector<TensorData> two_tensors() {
  return {{{.name = "z", .dtype = DType::f32, .shape = {2, 1}}, std::as_bytes(std::span(kFloats))},
          {{.name = "a", .dtype = DType::i32, .shape = {}}, std::as_bytes(std::span(kInteger))}};
}

TEST(SafetensorsWriter, WritesSortedTensorsWithoutMetadata) {
  const TempDir folder;
  ASSERT_TRUE(write_safetensors(folder / "x", two_tensors(), Overwrite::no));
  const std::string bytes = content(folder / "x");
  const std::string header = R"({"a":{"dtype":"I32","shape":[],"data_offsets":[0,4]},)"
                             R"("z":{"dtype":"F32","shape":[2,1],"data_offsets":[4,12]}})";
  EXPECT_EQ(bytes.substr(8, header.size()), header);
  // The data, 12 bytes, begins at a multiple of 8.
  EXPECT_EQ((bytes.size() - 12) % 8, 0U);
  const std::vector<TensorData> tensors = two_tensors();
  EXPECT_EQ(static_cast<std::int64_t>(bytes.size()),
            SafetensorsWriter::file_bytes({tensors[0].header, tensors[1].header}));
  const auto file = SafetensorsFile::open(folder / "x");
  ASSERT_TRUE(file) << file.error().text();
  EXPECT_EQ(std::memcmp(file->view("z")->data, kFloats.data(), 8), 0);
  EXPECT_EQ(std::memcmp(file->view("a")->data, kInteger.data(), 4), 0);
  EXPECT_EQ(files_in(folder.path()), 1U);
}

TEST(SafetensorsWriter, TheOrderGivenDoesNotMatter) {
  const TempDir folder;
  std::vector<TensorData> tensors = two_tensors();
  ASSERT_TRUE(write_safetensors(folder / "x", tensors, Overwrite::no));
  std::swap(tensors[0], tensors[1]);
  ASSERT_TRUE(write_safetensors(folder / "y", tensors, Overwrite::no));
  EXPECT_EQ(content(folder / "x"), content(folder / "y"));
}

TEST(SafetensorsWriter, NamesMayHoldAnything) {
  const TempDir folder;
  const std::string name = "quote \" backslash \\ line \n é";
  const std::vector<TensorData> tensors{
      {{.name = name, .dtype = DType::f32, .shape = {2}}, std::as_bytes(std::span(kFloats))}};
  ASSERT_TRUE(write_safetensors(folder / "x", tensors, Overwrite::no));
  const auto file = SafetensorsFile::open(folder / "x");
  ASSERT_TRUE(file) << file.error().text();
  EXPECT_TRUE(file->view(name));
}

TEST(SafetensorsWriter, RefusesTwinsAndExistingFiles) {
  const TempDir folder;
  std::vector<TensorData> tensors = two_tensors();
  tensors[1].header.name = "z";
  const Result<void> twins = write_safetensors(folder / "x", tensors, Overwrite::no);
  ASSERT_FALSE(twins);
  EXPECT_THAT(twins.error().text(), HasSubstr("named z"));
  ASSERT_TRUE(write_safetensors(folder / "x", two_tensors(), Overwrite::no));
  EXPECT_FALSE(write_safetensors(folder / "x", two_tensors(), Overwrite::no));
  EXPECT_TRUE(write_safetensors(folder / "x", two_tensors(), Overwrite::yes));
}

TEST(SafetensorsWriter, AnUnfinishedFileLeavesNothing) {
  const TempDir folder;
  {
    auto writer = SafetensorsWriter::create(
        folder / "x", {{.name = "a", .dtype = DType::f32, .shape = {2}}}, Overwrite::no);
    ASSERT_TRUE(writer);
    ASSERT_TRUE(writer->append(std::as_bytes(std::span(kFloats).first(1))));
    EXPECT_EQ(writer->finish().error().code, Code::internal);  // 4 of 8 bytes
    EXPECT_EQ(files_in(folder.path()), 1U);                    // the temporary file
  }
  EXPECT_EQ(files_in(folder.path()), 0U);
}

TEST(SafetensorsWriter, TakesPiecesAndRefusesTooMany) {
  const TempDir folder;
  auto writer = SafetensorsWriter::create(
      folder / "x", {{.name = "a", .dtype = DType::f32, .shape = {2}}}, Overwrite::no);
  ASSERT_TRUE(writer);
  const auto bytes = std::as_bytes(std::span(kFloats));
  ASSERT_TRUE(writer->append(bytes.first(3)));
  ASSERT_TRUE(writer->append(bytes.subspan(3)));
  EXPECT_EQ(writer->append(bytes.first(1)).error().code, Code::internal);
  ASSERT_TRUE(writer->finish());
  EXPECT_EQ(std::memcmp(SafetensorsFile::open(folder / "x")->view("a")->data, kFloats.data(), 8),
            0);
}

}  // namespace
}  // namespace k3::test
