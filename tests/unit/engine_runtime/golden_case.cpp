#include "tests/unit/engine_runtime/golden_case.h"

#include <cstring>
#include <utility>

#include <fmt/core.h>

namespace k3::test {
namespace {

template <class T>
std::vector<double> as_doubles(const std::byte* data, std::int64_t count) {
  std::vector<T> values(static_cast<std::size_t>(count));
  if (count > 0) std::memcpy(values.data(), data, values.size() * sizeof(T));
  return {values.begin(), values.end()};
}

std::vector<double> as_doubles(DType dtype, const std::byte* data, std::int64_t count) {
  if (dtype == DType::f64) return as_doubles<double>(data, count);
  if (dtype == DType::f32) return as_doubles<float>(data, count);
  return as_doubles<std::int32_t>(data, count);
}

std::vector<std::int32_t> integers(const SafetensorsFile& file, const std::string& name) {
  std::vector<std::int32_t> ids;
  for (const double value : values_of(file, name))
    ids.push_back(static_cast<std::int32_t>(value));
  return ids;
}

}  // namespace

std::vector<double> values_of(const SafetensorsFile& file, const std::string& name) {
  const auto view = file.view(name);
  if (!view) return {};
  return as_doubles(view->dtype, view->data, view->elements());
}

std::vector<double> values_of(const TensorDump::Tensor& tensor) {
  return as_doubles(tensor.spec.dtype, tensor.data.data(), tensor.spec.elements());
}

Result<GoldenCase> load_golden(const std::filesystem::path& folder) {
  K3_TRY(ModelConfig model, load_model_config(folder / "config.json"));
  K3_TRY(WeightStore weights, WeightStore::open(folder, model));
  K3_TRY(SafetensorsFile expected, SafetensorsFile::open(folder / "expected.safetensors"));
  GenerateRequest request;
  const int sequences = integers(expected, "num_sequences").at(0);
  for (int s = 0; s < sequences; ++s) {
    request.prompts.push_back(integers(expected, fmt::format("seq{}.prompt", s)));
    request.forced.push_back(integers(expected, fmt::format("seq{}.decode_tokens", s)));
    request.greedy_tokens = std::ssize(integers(expected, fmt::format("seq{}.greedy_ids", s)));
  }
  return GoldenCase{std::move(model), std::move(weights), std::move(expected), std::move(request)};
}

GenerateRequest only_sequence(const GenerateRequest& request, std::size_t sequence) {
  return {.prompts = {request.prompts[sequence]},
          .forced = {request.forced[sequence]},
          .greedy_tokens = request.greedy_tokens};
}

}  // namespace k3::test
