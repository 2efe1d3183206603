#include "tests/unit/engine_runtime/tiny_run.h"

#include <algorithm>
#include <utility>

#include "engine/comm/thread_communicator.h"
#include "kernels/reference/reference_backend.h"

namespace k3::test {
namespace {

constexpr const char* kTinyConfig = R"({
  "model_type": "kimi_k3",
  "text_config": {
    "model_type": "kimi_linear",
    "hidden_size": 48, "num_hidden_layers": 5, "vocab_size": 101,
    "num_attention_heads": 2, "num_key_value_heads": 2, "intermediate_size": 64,
    "max_position_embeddings": 64, "rms_norm_eps": 1e-05, "hidden_act": "situ",
    "activation_situ_beta": 4.0, "activation_situ_linear_beta": 25.0,
    "q_lora_rank": 24, "kv_lora_rank": 32, "qk_nope_head_dim": 16, "qk_rope_head_dim": 8,
    "v_head_dim": 16, "mla_use_nope": true, "mla_use_output_gate": true,
    "linear_attn_config": {"full_attn_layers": [2, 5], "kda_layers": [1, 3, 4],
      "gate_lower_bound": -5.0, "head_dim": 16, "num_heads": 2, "short_conv_kernel_size": 4,
      "use_full_rank_gate": true},
    "attn_res_block_size": 2,
    "num_experts": 30, "num_experts_per_token": 4, "num_shared_experts": 2,
    "moe_intermediate_size": 32, "routed_expert_hidden_size": 32, "latent_moe_use_norm": true,
    "moe_renormalize": true, "moe_router_activation_func": "sigmoid", "topk_method": "noaux_tc",
    "use_grouped_topk": true, "num_expert_group": 1, "topk_group": 1,
    "routed_scaling_factor": 1.0, "first_k_dense_replace": 1, "moe_layer_freq": 1,
    "num_nextn_predict_layers": 0, "tie_word_embeddings": false,
    "quantization_config": {"quant_method": "compressed-tensors",
      "format": "mxfp4-pack-quantized"}
  }
})";

}  // namespace

ModelConfig tiny_model() {
  return parse_model_config(kTinyConfig, "tiny").value();
}

GenerateRequest tiny_request() {
  return {.prompts = {{7, 100, 3, 3, 41}, {0}, {12, 55, 9, 81, 2, 64, 30, 17, 98}},
          .forced = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}},
          .greedy_tokens = 3};
}

PrecisionSpec float32_precision() {
  return {.mode = PrecisionMode::float32,
          .activations = NumberFormat::float32,
          .expert_activations = NumberFormat::float32,
          .dispatch = NumberFormat::float32,
          .combine = NumberFormat::float32,
          .kv = NumberFormat::float32};
}

Placement replicated_placement(const ModelConfig& model, int ranks) {
  const int experts = model.moe.experts;
  LayerPlacement layer;
  const auto add = [&](int rank, int expert, double share) {
    layer.slot_rank.push_back(rank);
    layer.slot_to_expert.push_back(expert);
    layer.share.push_back(share);
  };
  // Expert e lives on rank e mod ranks; every third also on the next rank; one empty slot per rank.
  for (int rank = 0; rank < ranks; ++rank) {
    for (int expert = 0; expert < experts; ++expert) {
      const bool twice = expert % 3 == 0 && ranks > 1;
      if (expert % ranks == rank) add(rank, expert, twice ? 0.25 : 1.0);
      if (twice && (expert + 1) % ranks == rank) add(rank, expert, 0.75);
    }
    add(rank, -1, 0);
  }
  const auto layers = static_cast<std::size_t>(model.count(FfnKind::moe));
  return Placement::from_layers(experts, ranks, std::vector<LayerPlacement>(layers, layer)).value();
}

Result<RunResult> run_generation(const ModelConfig& model,
                                 const WeightStore& weights,
                                 const GenerateRequest& request,
                                 const RunOptions& options) {
  const auto reference = make_reference_backend();
  const Placement contiguous =
      Placement::contiguous(model.count(FfnKind::moe), model.moe.experts, options.ranks);
  K3_TRY(Executor executor,
         Executor::create(
             {.model = model,
              .placement = options.placement != nullptr ? *options.placement : contiguous,
              .weights = weights,
              .backend = options.backend != nullptr ? *options.backend : *reference,
              .communicators = make_thread_communicators(options.ranks),
              .execution = options.execution,
              .precision = float32_precision(),
              .capacity = options.capacity.empty() ? cache_capacity(request) : options.capacity,
              .progress = options.progress}));
  RunResult result;
  if (options.dumps) {
    auto specs = dump_tensor_specs(model, dump_lengths(request));
    std::erase_if(specs, [&](const DumpTensorSpec& spec) {
      return !options.dump_names.empty() &&
             std::ranges::find(options.dump_names, spec.name) == options.dump_names.end();
    });
    result.dump = TensorDump(specs);
  }
  result.plans = generate_plans(model, options.execution, options.ranks, request, result.dump);
  const StepConsumer keep = [&](const StepRecord& step) -> Result<void> {
    result.steps.push_back(step);
    return options.consume ? options.consume(step) : Result<void>{};
  };
  K3_TRY(result.output, generate(executor, result.plans, request, result.dump, keep));
  result.memory = executor.memory();
  return result;
}

std::vector<std::string> differing_tensors(const TensorDump& a, const TensorDump& b) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : a.tensors()) {
    const auto other = b.tensors().find(name);
    if (other == b.tensors().end() || other->second.data != tensor.data) names.push_back(name);
  }
  for (const auto& [name, tensor] : b.tensors()) {
    if (!a.tensors().contains(name)) names.push_back(name);
  }
  return names;
}

}  // namespace k3::test
