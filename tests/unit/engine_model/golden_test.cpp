#include <cstring>
#include <fstream>
#include <map>

#include <gtest/gtest.h>

#include "engine/model/tensor_spec.h"
#include "tests/unit/engine_model/config_text.h"

namespace k3 {
namespace {

/// The JSON header of a safetensors file: 8 bytes of length, then the text.
Json safetensors_header(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::uint64_t size = 0;
  file.read(reinterpret_cast<char*>(&size), sizeof(size));
  std::string text(size, ' ');
  file.read(text.data(), static_cast<std::streamsize>(size));
  return *Json::parse(text, path.string());
}

class Golden : public testing::TestWithParam<const char*> {};

TEST_P(Golden, TensorSpecsAreWhatTheCheckpointHolds) {
  K3_SHARED_OR_SKIP(shared);
  const auto folder = shared / "golden" / GetParam();
  const auto model = load_model_config(folder / "config.json");
  ASSERT_TRUE(model) << model.error().text();
  std::map<std::string, TensorSpec> specs;
  for (TensorSpec& spec : tensor_specs(*model))
    specs.emplace(spec.name, spec);
  std::size_t found = 0;
  const Json header = safetensors_header(folder / "model.safetensors");
  for (const Json::Member& member : header.members()) {
    if (member.key == "__metadata__") continue;
    ++found;
    const auto spec = specs.find(member.key);
    ASSERT_NE(spec, specs.end()) << member.key;
    EXPECT_EQ(member.value.find("dtype")->string(), name_of(spec->second.dtype)) << member.key;
    std::vector<std::int64_t> shape;
    for (const Json& side : member.value.find("shape")->items())
      shape.push_back(side.integer());
    EXPECT_EQ(shape, spec->second.shape) << member.key;
  }
  EXPECT_EQ(found, specs.size());
}

INSTANTIATE_TEST_SUITE_P(All, Golden, testing::Values("a_tiny", "b_wide", "c_long", "d_batch"));

}  // namespace
}  // namespace k3
