#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/model/model_config.h"
#include "engine/runtime/generate.h"
#include "engine/weights/safetensors.h"
#include "engine/weights/weight_store.h"

namespace k3::test {

/// A folder of the golden data: model, weights, expected values and the request that led to them.
struct GoldenCase {
  ModelConfig model;
  WeightStore weights;
  SafetensorsFile expected;
  GenerateRequest request;
};

Result<GoldenCase> load_golden(const std::filesystem::path& folder);

/// A tensor's values as double, whatever its type; empty when there is no such tensor.
std::vector<double> values_of(const SafetensorsFile& file, const std::string& name);
std::vector<double> values_of(const TensorDump::Tensor& tensor);

/// The request of one sequence alone.
GenerateRequest only_sequence(const GenerateRequest& request, std::size_t sequence);

}  // namespace k3::test
