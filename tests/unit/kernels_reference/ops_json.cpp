#include "tests/unit/kernels_reference/ops_json.h"

#include <algorithm>
#include <cmath>
#include <fstream>

#include <gtest/gtest.h>

#include "kernels/reference/reference_backend.h"

namespace k3::test {

json ops_section(const std::filesystem::path& shared, const std::string& name) {
  static const json document = json::parse(std::ifstream(shared / "golden" / "ops.json"));
  return document.at(name);
}

std::vector<double> numbers(const json& array) {
  if (!array.is_array()) return {array.get<double>()};
  std::vector<double> all;
  for (const json& part : array) {
    const std::vector<double> values = numbers(part);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

std::vector<float> floats(const json& array) {
  const std::vector<double> values = numbers(array);
  std::vector<float> rounded(values.size());
  std::transform(values.begin(), values.end(), rounded.begin(),
                 [](double value) { return static_cast<float>(value); });
  return rounded;
}

std::vector<int> integers(const json& array) {
  const std::vector<double> values = numbers(array);
  std::vector<int> whole(values.size());
  std::transform(values.begin(), values.end(), whole.begin(),
                 [](double value) { return static_cast<int>(value); });
  return whole;
}

void expect_close(const std::vector<float>& actual,
                  const std::vector<double>& expected,
                  double limit) {
  ASSERT_EQ(actual.size(), expected.size());
  ASSERT_FALSE(expected.empty());
  double largest = 0;
  for (const double value : expected)
    largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    // NOTE: negated, so that NaN fails.
    if (!(std::abs(actual[i] - expected[i]) <= limit * largest)) {
      ADD_FAILURE() << "element " << i << ": " << actual[i] << " instead of " << expected[i]
                    << ", largest value " << largest;
      return;
    }
  }
}

Reference::Reference()
    : backend(make_reference_backend()),
      stream(*backend->make_stream(0)),
      kernels(backend->kernels()) {}

ops::Matrix f32_matrix(const std::vector<float>& values, std::int64_t rows) {
  return {.data = values.data(),
          .scale = nullptr,
          .format = ops::WeightFormat::f32,
          .rows = rows,
          .cols = static_cast<std::int64_t>(values.size()) / rows};
}

ops::Vector f32_vector(const std::vector<float>& values) {
  return {.data = values.data(),
          .format = ops::WeightFormat::f32,
          .size = static_cast<std::int64_t>(values.size())};
}

}  // namespace k3::test
