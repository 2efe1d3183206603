#include "engine/model/tensor_spec.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include <gtest/gtest.h>

#include "tests/unit/engine_model/config_text.h"

namespace k3 {
namespace {

std::string dtype_word(DType type) {
  return type == DType::bf16 ? "bf16" : type == DType::f32 ? "f32" : "u8";
}

/// The name with layer, expert and vision block numbers replaced by the placeholders of
/// tensors.json.
std::string pattern_of(const TensorSpec& spec) {
  std::string name = spec.name;
  const auto replace = [&](const std::string& before, const std::string& placeholder) {
    const auto at = name.find(before);
    if (at == std::string::npos) return;
    const auto first = at + before.size();
    name.replace(first, name.find('.', first) - first, placeholder);
  };
  replace("model.layers.", "{L}");
  replace(".experts.", "{E}");
  replace("encoder.blocks.", "{B}");
  return name;
}

/// Of Kimi K3, expanded once for all tests: half a million.
const std::vector<TensorSpec>& k3_specs() {
  static const std::vector<TensorSpec> specs = tensor_specs(test::shipped_model("kimi-k3"));
  return specs;
}

/// The mini model's first three layers: KDA with dense, KDA with MoE twice.
ModelConfig three_layers() {
  ModelConfig model = test::shipped_model("mini");
  model.layers.resize(3);
  return model;
}

TEST(TensorSpecs, AreThoseOfTheCheckpointOfKimiK3) {
  const auto& specs = k3_specs();
  EXPECT_EQ(specs.size(), 497220u);
  std::int64_t total = 0;
  std::unordered_set<std::string_view> names;
  for (const TensorSpec& spec : specs) {
    total += spec.bytes();
    names.insert(spec.name);
  }
  EXPECT_EQ(total, 1560860324864);
  EXPECT_EQ(names.size(), specs.size());
}

TEST(TensorSpecs, HaveTheShapesAndTypesOfTheReference) {
  K3_SHARED_OR_SKIP(shared);
  const auto reference = Json::parse(*read_text_file(shared / "k3/tensors.json"), "tensors.json");
  ASSERT_TRUE(reference);
  // Two templates share a name: g_proj and o_proj of both kinds of attention, of equal shape.
  std::map<std::string, const Json*> templates;
  for (const Json& entry : reference->find("tensors")->items()) {
    templates.emplace(entry.find("name")->string(), &entry);
  }
  std::set<std::string> seen;
  for (const TensorSpec& spec : k3_specs()) {
    // Experts are alike; layers are not.
    if (spec.expert > 0) continue;
    const std::string pattern = pattern_of(spec);
    const auto found = templates.find(pattern);
    ASSERT_NE(found, templates.end()) << spec.name;
    if (!seen.insert(pattern).second) continue;
    EXPECT_EQ(found->second->find("dtype")->string(), dtype_word(spec.dtype)) << pattern;
    const auto& shape = found->second->find("shape")->items();
    ASSERT_EQ(shape.size(), spec.shape.size()) << pattern;
    for (std::size_t i = 0; i < shape.size(); ++i)
      EXPECT_EQ(shape[i].integer(), spec.shape[i]) << pattern;
  }
  EXPECT_EQ(seen.size(), templates.size());
}

TEST(TensorSpecs, KnowTheirLayerAndExpert) {
  const auto specs = tensor_specs(three_layers());
  const auto find = [&](std::string_view name) {
    return *std::ranges::find(specs, name, &TensorSpec::name);
  };
  EXPECT_EQ(find("language_model.lm_head.weight").layer, -1);
  EXPECT_EQ(find("language_model.model.layers.0.mlp.up_proj.weight").layer, 0);
  const auto expert =
      find("language_model.model.layers.2.block_sparse_moe.experts.895.w2.weight_packed");
  EXPECT_EQ(expert.layer, 2);
  EXPECT_EQ(expert.expert, 895);
  EXPECT_EQ(expert.shape, (std::vector<std::int64_t>{64, 32}));
}

TEST(TensorSpecs, ListPlainExpertsWhereNothingIsQuantised) {
  ModelConfig model = three_layers();
  model.experts_mxfp4 = false;
  const auto specs = tensor_specs(model);
  const auto expert =
      std::ranges::find(specs, "language_model.model.layers.1.block_sparse_moe.experts.0.w1.weight",
                        &TensorSpec::name);
  ASSERT_NE(expert, specs.end());
  EXPECT_EQ(expert->dtype, DType::bf16);
  EXPECT_EQ(expert->shape, (std::vector<std::int64_t>{64, 64}));
}

}  // namespace
}  // namespace k3
