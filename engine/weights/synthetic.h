#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/model/tensor_spec.h"

namespace k3 {

/// Fills `out` (spec.bytes() bytes) with the tensor that `seed` stands for. Counter-based: the
/// bytes depend on the seed, the tensor's name, shape and type only. Values are scaled so that
/// activations keep their size through many layers: matrices uniform with standard deviation
/// 1/sqrt(inputs), norms around 1, packed experts random codes under a scale of the same effect,
/// A_log and dt_bias so that decays cover their range, `heads` the number of A_log entries in use.
void fill_synthetic(const TensorSpec& spec,
                    std::uint64_t seed,
                    std::int64_t heads,
                    std::span<std::byte> out);

}  // namespace k3
