#include "engine/model/model_config.h"

#include <ostream>

#include <gtest/gtest.h>

#include "tests/support/mutate.h"
#include "tests/unit/engine_model/config_text.h"

namespace k3 {
namespace {

using test::config_error;
using test::shipped_config;
using test::shipped_model;

Json& text_of(Json& config) {
  return *config.find("text_config");
}

TEST(ModelConfig, ReadsKimiK3) {
  const auto loaded = load_model_config(test::source_dir() / "data/model/kimi-k3.json");
  ASSERT_TRUE(loaded) << loaded.error().text();
  EXPECT_EQ(loaded->name, "kimi_k3");
  EXPECT_EQ(loaded->hidden, 7168);
  EXPECT_EQ(loaded->num_layers(), 93);
  EXPECT_EQ(loaded->count(AttentionKind::kda), 69);
  EXPECT_EQ(loaded->count(AttentionKind::mla), 24);
  EXPECT_EQ(loaded->count(FfnKind::moe), 92);
  EXPECT_EQ(loaded->output_sources(), 9);
  EXPECT_EQ(loaded->moe.top_k, 16);
  EXPECT_EQ(loaded->situ_linear_beta, 25.0);
  EXPECT_TRUE(loaded->experts_mxfp4);
  ASSERT_TRUE(loaded->vision);
  EXPECT_EQ(loaded->vision->merge, 2);
}

TEST(ModelConfig, CountsListedLayersFromOne) {
  const ModelConfig k3 = shipped_model("kimi-k3");
  const auto attention = [&](std::size_t l) { return k3.layers[l].attention; };
  EXPECT_EQ(attention(0), AttentionKind::kda);
  EXPECT_EQ(attention(3), AttentionKind::mla);
  EXPECT_EQ(attention(4), AttentionKind::kda);
  EXPECT_EQ(attention(90), AttentionKind::kda);
  EXPECT_EQ(attention(91), AttentionKind::mla);
  EXPECT_EQ(attention(92), AttentionKind::mla);
  EXPECT_EQ(k3.layers[0].ffn, FfnKind::dense);
  EXPECT_EQ(k3.layers[1].ffn, FfnKind::moe);
}

TEST(ModelConfig, LayerMapEqualsTheReference) {
  K3_SHARED_OR_SKIP(shared);
  const ModelConfig k3 = shipped_model("kimi-k3");
  const auto reference = Json::parse(*read_text_file(shared / "k3/layers.json"), "layers.json");
  ASSERT_TRUE(reference);
  const auto& layers = reference->find("layers")->items();
  ASSERT_EQ(layers.size(), k3.layers.size());
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const LayerConfig& layer = k3.layers[l];
    EXPECT_EQ(layers[l].find("mixer")->string(),
              layer.attention == AttentionKind::kda ? "kda" : "mla");
    EXPECT_EQ(layers[l].find("ffn")->string(), layer.ffn == FfnKind::dense ? "dense" : "moe");
    EXPECT_EQ(layers[l].find("attn_mix_sources")->integer(), layer.attention_sources) << l;
    EXPECT_EQ(layers[l].find("mlp_mix_sources")->integer(), layer.ffn_sources) << l;
    EXPECT_EQ(layers[l].find("push_before_attn")->boolean(), layer.pushes_block) << l;
  }
}

TEST(ModelConfig, MiniHasTheLayerMapOfKimiK3) {
  const ModelConfig k3 = shipped_model("kimi-k3");
  const ModelConfig mini = shipped_model("mini");
  ASSERT_EQ(mini.num_layers(), 93);
  for (std::size_t l = 0; l < mini.layers.size(); ++l) {
    EXPECT_EQ(mini.layers[l].attention, k3.layers[l].attention);
    EXPECT_EQ(mini.layers[l].ffn, k3.layers[l].ffn);
    EXPECT_EQ(mini.layers[l].attention_sources, k3.layers[l].attention_sources);
  }
  EXPECT_EQ(mini.hidden, 128);
  EXPECT_EQ(mini.moe.experts, 896);
  EXPECT_FALSE(mini.vision);
}

TEST(ModelConfig, AcceptsTheTextPartAlone) {
  Json config = shipped_config("mini");
  const Json text = text_of(config);
  const auto nested = parse_model_config(config.dump(), "c");
  const auto alone = parse_model_config(text.dump(), "c");
  ASSERT_TRUE(alone) << alone.error().text();
  EXPECT_EQ(alone->name, "kimi_linear");
  EXPECT_EQ(alone->moe.latent, nested->moe.latent);
  EXPECT_TRUE(alone->experts_mxfp4);
}

TEST(ModelConfig, FindsQuantisationBesideTheTextPart) {
  Json config = shipped_config("mini");
  const Json quantization = *text_of(config).find("quantization_config");
  text_of(config).set("quantization_config", nullptr);
  EXPECT_FALSE(parse_model_config(config.dump(), "c")->experts_mxfp4);
  config.set("quantization_config", quantization);
  EXPECT_TRUE(parse_model_config(config.dump(), "c")->experts_mxfp4);
}

TEST(ModelConfig, NamesFileLineColumnAndKey) {
  const auto parsed = parse_model_config(
      "{\"model_type\": \"x\",\n \"hidden_act\": \"situ\",\n \"mla_use_nope\": true,\n"
      " \"hidden_size\": \"big\"}",
      "dir/config.json");
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().text(),
            "dir/config.json:4:17: hidden_size: is a string; must be an integer");
}

TEST(ModelConfig, RefusesTwoDifferentTopK) {
  Json config = shipped_config("mini");
  text_of(config).set("num_experts_per_tok", 8);
  EXPECT_EQ(
      config_error(config),
      "text_config.num_experts_per_tok: is 8 but num_experts_per_token is 16; they must agree");
  text_of(config).set("num_experts_per_tok", 16);
  EXPECT_EQ(config_error(config), "no error");
  text_of(config).set("num_experts_per_token", nullptr);
  EXPECT_EQ(config_error(config), "no error");
  text_of(config).set("num_experts_per_tok", nullptr);
  EXPECT_EQ(config_error(config), "text_config.num_experts_per_token: missing; a positive integer");
}

struct Slip {
  const char* key;    ///< under text_config
  const char* value;  ///< JSON
  const char* error;
};

void PrintTo(const Slip& slip, std::ostream* out) {
  *out << slip.key;
}

class ConfigSlip : public testing::TestWithParam<Slip> {};

TEST_P(ConfigSlip, GivesOneClearLine) {
  Json config = shipped_config("mini");
  const std::string path = GetParam().key;
  const auto dot = path.find('.');
  Json* table = &text_of(config);
  if (dot != std::string::npos) table = table->find(path.substr(0, dot));
  table->set(dot == std::string::npos ? path : path.substr(dot + 1),
             *Json::parse(GetParam().value, ""));
  EXPECT_EQ(config_error(config), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    All,
    ConfigSlip,
    testing::Values(
        Slip{"hidden_size", "0", "text_config.hidden_size: is 0; must be at least 1"},
        Slip{"hidden_size", "-7", "text_config.hidden_size: is -7; must be at least 1"},
        Slip{"hidden_size", "9000000000000000000",
             "text_config.hidden_size: is 9000000000000000000; must be at most 1048576"},
        Slip{"hidden_size", "64.0",
             "text_config.hidden_size: is a number with a point; must be an integer"},
        Slip{"vocab_size", "null", "text_config.vocab_size: missing; a positive integer"},
        Slip{"hidden_act", "\"silu\"",
             "text_config.hidden_act: is \"silu\"; only \"situ\" is supported"},
        Slip{"hidden_act", "null",
             "text_config.hidden_act: missing; \"situ\" is the supported activation"},
        Slip{"num_expert_group", "8", "text_config.num_expert_group: is 8; only 1 is supported"},
        Slip{"mla_use_nope", "false", "text_config.mla_use_nope: is false; only true is supported"},
        Slip{"topk_method", "\"greedy\"",
             "text_config.topk_method: is \"greedy\"; only \"noaux_tc\" is supported"},
        Slip{"num_nextn_predict_layers", "1",
             "text_config.num_nextn_predict_layers: is 1; only 0 is supported"},
        Slip{"moe_router_activation_func", "\"sigmod\"",
             "text_config.moe_router_activation_func: unknown value `sigmod`; did you mean "
             "`sigmoid`?"},
        Slip{"num_experts_per_token", "897",
             "text_config.num_experts_per_token: is 897; must be at most num_experts = 896"},
        Slip{"num_key_value_heads", "1",
             "text_config.num_key_value_heads: is 1; only 4 is supported"},
        Slip{"first_k_dense_replace", "93",
             "text_config.first_k_dense_replace: is 93; must be less than the 93 layers (one must "
             "be MoE)"},
        Slip{"rms_norm_eps", "0", "text_config.rms_norm_eps: is 0; must be positive"},
        Slip{"routed_expert_hidden_size", "72",
             "text_config.routed_expert_hidden_size: is 72; must be a multiple of 32 where experts "
             "are MXFP4"},
        Slip{"num_attention_heads", "1048576",
             "text_config.num_key_value_heads: is 4; only 1048576 is supported"},
        Slip{"num_hidden_layers", "94",
             "text_config.linear_attn_config: layer 94 of 94 is in neither kda_layers nor "
             "full_attn_layers; every layer must be in exactly one"},
        Slip{"num_hidden_layers", "92",
             "text_config.linear_attn_config.full_attn_layers[23]: there is no layer 93; layers "
             "count from 1 to 92 here"},
        Slip{"linear_attn_config.kda_layers", "[0, 1]",
             "text_config.linear_attn_config.kda_layers[0]: there is no layer 0; layers count from "
             "1 to 93 here"},
        Slip{"linear_attn_config.kda_layers", "[1, 1]",
             "text_config.linear_attn_config.kda_layers[1]: layer 1 is listed twice"},
        Slip{
            "linear_attn_config.kda_layers", "[4]",
            "text_config.linear_attn_config.full_attn_layers[0]: layer 4 is in kda_layers as well; "
            "every layer must be in exactly one list"},
        Slip{"linear_attn_config.use_full_rank_gate", "false",
             "text_config.linear_attn_config.use_full_rank_gate: is false; only true is supported"},
        Slip{"linear_attn_config.gate_lower_bound", "5",
             "text_config.linear_attn_config.gate_lower_bound: is 5; must be negative"},
        Slip{"linear_attn_config", "[]",
             "text_config.linear_attn_config: is an array; must be a table of keys"},
        Slip{
            "quantization_config.format", "\"int4\"",
            "text_config.quantization_config.format: is \"int4\"; only \"mxfp4-pack-quantized\" is "
            "supported"}));

TEST(ModelConfig, RefusesSizesWhoseProductsAreAbsurd) {
  Json config = shipped_config("mini");
  text_of(config).set("num_attention_heads", 1048576).set("num_key_value_heads", 1048576);
  EXPECT_EQ(config_error(config),
            "text_config: num_attention_heads × (qk_nope_head_dim + qk_rope_head_dim) is 50331648; "
            "must be at most 1048576");
  config = shipped_config("mini");
  text_of(config).set("num_experts", 65535);
  EXPECT_EQ(config_error(config),
            "text_config: 6029220 routed experts over all layers; at most 4194304 are supported");
}

TEST(ModelConfig, RefusesWhatIsNoConfig) {
  EXPECT_EQ(config_error(Json::array()),
            "is no model configuration; a config.json is an object of keys");
  EXPECT_EQ(config_error(Json::object()), "model_type: missing; a name like \"kimi_k3\"");
  const auto missing = load_model_config("no/such/config.json");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().text(), "no/such/config.json: cannot read: No such file or directory");
}

TEST(ModelConfig, SurvivesMutations) {
  const std::string valid = shipped_config("mini").dump(-1);
  Rng rng(3);
  int accepted = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto parsed = parse_model_config(test::mutated(valid, rng), "m");
    if (parsed) {
      ++accepted;
    } else {
      EXPECT_EQ(parsed.error().text().find('\n'), std::string::npos);
    }
  }
  EXPECT_GT(accepted, 10);
}

}  // namespace
}  // namespace k3
