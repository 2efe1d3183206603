#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace k3 {

enum class AttentionKind : std::uint8_t { kda, mla };
enum class FfnKind : std::uint8_t { dense, moe };
enum class RouterFunction : std::uint8_t { sigmoid, softmax };

/// One decoder layer of the map (0-based).
struct LayerConfig {
  AttentionKind attention = AttentionKind::kda;
  FfnKind ffn = FfnKind::moe;
  bool pushes_block = false;  ///< the prefix joins the block list before this layer's attention
  int attention_sources = 0;  ///< sources of the mix before attention; 0: no mix (layer 0)
  int ffn_sources = 0;        ///< sources of the mix before the feed-forward sub-layer
};

struct KdaConfig {
  int heads = 0;
  int head_dim = 0;              ///< of keys and of values; also the rank of the decay projection
  int conv_width = 4;            ///< taps, the last is the current token
  double gate_lower_bound = -5;  ///< log decay lies in (gate_lower_bound, 0)

  int width() const { return heads * head_dim; }
};

struct MlaConfig {
  int heads = 0;
  int q_lora = 0;
  int kv_lora = 0;
  int nope = 0;
  int rope = 0;  ///< counted in the dot product, never rotated
  int v_dim = 0;
  bool output_gate = true;
  double lora_norm_eps = 1e-6;  ///< of q_a_layernorm and kv_a_layernorm; not in config.json

  int cache_width() const { return kv_lora + rope; }

  int out_width() const { return heads * v_dim; }
};

struct MoeConfig {
  int experts = 0;
  int top_k = 0;
  int shared_experts = 0;
  int expert_width = 0;  ///< inner width of one expert
  int latent = 0;        ///< width of the rows that experts take and return
  bool latent_norm = true;
  bool renormalize = true;
  double scaling = 1;
  RouterFunction router = RouterFunction::sigmoid;

  int shared_width() const { return shared_experts * expert_width; }
};

/// Shapes of the vision tower and projector: counted, never executed.
struct VisionConfig {
  int layers = 0;
  int hidden = 0;
  int qkv_hidden = 0;
  int mlp = 0;
  int patch = 0;
  int pos_height = 0;
  int pos_width = 0;
  int merge = 0;  ///< side of the square of patches that the projector merges
  int text_hidden = 0;
};

/// The architecture of a K3-type model as shapes. Immutable after load; everything else (tensor
/// names, parameter counts, FLOPs, plans) is derived from it. Source: config.json of the
/// checkpoint; layer lists there are 1-based, here 0-based.
struct ModelConfig {
  std::string name;  ///< model_type, or the preset's name
  int hidden = 0;
  int vocab = 0;
  int dense_width = 0;
  std::int64_t max_positions = 0;
  double norm_eps = 1e-5;
  double situ_beta = 4;
  std::optional<double> situ_linear_beta;
  int attn_res_block = 0;
  bool experts_mxfp4 = false;  ///< declared quantisation of routed experts
  KdaConfig kda;
  MlaConfig mla;
  MoeConfig moe;
  std::optional<VisionConfig> vision;
  std::vector<LayerConfig> layers;

  int num_layers() const { return static_cast<int>(layers.size()); }

  int count(AttentionKind kind) const;
  int count(FfnKind kind) const;
  /// Sources of the output mix: all finished blocks and the prefix.
  int output_sources() const;
};

/// Reads a Hugging Face config.json: nested (`text_config`) or the text part alone.
/// Errors: file, line where JSON allows it, key, what would be right
Result<ModelConfig> load_model_config(const std::filesystem::path& path);

/// The same from text; `where` names it in errors.
Result<ModelConfig> parse_model_config(std::string_view json, const std::string& where);

}  // namespace k3
