#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/model_config.h"
#include "engine/weights/safetensors_writer.h"

namespace k3::test {

/// Two layers, KDA with a dense and MLA with a mixture of four experts, small widths.
ModelConfig small_model();

/// Tensors with memory, to be changed and written by a test.
struct OwnedTensor {
  TensorHeader header;
  std::vector<std::byte> bytes;
};

/// Synthetic tensors of a model.
std::vector<OwnedTensor> tensors_of(const ModelConfig& model, std::uint64_t seed);

/// The tensor of that name; fails the test if there is none.
OwnedTensor& tensor_named(std::vector<OwnedTensor>& tensors, std::string_view name);

/// Writes model.safetensors into a folder.
void write_checkpoint(const std::filesystem::path& folder, const std::vector<OwnedTensor>& tensors);

/// A safetensors file from its parts, right or wrong.
void write_raw(const std::filesystem::path& path, std::string_view header, std::string_view data);

void write_text(const std::filesystem::path& path, std::string_view text);

}  // namespace k3::test
