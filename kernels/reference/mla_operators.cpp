#include <algorithm>
#include <vector>

#include "kernels/reference/attention.h"
#include "kernels/reference/decode.h"
#include "kernels/reference/operators.h"
#include "kernels/reference/pointwise.h"
#include "kernels/reference/product.h"

namespace k3::reference {
namespace {

/// The new tokens of one sequence and its cache.
struct Sequence {
  std::int64_t first_token;
  std::int64_t tokens;
  const float* cache;
  std::int64_t first_position;  ///< of the first new token
};

Sequence sequence_of(const ops::MlaArgs& args, std::int64_t s) {
  const std::int64_t tokens = args.first_token[s + 1] - args.first_token[s];
  return {args.first_token[s], tokens, args.cache[s], args.cache_rows[s] - tokens};
}

/// Rows of kv_b that give a head's keys (`nope` rows) and values (`v_dim` rows).
RowRange key_rows(const ops::MlaArgs& args, std::int64_t head) {
  return {.first = head * (args.nope + args.v_dim), .count = args.nope};
}

RowRange value_rows(const ops::MlaArgs& args, std::int64_t head) {
  return {.first = head * (args.nope + args.v_dim) + args.nope, .count = args.v_dim};
}

/// Absorbed form of tokens [first, first + count) of one sequence: all heads attend to the cache
/// rows.
class AbsorbedBlock {
 public:
  AbsorbedBlock(const ops::MlaArgs& args, std::int64_t tokens)
      : args_(args),
        width_(args.kv_lora + args.rope),
        queries_(static_cast<std::size_t>(tokens * args.heads * width_)),
        latents_(static_cast<std::size_t>(tokens * args.heads * args.kv_lora)),
        visible_(static_cast<std::size_t>(tokens * args.heads)) {}

  void run(const Sequence& sequence, std::int64_t first, std::int64_t count) {
    const std::int64_t heads = args_.heads;
    const std::int64_t q_width = args_.nope + args_.rope;
    const float* q = args_.q + (sequence.first_token + first) * heads * q_width;
    for (std::int64_t h = 0; h < heads; ++h) {
      multiply_transposed({q + h * q_width, count, heads * q_width}, args_.kv_b, key_rows(args_, h),
                          {queries_.data() + h * width_, heads * width_});
    }
    for (std::int64_t row = 0; row < count * heads; ++row) {
      std::copy_n(q + row * q_width + args_.nope, args_.rope,
                  queries_.data() + row * width_ + args_.kv_lora);
      visible_[static_cast<std::size_t>(row)] = sequence.first_position + first + row / heads + 1;
    }
    const std::span visible(visible_.data(), static_cast<std::size_t>(count * heads));
    Attention attention({.queries = {queries_.data(), count * heads, width_},
                         .visible = visible,
                         .scale = args_.scale,
                         .out = {latents_.data(), args_.kv_lora},
                         .value_width = args_.kv_lora});
    for (std::int64_t k = 0; k < visible.back(); k += Attention::kChunk) {
      const std::int64_t rows = std::min(Attention::kChunk, visible.back() - k);
      const float* cache = sequence.cache + k * width_;
      attention.add_chunk(k, {cache, rows, width_, width_}, {cache, rows, args_.kv_lora, width_});
    }
    attention.finish();
    float* out = args_.out + (sequence.first_token + first) * heads * args_.v_dim;
    for (std::int64_t h = 0; h < heads; ++h) {
      multiply({latents_.data() + h * args_.kv_lora, count, heads * args_.kv_lora}, args_.kv_b,
               value_rows(args_, h), {out + h * args_.v_dim, heads * args_.v_dim});
    }
  }

 private:
  const ops::MlaArgs& args_;
  std::int64_t width_;
  std::vector<float> queries_;         ///< [tokens, heads, kv_lora + rope]
  std::vector<float> latents_;         ///< [tokens, heads, kv_lora]
  std::vector<std::int64_t> visible_;  ///< cache rows that each query sees
};

/// Keys and values of one head for a chunk of cache rows.
class ExpandedChunk {
 public:
  explicit ExpandedChunk(const ops::MlaArgs& args)
      : args_(args),
        width_(args.nope + args.rope),
        keys_(static_cast<std::size_t>(Attention::kChunk * width_)),
        values_(static_cast<std::size_t>(Attention::kChunk * args.v_dim)) {}

  void expand(const float* cache, std::int64_t rows, std::int64_t head) {
    const std::int64_t cache_width = args_.kv_lora + args_.rope;
    const Rows latents{cache, rows, cache_width};
    multiply(latents, args_.kv_b, key_rows(args_, head), {keys_.data(), width_});
    multiply(latents, args_.kv_b, value_rows(args_, head), {values_.data(), args_.v_dim});
    for (std::int64_t i = 0; i < rows; ++i) {
      std::copy_n(cache + i * cache_width + args_.kv_lora, args_.rope,
                  keys_.data() + i * width_ + args_.nope);
    }
  }

  FloatMatrix keys(std::int64_t rows) const { return {keys_.data(), rows, width_, width_}; }

  FloatMatrix values(std::int64_t rows) const {
    return {values_.data(), rows, args_.v_dim, args_.v_dim};
  }

 private:
  const ops::MlaArgs& args_;
  std::int64_t width_;
  std::vector<float> keys_;    ///< [chunk, nope + rope]
  std::vector<float> values_;  ///< [chunk, v_dim]
};

void attend_expanded(const ops::MlaArgs& args, const Sequence& sequence, ExpandedChunk& chunk) {
  const std::int64_t q_width = args.nope + args.rope;
  const std::int64_t cache_width = args.kv_lora + args.rope;
  std::vector<std::int64_t> visible(static_cast<std::size_t>(sequence.tokens));
  for (std::int64_t t = 0; t < sequence.tokens; ++t) {
    visible[static_cast<std::size_t>(t)] = sequence.first_position + t + 1;
  }
  for (std::int64_t h = 0; h < args.heads; ++h) {
    const std::int64_t row = sequence.first_token * args.heads + h;
    Attention attention({.queries = {args.q + row * q_width, sequence.tokens, args.heads * q_width},
                         .visible = visible,
                         .scale = args.scale,
                         .out = {args.out + row * args.v_dim, args.heads * args.v_dim},
                         .value_width = args.v_dim});
    for (std::int64_t k = 0; k < visible.back(); k += Attention::kChunk) {
      const std::int64_t rows = std::min(Attention::kChunk, visible.back() - k);
      chunk.expand(sequence.cache + k * cache_width, rows, h);
      attention.add_chunk(k, chunk.keys(rows), chunk.values(rows));
    }
    attention.finish();
  }
}

}  // namespace

void mla_cache(const ops::MlaCacheArgs& args, Stream&) {
  const std::int64_t width = args.kv_lora + args.rope;
  std::vector<float> weight(static_cast<std::size_t>(args.kv_lora));
  decode_vector(args.norm, weight.data());
  for (std::int64_t s = 0; s < args.sequences; ++s) {
    const std::int64_t tokens = args.first_token[s + 1] - args.first_token[s];
    for (std::int64_t t = 0; t < tokens; ++t) {
      const float* from = args.kv_a + (args.first_token[s] + t) * width;
      float* to = args.cache[s] + (args.cache_rows[s] - tokens + t) * width;
      normalise_row({from, weight.size()}, weight.data(), args.eps, to);
      std::copy_n(from + args.kv_lora, args.rope, to + args.kv_lora);
    }
  }
}

void mla_absorbed(const ops::MlaArgs& args, Stream&) {
  if (args.heads == 0) return;
  // NOTE: scratch is bounded by blocks of queries, whatever the prompt's length.
  const std::int64_t block = std::max<std::int64_t>(Attention::kQueries / args.heads, 1);
  AbsorbedBlock absorbed(args, block);
  for (std::int64_t s = 0; s < args.sequences; ++s) {
    const Sequence sequence = sequence_of(args, s);
    for (std::int64_t t = 0; t < sequence.tokens; t += block) {
      absorbed.run(sequence, t, std::min(block, sequence.tokens - t));
    }
  }
}

void mla_expanded(const ops::MlaArgs& args, Stream&) {
  ExpandedChunk chunk(args);
  for (std::int64_t s = 0; s < args.sequences; ++s) {
    const Sequence sequence = sequence_of(args, s);
    if (sequence.tokens > 0) attend_expanded(args, sequence, chunk);
  }
}

}  // namespace k3::reference
