// Whatever text stands in a config.json: an Error, or a ModelConfig whose sizes stay in 64 bits
// (the sanitizers see to it).

#include <cstdint>
#include <string_view>

#include "engine/base/check.h"
#include "engine/model/model_config.h"
#include "engine/model/tensor_spec.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr int kMaxTensorsListed = 10'000;  // keeps an input in the microseconds
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto model = k3::parse_model_config(text, "config.json");
  if (!model || model->num_layers() * std::int64_t{model->moe.experts} > kMaxTensorsListed)
    return 0;
  std::int64_t bytes = 0;
  for (const k3::TensorSpec& tensor : k3::tensor_specs(*model))
    bytes += tensor.bytes();
  K3_CHECK(bytes > 0);
  return 0;
}
