#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <tuple>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/support/shared_data.h"
#include "tests/unit/engine_runtime/golden_case.h"
#include "tests/unit/engine_runtime/tiny_run.h"

namespace k3::test {
namespace {

/// Source: golden/README.md, 4.1 (float32 executor without intermediate rounding)
constexpr double kMaxRelative = 1e-4;
constexpr double kLogitsL2 = 3e-5;
constexpr double kRouterAbsolute = 2e-5;

struct Difference {
  double max_absolute = 0;
  double max_relative = 0;  ///< largest difference / largest reference value
  double l2 = 0;            ///< Frobenius ratio
};

Difference difference(const std::vector<double>& got, const std::vector<double>& reference) {
  double largest = 0;
  double squares = 0;
  double reference_squares = 0;
  Difference result;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double error = std::abs(got[i] - reference[i]);
    // NOTE: comparisons with NaN are false; a NaN must not pass as equal.
    result.max_absolute = error <= result.max_absolute ? result.max_absolute : error;
    largest = std::max(largest, std::abs(reference[i]));
    squares += error * error;
    reference_squares += reference[i] * reference[i];
  }
  result.max_relative = result.max_absolute / std::max(largest, 1e-30);
  result.l2 = std::sqrt(squares / std::max(reference_squares, 1e-30));
  return result;
}

bool ends_with(std::string_view name, std::string_view end) {
  return name.ends_with(end);
}

void compare(const TensorDump::Tensor& got, const SafetensorsFile& expected) {
  const std::string& name = got.spec.name;
  const auto view = expected.view(name);
  ASSERT_TRUE(view) << name;
  ASSERT_EQ(got.spec.shape, view->shape) << name;
  const std::vector<double> reference = values_of(expected, name);
  const std::vector<double> values = values_of(got);
  if (got.spec.dtype == DType::i32) {
    EXPECT_EQ(values, reference) << name;
    return;
  }
  const Difference diff = difference(values, reference);
  // NOTE: margins are differences of scores near each other: their error is that of scores,
  // absolute.
  if (ends_with(name, "router_w") || ends_with(name, "router_margin")) {
    EXPECT_LE(diff.max_absolute, kRouterAbsolute) << name;
    return;
  }
  EXPECT_LE(diff.max_relative, kMaxRelative) << name;
  if (ends_with(name, "logits")) {
    EXPECT_LE(diff.l2, kLogitsL2) << name;
  }
}

class Golden : public testing::TestWithParam<std::tuple<const char*, int>> {};

TEST_P(Golden, AllTensorsAreWithinTheirTolerances) {
  K3_SHARED_OR_SKIP(shared);
  const auto [name, ranks] = GetParam();
  const auto golden = load_golden(shared / "golden" / name);
  ASSERT_TRUE(golden) << golden.error().text();
  const auto run =
      run_generation(golden->model, golden->weights, golden->request, {.ranks = ranks});
  ASSERT_TRUE(run) << run.error().text();
  std::size_t compared = 0;
  for (const auto& [tensor_name, tensor] : run->dump.tensors()) {
    // c_long keeps no inputs and outputs of sub-layers.
    if (golden->expected.find(tensor_name) == nullptr) continue;
    compare(tensor, golden->expected);
    ++compared;
  }
  EXPECT_EQ(compared, golden->expected.tensors().size());
}

INSTANTIATE_TEST_SUITE_P(Cases,
                         Golden,
                         testing::Combine(testing::Values("a_tiny", "b_wide", "c_long", "d_batch"),
                                          testing::Values(1, 2, 4, 7)),
                         [](const auto& param) {
                           return fmt::format("{}_{}_ranks", std::get<0>(param.param),
                                              std::get<1>(param.param));
                         });

TEST(GoldenBatch, EverySequenceHasTheBitsOfItsSingleRun) {
  K3_SHARED_OR_SKIP(shared);
  const auto golden = load_golden(shared / "golden" / "d_batch");
  ASSERT_TRUE(golden) << golden.error().text();
  const auto batch = run_generation(golden->model, golden->weights, golden->request, {.ranks = 4});
  ASSERT_TRUE(batch) << batch.error().text();
  for (std::size_t s = 0; s < golden->request.prompts.size(); ++s) {
    const auto single = run_generation(golden->model, golden->weights,
                                       only_sequence(golden->request, s), {.ranks = 2});
    ASSERT_TRUE(single) << single.error().text();
    for (const auto& [name, tensor] : single->dump.tensors()) {
      if (!name.starts_with("seq0.")) continue;
      const std::string in_batch = fmt::format("seq{}.{}", s, name.substr(5));
      EXPECT_EQ(tensor.data, batch->dump.tensors().at(in_batch).data) << in_batch;
    }
  }
}

TEST(GoldenPinned, PinnedChoicesGiveTheSameBitsAsFreeOnes) {
  K3_SHARED_OR_SKIP(shared);
  auto golden = load_golden(shared / "golden" / "a_tiny");
  ASSERT_TRUE(golden) << golden.error().text();
  const auto free = run_generation(golden->model, golden->weights, golden->request, {.ranks = 3});
  ASSERT_TRUE(free) << free.error().text();
  GenerateRequest pinned = golden->request;
  const auto to_ids = [&](const char* name) {
    std::vector<std::int32_t> ids;
    for (const double id : values_of(golden->expected, name)) {
      ids.push_back(static_cast<std::int32_t>(id));
    }
    return ids;
  };
  pinned.pinned_prompt = {to_ids("seq0.router_ids")};
  pinned.pinned_forced = {to_ids("seq0.decode_router_ids")};
  const auto run = run_generation(golden->model, golden->weights, pinned, {.ranks = 3});
  ASSERT_TRUE(run) << run.error().text();
  EXPECT_EQ(differing_tensors(free->dump, run->dump),
            std::vector<std::string>{"seq0.router_margin"});
}

}  // namespace
}  // namespace k3::test
