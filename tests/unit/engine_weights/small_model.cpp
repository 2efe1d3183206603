#include "tests/unit/engine_weights/small_model.h"

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include "engine/model/tensor_spec.h"
#include "engine/weights/synthetic.h"

namespace k3::test {

ModelConfig small_model() {
  ModelConfig model;
  model.name = "small";
  model.hidden = 64;
  model.vocab = 48;
  model.dense_width = 96;
  model.experts_mxfp4 = true;
  model.kda = {.heads = 2, .head_dim = 16, .conv_width = 4};
  model.mla = {.heads = 2, .q_lora = 24, .kv_lora = 32, .nope = 8, .rope = 4, .v_dim = 8};
  model.moe = {.experts = 4, .top_k = 2, .shared_experts = 1, .expert_width = 64, .latent = 32};
  model.layers = {{.attention = AttentionKind::kda, .ffn = FfnKind::dense},
                  {.attention = AttentionKind::mla, .ffn = FfnKind::moe}};
  return model;
}

std::vector<OwnedTensor> tensors_of(const ModelConfig& model, std::uint64_t seed) {
  std::vector<OwnedTensor> tensors;
  for (const TensorSpec& spec : tensor_specs(model)) {
    OwnedTensor tensor{.header = {.name = spec.name, .dtype = spec.dtype, .shape = spec.shape},
                       .bytes = std::vector<std::byte>(static_cast<std::size_t>(spec.bytes()))};
    fill_synthetic(spec, seed, model.kda.heads, tensor.bytes);
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

OwnedTensor& tensor_named(std::vector<OwnedTensor>& tensors, std::string_view name) {
  const auto found = std::find_if(tensors.begin(), tensors.end(), [&](const OwnedTensor& tensor) {
    return tensor.header.name == name;
  });
  if (found == tensors.end()) throw std::runtime_error("no tensor " + std::string(name));
  return *found;
}

void write_checkpoint(const std::filesystem::path& folder,
                      const std::vector<OwnedTensor>& tensors) {
  std::vector<TensorData> data;
  for (const OwnedTensor& tensor : tensors)
    data.push_back({tensor.header, tensor.bytes});
  const Result<void> written =
      write_safetensors(folder / "model.safetensors", data, Overwrite::yes);
  if (!written) throw std::runtime_error(written.error().text());
}

void write_raw(const std::filesystem::path& path, std::string_view header, std::string_view data) {
  std::string length(8, '\0');
  for (std::size_t i = 0; i < 8; ++i)
    length[i] = static_cast<char>(header.size() >> (8 * i) & 255);
  write_text(path, length + std::string(header) + std::string(data));
}

void write_text(const std::filesystem::path& path, std::string_view text) {
  std::ofstream(path, std::ios::binary).write(text.data(), std::ssize(text));
}

}  // namespace k3::test
