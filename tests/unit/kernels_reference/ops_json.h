#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/device/backend.h"
#include "tests/support/shared_data.h"

namespace k3::test {

using nlohmann::json;

/// Section `name` of golden/ops.json.
json ops_section(const std::filesystem::path& shared, const std::string& name);

/// All numbers of nested arrays, in order.
std::vector<double> numbers(const json& array);

/// The same in float32.
std::vector<float> floats(const json& array);

std::vector<int> integers(const json& array);

/// Limit of golden/README.md section 5 for float32, relative to the largest value of the tensor.
inline constexpr double kFloatLimit = 5e-6;

/// Checks |actual − expected| <= limit · max|expected| for every element.
void expect_close(const std::vector<float>& actual,
                  const std::vector<double>& expected,
                  double limit = kFloatLimit);

/// The reference backend and a stream of it.
struct Reference {
  Reference();

  std::unique_ptr<Backend> backend;
  std::unique_ptr<Stream> stream;
  const KernelTable& kernels;
};

ops::Matrix f32_matrix(const std::vector<float>& values, std::int64_t rows);
ops::Vector f32_vector(const std::vector<float>& values);

}  // namespace k3::test
