#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/base/dtype.h"
#include "engine/model/model_config.h"
#include "engine/runtime/step_capture.h"

namespace k3 {

/// Name and shape of a tensor of a dump; f32 or i32.
struct DumpTensorSpec {
  std::string name;
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;

  std::int64_t elements() const;

  std::int64_t bytes() const { return elements() * size_of(dtype); }
};

/// Lengths of a run, per sequence: what the sizes of its dump depend on.
struct DumpLengths {
  std::int64_t prompt = 0;
  std::int64_t forced = 0;  ///< teacher-forced tokens after the prompt
  std::int64_t greedy = 0;  ///< greedy tokens after the prompt
};

/// 0-based layers of each kind, as a dump lists them.
struct DumpLayers {
  std::vector<std::int32_t> kda, mla, moe;
};

DumpLayers dump_layers(const ModelConfig& model);

/// Every tensor that a run writes, sorted by name: per sequence S under `seqS.` prompt, logits,
/// stream, final_hidden, router_*, attn_in … ffn_out and the state after the prompt; decode_* where
/// there are forced tokens, greedy_* where there are greedy ones; kda_layers, mla_layers,
/// moe_layers, num_sequences. Source: layout of the golden files
std::vector<DumpTensorSpec> dump_tensor_specs(const ModelConfig& model,
                                              std::span<const DumpLengths> sequences);

/// Tensors of a run, kept in host memory until they are written. Tensors that were not asked for
/// take none.
class TensorDump {
 public:
  struct Tensor {
    DumpTensorSpec spec;
    std::vector<std::byte> data;
  };

  TensorDump() = default;
  /// Makes room (zeros) for `specs`.
  explicit TensorDump(std::span<const DumpTensorSpec> specs);

  bool empty() const { return tensors_.empty(); }

  /// Sorted by name.
  const std::map<std::string, Tensor, std::less<>>& tensors() const { return tensors_; }

  /// Data of a tensor, null when it was not asked for. `T` is float or std::int32_t.
  template <class T>
  T* find(const std::string& name) {
    return reinterpret_cast<T*>(find_bytes(name));
  }

  /// Where a step writes `quantity`: rows from `first_row` of tensor `name`, [layers, rows, …] or
  /// for logits and final_hidden [rows, …]. A target without data when the tensor was not asked
  /// for.
  CaptureTarget target(const std::string& name, Quantity quantity, std::int64_t first_row);

 private:
  std::byte* find_bytes(const std::string& name);

  std::map<std::string, Tensor, std::less<>> tensors_;
};

}  // namespace k3
