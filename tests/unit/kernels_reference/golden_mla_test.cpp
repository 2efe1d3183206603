#include <cmath>

#include <gtest/gtest.h>

#include "tests/unit/kernels_reference/ops_json.h"

namespace k3::test {
namespace {

using Form = void (*)(const ops::MlaArgs&, Stream&);

/// q rows are nope then rope values of one head; the golden file keeps them apart.
std::vector<float> joined_queries(const json& item) {
  std::vector<float> q;
  for (std::size_t t = 0; t < item.at("q_nope").size(); ++t) {
    for (std::size_t h = 0; h < item.at("q_nope")[t].size(); ++h) {
      for (const char* part : {"q_nope", "q_pe"}) {
        const std::vector<float> values = floats(item.at(part)[t][h]);
        q.insert(q.end(), values.begin(), values.end());
      }
    }
  }
  return q;
}

void check_form(const Reference& reference, Form form, const json& item) {
  const std::vector<float> q = joined_queries(item);
  const std::vector<float> cache = floats(item.at("cache"));
  const std::vector<float> kv_b = floats(item.at("w_kv_b"));
  const std::vector<double> expected = numbers(item.at("o"));
  std::vector<float> out(expected.size());
  const float* caches[] = {cache.data()};
  const std::int64_t cache_rows[] = {item.at("S").get<std::int64_t>()};
  const std::int32_t first_token[] = {0, item.at("T").get<std::int32_t>()};
  const auto nope = item.at("nope").get<std::int64_t>();
  const auto rope = item.at("rope").get<std::int64_t>();
  const auto width = static_cast<double>(nope + rope);
  form({.q = q.data(),
        .kv_b = f32_matrix(kv_b, static_cast<std::int64_t>(item.at("w_kv_b").size())),
        .cache = caches,
        .cache_rows = cache_rows,
        .first_token = first_token,
        .scale = static_cast<float>(1.0 / std::sqrt(width)),
        .out = out.data(),
        .sequences = 1,
        .heads = item.at("heads").get<std::int64_t>(),
        .nope = nope,
        .rope = rope,
        .v_dim = item.at("v").get<std::int64_t>(),
        .kv_lora = item.at("kv_lora").get<std::int64_t>()},
       *reference.stream);
  expect_close(out, expected);
}

TEST(GoldenMla, AbsorbedFormMatches) {
  K3_SHARED_OR_SKIP(shared);
  const Reference reference;
  const json section = ops_section(shared, "mla_absorbed");
  for (const json& item : section.at("cases")) {
    check_form(reference, reference.kernels.mla_absorbed, item);
  }
}

TEST(GoldenMla, ExpandedFormMatches) {
  K3_SHARED_OR_SKIP(shared);
  const Reference reference;
  const json section = ops_section(shared, "mla_absorbed");
  for (const json& item : section.at("cases")) {
    check_form(reference, reference.kernels.mla_expanded, item);
  }
}

}  // namespace
}  // namespace k3::test
