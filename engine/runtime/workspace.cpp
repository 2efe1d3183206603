#include "engine/runtime/workspace.h"

#include <algorithm>
#include <utility>

namespace k3 {
namespace {

/// Float buffers that grow with the rank's tokens, and their values per token.
std::vector<std::pair<DeviceArray<float>*, std::int64_t>> token_buffers(Workspace& work,
                                                                        const ModelConfig& model) {
  const std::int64_t hidden = model.hidden;
  const bool has_kda = model.count(AttentionKind::kda) > 0;
  const bool has_mla = model.count(AttentionKind::mla) > 0;
  const std::int64_t kda = has_kda ? model.kda.width() : 0;
  const std::int64_t heads = has_mla ? model.mla.heads : 0;
  const std::int64_t mla_out = heads * model.mla.v_dim;
  const std::int64_t mla_q = heads * (model.mla.nope + model.mla.rope);
  const bool has_moe = model.count(FfnKind::moe) > 0;
  const std::int64_t moe_inner = has_moe ? model.moe.shared_width() : 0;
  const std::int64_t inner =
      std::max<std::int64_t>(moe_inner, model.count(FfnKind::dense) > 0 ? model.dense_width : 0);
  const std::int64_t latent = has_moe ? model.moe.latent : 0;
  const std::int64_t top_k = has_moe ? model.moe.top_k : 0;
  return {
      {&work.mixed, hidden},
      {&work.input, hidden},
      {&work.output, hidden},
      {&work.q, std::max(kda, mla_q)},
      {&work.k, kda},
      {&work.v, kda},
      {&work.gate, std::max(kda, mla_out)},
      {&work.attended, std::max(kda, mla_out)},
      {&work.q_conv, kda},
      {&work.k_conv, kda},
      {&work.v_conv, kda},
      {&work.low_rank, std::max(has_kda ? model.kda.head_dim : 0, has_mla ? model.mla.q_lora : 0)},
      {&work.decay, kda},
      {&work.beta, has_kda ? model.kda.heads : 0},
      {&work.kv_a, has_mla ? model.mla.cache_width() : 0},
      {&work.inner_gate, inner},
      {&work.inner_up, inner},
      {&work.shared, has_moe ? hidden : 0},
      {&work.router_logits, has_moe ? model.moe.experts : 0},
      {&work.router_weights, top_k},
      {&work.router_margin, has_moe ? 1 : 0},
      {&work.latent, latent},
      {&work.latent_sum, latent}};
}

}  // namespace

Result<void> reserve(Workspace& work,
                     Backend& backend,
                     int device,
                     const ModelConfig& model,
                     const WorkspaceSize& size) {
  const std::int64_t hidden = model.hidden;
  const int sources = model.output_sources();
  work.residual.resize(static_cast<std::size_t>(sources));
  for (auto& buffer : work.residual) {
    K3_TRY_VOID(buffer.reserve(backend, device, size.tokens * hidden));
  }
  for (auto& [buffer, values] : token_buffers(work, model)) {
    K3_TRY_VOID(buffer->reserve(backend, device, size.tokens * values));
  }
  const std::int64_t choices = size.tokens * std::max(model.moe.top_k, 0);
  K3_TRY_VOID(work.ids.reserve(backend, device, size.tokens));
  K3_TRY_VOID(work.router_ids.reserve(backend, device, choices));
  K3_TRY_VOID(work.pinned.reserve(backend, device, choices));
  if (size.gathers_head_rows) {
    K3_TRY_VOID(work.head_sources.reserve(backend, device, sources * size.head_rows * hidden));
  }
  K3_TRY_VOID(work.logits.reserve(backend, device, size.head_rows * model.vocab));
  return work.next_ids.reserve(backend, device, size.head_rows);
}

std::int64_t Workspace::capacity_bytes() const {
  std::int64_t bytes = 0;
  for (const auto& buffer : residual)
    bytes += buffer.capacity_bytes();
  for (const DeviceArray<float>* buffer :
       {&mixed,         &input,          &output,        &q,          &k,          &v,
        &gate,          &attended,       &q_conv,        &k_conv,     &v_conv,     &low_rank,
        &decay,         &beta,           &kv_a,          &inner_gate, &inner_up,   &shared,
        &router_logits, &router_weights, &router_margin, &latent,     &latent_sum, &head_sources,
        &logits}) {
    bytes += buffer->capacity_bytes();
  }
  for (const DeviceArray<std::int32_t>* buffer : {&ids, &router_ids, &pinned, &next_ids}) {
    bytes += buffer->capacity_bytes();
  }
  return bytes;
}

}  // namespace k3
