#include "tests/support/tiny_model.h"

namespace k3::test {

ModelConfig tiny_model() {
  ModelConfig model;
  model.name = "tiny";
  model.hidden = 16;
  model.vocab = 32;
  model.dense_width = 24;
  model.max_positions = 1024;
  model.situ_linear_beta = 25;
  model.attn_res_block = 2;
  model.experts_mxfp4 = true;
  model.kda = {.heads = 2, .head_dim = 8};
  model.mla = {.heads = 2, .q_lora = 8, .kv_lora = 16, .nope = 8, .rope = 4, .v_dim = 8};
  model.moe = {.experts = 8, .top_k = 2, .shared_experts = 1, .expert_width = 32, .latent = 32};
  for (int l = 0; l < 4; ++l) {
    LayerConfig layer;
    layer.attention = l < 2 ? AttentionKind::kda : AttentionKind::mla;
    layer.ffn = l == 0 ? FfnKind::dense : FfnKind::moe;
    layer.pushes_block = l % 2 == 0;
    layer.attention_sources = l == 0 ? 0 : (l + 1) / 2 + 1;
    layer.ffn_sources = l / 2 + 2;
    model.layers.push_back(layer);
  }
  return model;
}

}  // namespace k3::test
