#include "engine/model/numbers.h"

#include <cmath>

#include <gtest/gtest.h>

#include "engine/model/model_report.h"
#include "tests/unit/engine_model/config_text.h"

namespace k3 {
namespace {

int compare(const Json& expected, const Json& derived, const std::string& path) {
  if (!expected.is(Json::Kind::object)) {
    if (expected.is(Json::Kind::real)) {
      EXPECT_NEAR(derived.number(), expected.number(), std::abs(expected.number()) * 1e-12) << path;
    } else {
      EXPECT_EQ(derived, expected) << path;
    }
    return 1;
  }
  EXPECT_EQ(derived.members().size(), expected.members().size()) << path;
  int leaves = 0;
  for (const Json::Member& member : expected.members()) {
    const Json* value = derived.find(member.key);
    if (value == nullptr) {
      ADD_FAILURE() << path << member.key << " is absent";
      continue;
    }
    leaves += compare(member.value, *value, path + member.key + ".");
  }
  return leaves;
}

TEST(ModelNumbers, EqualTheReferenceOfKimiK3) {
  K3_SHARED_OR_SKIP(shared);
  const auto reference = Json::parse(*read_text_file(shared / "k3/numbers.json"), "numbers.json");
  ASSERT_TRUE(reference);
  EXPECT_GT(compare(*reference, model_numbers(test::shipped_model("kimi-k3")), ""), 100);
}

TEST(ModelNumbers, BytesAreThoseOfTheTensors) {
  const ModelConfig mini = test::shipped_model("mini");
  const Json numbers = model_numbers(mini);
  // 92 layers × 896 experts × 3 matrices of 64 × 64, half a byte each and a scale per 32.
  EXPECT_EQ(numbers.find("params")->find("routed_experts")->integer(), 92LL * 896 * 3 * 64 * 64);
  EXPECT_EQ(numbers.find("bytes")->find("routed_mxfp4")->integer(),
            92LL * 896 * 3 * (64 * 32 + 64 * 2));
  EXPECT_EQ(numbers.find("params")->find("vision")->integer(), 0);
  EXPECT_EQ(numbers.find("bytes")->find("metadata_total_size"), nullptr);
}

TEST(ModelReport, HasTheFixedKeys) {
  const Json report = model_report_json(test::shipped_model("kimi-k3"));
  EXPECT_EQ(report.find("parameters")->find("total")->integer(), 2'779'931'837'184);
  EXPECT_EQ(report.find("parameters")->find("text")->integer(), 2'779'484'478'208);
  EXPECT_EQ(report.find("parameters")->find("active")->integer(), 104'189'614'848);
  EXPECT_EQ(report.find("bytes")->find("checkpoint")->integer(), 1'560'860'324'864);
  EXPECT_EQ(report.find("cache")->find("mla_per_token_fp8")->integer(), 13824);
  EXPECT_EQ(report.find("cache")->find("kda_state_all_fp32")->integer(), 434'110'464);
  EXPECT_TRUE(report.find("numbers")->find("a2a_per_token_all_92_layers") != nullptr);
  EXPECT_TRUE(Json::parse(report.dump(), "report"));
}

TEST(ModelReport, GivesPeopleTheFiguresWithUnits) {
  const std::string text = model_report_text(test::shipped_model("kimi-k3"));
  EXPECT_NE(text.find("kimi_k3: 93 layers (69 KDA, 24 MLA; 1 dense, 92 MoE with 896 experts"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("104,189,614,848"), std::string::npos);
  EXPECT_NE(text.find("1,560,860,324,864"), std::string::npos);
}

}  // namespace
}  // namespace k3
