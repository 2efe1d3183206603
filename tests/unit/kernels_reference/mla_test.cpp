#include <algorithm>
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "tests/unit/kernels_reference/ops_json.h"
#include "tests/unit/kernels_reference/random_data.h"

namespace k3::test {
namespace {

constexpr std::int64_t kHeads = 3;
constexpr std::int64_t kNope = 16;
constexpr std::int64_t kRope = 8;
constexpr std::int64_t kValue = 12;
constexpr std::int64_t kLatent = 32;
constexpr std::int64_t kCache = kLatent + kRope;
constexpr std::int64_t kQuery = kNope + kRope;

using Form = void (*)(const ops::MlaArgs&, Stream&);

/// Several sequences: cache rows in all, of which the last are new.
struct Lengths {
  std::int64_t rows;
  std::int32_t tokens;
};

class MlaTest : public testing::Test {
 protected:
  /// Outputs of the new tokens of all sequences.
  std::vector<float> run(Form form, const std::vector<Lengths>& lengths) {
    std::vector<std::int32_t> first_token{0};
    std::vector<std::int64_t> cache_rows;
    for (const Lengths& length : lengths) {
      first_token.push_back(first_token.back() + length.tokens);
      cache_rows.push_back(length.rows);
    }
    const std::vector<const float*> caches(lengths.size(), cache_.data());
    std::vector<float> q;
    for (const Lengths& length : lengths) {
      const auto begin = q_.begin() + (length.rows - length.tokens) * kHeads * kQuery;
      q.insert(q.end(), begin, begin + length.tokens * kHeads * kQuery);
    }
    std::vector<float> out(static_cast<std::size_t>(first_token.back() * kHeads * kValue));
    form({.q = q.data(),
          .kv_b = kv_b_.view(),
          .cache = caches.data(),
          .cache_rows = cache_rows.data(),
          .first_token = first_token.data(),
          .scale = kScale,
          .out = out.data(),
          .sequences = static_cast<std::int64_t>(lengths.size()),
          .heads = kHeads,
          .nope = kNope,
          .rope = kRope,
          .v_dim = kValue,
          .kv_lora = kLatent},
         *reference_.stream);
    return out;
  }

  /// The definition in double, for the query at `position`, head by head.
  std::vector<double> expected(std::int64_t position) const {
    std::vector<double> out;
    for (std::int64_t h = 0; h < kHeads; ++h) {
      std::vector<double> scores;
      for (std::int64_t row = 0; row <= position; ++row)
        scores.push_back(score(position, h, row));
      const double largest = *std::max_element(scores.begin(), scores.end());
      double sum = 0;
      for (double& s : scores)
        sum += s = std::exp(s - largest);
      for (std::int64_t v = 0; v < kValue; ++v) {
        double mixed = 0;
        for (std::int64_t row = 0; row <= position; ++row) {
          mixed += scores[static_cast<std::size_t>(row)] / sum * expanded(row, h, kNope + v);
        }
        out.push_back(mixed);
      }
    }
    return out;
  }

  static constexpr float kScale = 3.0F;  // large, so that the softmax is far from flat
  static constexpr std::int64_t kLongest = 700;
  Reference reference_;
  std::vector<float> q_ = random_values(kLongest * kHeads * kQuery, 1);
  std::vector<float> cache_ = random_values(kLongest * kCache, 2);
  RandomMatrix kv_b_{ops::WeightFormat::bf16, kHeads*(kNope + kValue), kLatent, 3};

 private:
  double cache_at(std::int64_t row, std::int64_t d) const {
    return cache_[static_cast<std::size_t>(row * kCache + d)];
  }

  /// Row `index` of a head's part of kv_b times the latent of a cache row.
  double expanded(std::int64_t row, std::int64_t head, std::int64_t index) const {
    double sum = 0;
    for (std::int64_t d = 0; d < kLatent; ++d) {
      sum += static_cast<double>(kv_b_.at(head * (kNope + kValue) + index, d)) * cache_at(row, d);
    }
    return sum;
  }

  double score(std::int64_t position, std::int64_t head, std::int64_t row) const {
    const float* q = q_.data() + (position * kHeads + head) * kQuery;
    double sum = 0;
    for (std::int64_t n = 0; n < kNope; ++n)
      sum += q[n] * expanded(row, head, n);
    for (std::int64_t r = 0; r < kRope; ++r)
      sum += q[kNope + r] * cache_at(row, kLatent + r);
    return sum * kScale;
  }
};

TEST_F(MlaTest, BothFormsMatchTheDefinitionAcrossChunkBorders) {
  // Chunks hold 256 cache rows: positions just before, at and after a border, and in the third
  // chunk.
  for (const std::int64_t position : {0, 1, 254, 255, 256, 257, 650}) {
    SCOPED_TRACE(position);
    const std::vector<Lengths> lengths{{.rows = position + 1, .tokens = 1}};
    expect_close(run(reference_.kernels.mla_absorbed, lengths), expected(position));
    expect_close(run(reference_.kernels.mla_expanded, lengths), expected(position));
  }
}

TEST_F(MlaTest, BitsDoNotDependOnTheOtherTokensOfTheCall) {
  for (const Form form : {reference_.kernels.mla_absorbed, reference_.kernels.mla_expanded}) {
    const std::vector<float> together = run(form, {{.rows = 530, .tokens = 530}});
    for (const std::int64_t position : {0, 17, 255, 256, 511, 529}) {
      const std::vector<float> alone = run(form, {{.rows = position + 1, .tokens = 1}});
      const auto begin = together.begin() + position * kHeads * kValue;
      EXPECT_EQ(alone, std::vector<float>(begin, begin + kHeads * kValue)) << position;
    }
  }
}

TEST_F(MlaTest, SequencesDoNotMixAndMayBringNoToken) {
  for (const Form form : {reference_.kernels.mla_absorbed, reference_.kernels.mla_expanded}) {
    const Lengths first{.rows = 40, .tokens = 7};
    const Lengths none{.rows = 12, .tokens = 0};
    const Lengths last{.rows = 300, .tokens = 2};
    std::vector<float> expected = run(form, {first});
    const std::vector<float> tail = run(form, {last});
    expected.insert(expected.end(), tail.begin(), tail.end());
    EXPECT_EQ(run(form, {first, none, last}), expected);
  }
}

TEST_F(MlaTest, LaterCacheRowsAreNotRead) {
  // Row 5 on holds NaN: a token that sees rows 0 .. 4 must not notice.
  std::vector<float> clean = run(reference_.kernels.mla_expanded, {{.rows = 5, .tokens = 5}});
  std::fill(cache_.begin() + 5 * kCache, cache_.end(), std::nanf(""));
  for (const Form form : {reference_.kernels.mla_absorbed, reference_.kernels.mla_expanded}) {
    std::vector<float> out = run(form, {{.rows = 9, .tokens = 9}});
    out.resize(clean.size());
    for (const float value : out)
      EXPECT_FALSE(std::isnan(value));
  }
}

TEST_F(MlaTest, CacheRowsAreNormalisedLatentThenKeyPart) {
  const std::vector<float> kv_a = random_values(2 * kCache, 4);
  const std::vector<float> norm = random_values(kLatent, 5);
  std::vector<float> cache(5 * kCache, -7.0F);
  const std::array<float*, 1> caches{cache.data()};
  const std::array<std::int64_t, 1> rows{4};
  const std::array<std::int32_t, 2> first_token{0, 2};
  reference_.kernels.mla_cache({.kv_a = kv_a.data(),
                                .norm = f32_vector(norm),
                                .eps = 1e-6F,
                                .cache = caches.data(),
                                .cache_rows = rows.data(),
                                .first_token = first_token.data(),
                                .sequences = 1,
                                .kv_lora = kLatent,
                                .rope = kRope},
                               *reference_.stream);
  std::vector<double> expected(2 * kCache,
                               -7.0);  // rows 0, 1 untouched, 2 and 3 written, 4 untouched
  for (std::int64_t t = 0; t < 2; ++t) {
    const float* row = kv_a.data() + t * kCache;
    double squares = 0;
    for (std::int64_t d = 0; d < kLatent; ++d)
      squares += double{row[d]} * row[d];
    for (std::int64_t d = 0; d < kCache; ++d) {
      const double factor =
          d < kLatent ? norm[static_cast<std::size_t>(d)] / std::sqrt(squares / kLatent + 1e-6) : 1;
      expected.push_back(row[d] * factor);
    }
  }
  expected.insert(expected.end(), kCache, -7.0);
  expect_close(cache, expected, 1e-6);
}

}  // namespace
}  // namespace k3::test
