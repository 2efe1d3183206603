#pragma once

#include <filesystem>

#include "engine/base/result.h"
#include "engine/model/model_config.h"
#include "engine/runtime/generate.h"

namespace k3::session {

/// Pins the experts of a run to those of a safetensors file: `seqS.router_ids` I32 [MoE layers,
/// prompt, top_k] and, where the run has forced tokens, `seqS.decode_router_ids`. Errors: a tensor
/// is missing or of another shape or type, an expert id out of range
Result<void> read_pinned_router(const std::filesystem::path& path,
                                const ModelConfig& model,
                                GenerateRequest& request);

}  // namespace k3::session
