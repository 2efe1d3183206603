#pragma once

#include <cstdint>

#include "engine/model/model_config.h"
#include "engine/text/node.h"

namespace k3 {

/// Limits far above any model that exists, so that products of sizes stay inside 64 bits and a
/// wrong number is told from a large one.
inline constexpr std::int64_t kMaxLayers = 1024;
inline constexpr std::int64_t kMaxWidth = std::int64_t{1} << 20;
inline constexpr std::int64_t kMaxVocab = std::int64_t{1} << 24;
inline constexpr std::int64_t kMaxExperts = 65535;  ///< expert choices are 16-bit words
inline constexpr std::int64_t kMaxRoutedExperts = std::int64_t{1} << 22;  ///< over all layers
inline constexpr double kMaxParameters = 1e18;

/// Checks what no single key shows: widths that are products, blocks of MXFP4, the size as a whole.
/// `text` is where errors point to.
Result<void> check_limits(const ModelConfig& model, const TextNode& text);

}  // namespace k3
