#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/reference/decode.h"
#include "kernels/reference/operators.h"
#include "kernels/reference/pointwise.h"
#include "kernels/reference/product.h"

namespace k3::reference {
namespace {

std::span<const float> row_of(const float* x, std::int64_t row, std::int64_t width) {
  return {x + row * width, static_cast<std::size_t>(width)};
}

}  // namespace

void embed(const ops::EmbedArgs& args, Stream&) {
  const std::int64_t width = args.table.cols;
  for (std::int64_t t = 0; t < args.tokens; ++t) {
    decode_row(args.table, {.row = args.ids[t], .first = 0, .count = width}, args.out + t * width);
  }
}

void linear(const ops::LinearArgs& args, Stream&) {
  multiply({args.x, args.tokens, args.weight.cols}, args.weight,
           {.first = 0, .count = args.weight.rows}, {args.out, args.weight.rows});
}

void rms_norm(const ops::RmsNormArgs& args, Stream&) {
  const std::int64_t width = args.weight.size;
  std::vector<float> weight(static_cast<std::size_t>(width));
  decode_vector(args.weight, weight.data());
  for (std::int64_t t = 0; t < args.tokens; ++t) {
    normalise_row(row_of(args.x, t, width), weight.data(), args.eps, args.out + t * width);
  }
}

void situ(const ops::SituArgs& args, Stream&) {
  situ_row(args);
}

void add(const ops::AddArgs& args, Stream&) {
  for (std::int64_t i = 0; i < args.elements; ++i)
    args.out[i] = args.a[i] + args.b[i];
}

void sigmoid(const ops::SigmoidArgs& args, Stream&) {
  sigmoid_row(row_of(args.x, 0, args.elements), args.x);
}

void sigmoid_gate(const ops::SigmoidGateArgs& args, Stream&) {
  gate_row(row_of(args.x, 0, args.elements), args.gate, args.x);
}

void gather_rows(const ops::GatherRowsArgs& args, Stream&) {
  for (std::int64_t i = 0; i < args.count; ++i) {
    std::copy_n(args.x + args.rows[i] * args.width, args.width, args.out + i * args.width);
  }
}

void argmax(const ops::ArgmaxArgs& args, Stream&) {
  for (std::int64_t t = 0; t < args.tokens; ++t) {
    const float* row = args.logits + t * args.vocab;
    args.ids[t] = static_cast<std::int32_t>(std::max_element(row, row + args.vocab) - row);
  }
}

void attn_res_mix(const ops::AttnResMixArgs& args, Stream&) {
  const std::int64_t width = args.norm.size;
  const auto size = static_cast<std::size_t>(width);
  std::vector<float> query(size);
  std::vector<float> proj(size);
  decode_vector(args.norm, query.data());
  decode_vector(args.proj, proj.data());
  for (std::size_t d = 0; d < size; ++d)
    query[d] *= proj[d];

  std::vector<float> shares(static_cast<std::size_t>(args.num_sources));
  for (std::int64_t t = 0; t < args.tokens; ++t) {
    for (std::size_t i = 0; i < shares.size(); ++i) {
      const std::span<const float> source = row_of(args.sources[i], t, width);
      float dot = 0;
      for (std::size_t d = 0; d < size; ++d)
        dot += source[d] * query[d];
      const float mean = sum_of_squares(source) / static_cast<float>(width);
      shares[i] = dot / std::sqrt(mean + args.eps);
    }
    softmax_row(shares);
    float* out = args.out + t * width;
    std::fill_n(out, width, 0.0F);
    for (std::size_t i = 0; i < shares.size(); ++i) {
      const float* source = args.sources[i] + t * width;
      for (std::int64_t d = 0; d < width; ++d)
        out[d] += shares[i] * source[d];
    }
  }
}

}  // namespace k3::reference
