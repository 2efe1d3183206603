#include "kernels/reference/attention.h"

#include <algorithm>
#include <limits>

#include "kernels/reference/elementary.h"
#include "kernels/reference/pointwise.h"

namespace k3::reference {

Attention::Attention(const Args& args)
    : args_(args),
      largest_(args.visible.size(), -std::numeric_limits<float>::infinity()),
      sum_(args.visible.size(), 0.0F),
      scores_(static_cast<std::size_t>(std::min(kQueries, args.queries.count) * kChunk)) {
  for (std::int64_t i = 0; i < args_.queries.count; ++i) {
    std::fill_n(args_.out.data + i * args_.out.stride, args_.value_width, 0.0F);
  }
}

void Attention::add_chunk(std::int64_t first, const FloatMatrix& keys, const FloatMatrix& values) {
  const auto begin = std::upper_bound(args_.visible.begin(), args_.visible.end(), first);
  for (std::int64_t i = begin - args_.visible.begin(); i < args_.queries.count; i += kQueries) {
    const std::int64_t end = std::min(i + kQueries, args_.queries.count);
    multiply({args_.queries.data + i * args_.queries.stride, end - i, args_.queries.stride}, keys,
             {scores_.data(), kChunk});
    add_queries(i, end, first, values);
  }
}

/// Scores of [begin, end) are in scores_.
void Attention::add_queries(std::int64_t begin,
                            std::int64_t end,
                            std::int64_t first,
                            const FloatMatrix& values) {
  std::int64_t whole = end;  // queries from here on see the whole chunk
  for (std::int64_t i = end - 1; i >= begin; --i) {
    const std::int64_t seen =
        std::min(args_.visible[static_cast<std::size_t>(i)] - first, values.rows);
    float* scores = scores_.data() + (i - begin) * kChunk;
    update_row(i, {scores, static_cast<std::size_t>(seen)});
    if (seen == values.rows) {
      whole = i;
      continue;
    }
    FloatMatrix part = values;
    part.rows = seen;
    multiply_transposed({scores, 1, kChunk}, part,
                        {args_.out.data + i * args_.out.stride, args_.out.stride}, Sums::go_on);
  }
  multiply_transposed({scores_.data() + (whole - begin) * kChunk, end - whole, kChunk}, values,
                      {args_.out.data + whole * args_.out.stride, args_.out.stride}, Sums::go_on);
}

/// Scores to unnormalised probabilities; what the query has summed so far is rescaled.
void Attention::update_row(std::int64_t query, std::span<float> scores) {
  const auto i = static_cast<std::size_t>(query);
  float largest = largest_[i];
  for (float& score : scores) {
    score *= args_.scale;
    largest = std::max(largest, score);
  }
  for (float& score : scores)
    score -= largest;
  exp_row(scores);
  const auto rescale = static_cast<float>(exp(largest_[i] - largest));
  float sum = sum_[i] * rescale;
  for (const float score : scores)
    sum += score;
  float* out = args_.out.data + query * args_.out.stride;
  for (std::int64_t d = 0; d < args_.value_width; ++d)
    out[d] *= rescale;
  largest_[i] = largest;
  sum_[i] = sum;
}

void Attention::finish() {
  for (std::int64_t i = 0; i < args_.queries.count; ++i) {
    float* out = args_.out.data + i * args_.out.stride;
    const float sum = sum_[static_cast<std::size_t>(i)];
    for (std::int64_t d = 0; d < args_.value_width; ++d)
      out[d] /= sum;
  }
}

}  // namespace k3::reference
