#include "engine/weights/synthetic.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string_view>

#include "engine/base/check.h"
#include "engine/base/rng.h"
#include "engine/weights/mxfp4.h"

namespace k3 {
namespace {

/// A range of uniformly distributed values.
struct Range {
  double low = 0;
  double high = 0;
};

Range around_zero(double standard_deviation) {
  const double limit = standard_deviation * std::sqrt(3.0);  // of a uniform distribution
  return {-limit, limit};
}

/// Word number `index` of a tensor: the splitmix64 stream whose seed is (seed, name).
class Counter {
 public:
  Counter(std::uint64_t seed, std::string_view name) {
    std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a, then mixed
    for (const char c : name) {
      hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    }
    base_ = hash_words(seed, hash);
  }

  std::uint64_t word(std::uint64_t index) const {
    return splitmix64(base_ + index * 0x9e3779b97f4a7c15ULL);
  }

 private:
  std::uint64_t base_;
};

/// Round to nearest even. Finite values.
std::uint16_t bf16_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

std::int64_t inputs_of(const TensorSpec& spec) {
  return spec.shape.size() < 2 ? 1 : spec.elements() / std::max<std::int64_t>(spec.shape[0], 1);
}

double matrix_deviation(const TensorSpec& spec) {
  return 1 / std::sqrt(static_cast<double>(std::max<std::int64_t>(inputs_of(spec), 1)));
}

/// What the values of a tensor are like, by its name.
Range range_of(const TensorSpec& spec) {
  const std::string_view name = spec.name;
  if (name.ends_with(".A_log")) return {-0.47, 1.01};
  // NOTE: with A_log above and projections of size 1, decays reach from nearly none to the bound.
  if (name.ends_with(".dt_bias")) return {-6, 2};
  if (name.ends_with(".e_score_correction_bias")) return {-0.02, 0.02};
  if (name.ends_with("conv1d.weight")) return around_zero(0.5);
  if (name.ends_with("embed_tokens.weight")) return around_zero(1);
  if (name.ends_with("res_proj.weight")) return around_zero(0.5 * matrix_deviation(spec));
  if (spec.shape.size() < 2) return {0.9, 1.1};  // norms
  return around_zero(matrix_deviation(spec));
}

/// Four values per word, 16 bits each.
template <class Store>
void fill_uniform(const Counter& counter, Range range, std::int64_t count, Store store) {
  const double step = (range.high - range.low) / 65535;
  for (std::int64_t first = 0; first < count; first += 4) {
    std::uint64_t word = counter.word(static_cast<std::uint64_t>(first / 4));
    const std::int64_t end = std::min(first + 4, count);
    for (std::int64_t i = first; i < end; ++i, word >>= 16) {
      store(i, static_cast<float>(range.low + step * static_cast<double>(word & 0xffff)));
    }
  }
}

void fill_bytes(const Counter& counter, std::span<std::byte> out) {
  const std::size_t words = out.size() / 8;
  for (std::size_t i = 0; i < words; ++i) {
    const std::uint64_t word = counter.word(i);
    std::memcpy(out.data() + 8 * i, &word, 8);
  }
  const std::uint64_t last = counter.word(words);
  std::memcpy(out.data() + 8 * words, &last, out.size() % 8);
}

/// Scale bytes under which uniformly random E2M1 codes have variance 1/inputs: two neighbouring
/// exponents, mixed in the share that gives it.
void fill_scales(const Counter& counter, std::int64_t inputs, std::span<std::byte> out) {
  double mean_square = 0;
  for (const float value : kE2m1Magnitudes)
    mean_square += double{value} * value / 8;
  const double wanted = 1 / (mean_square * static_cast<double>(std::max<std::int64_t>(inputs, 1)));
  const int exponent = std::ilogb(std::sqrt(wanted));
  const double share = (std::ldexp(wanted, -2 * exponent) - 1) / 3;  // of the larger exponent
  const auto threshold = static_cast<unsigned>(share * 256);
  fill_bytes(counter, out);
  for (std::byte& byte : out) {
    const bool larger = std::to_integer<unsigned>(byte) < threshold;
    byte = static_cast<std::byte>(127 + exponent + (larger ? 1 : 0));
  }
}

}  // namespace

void fill_synthetic(const TensorSpec& spec,
                    std::uint64_t seed,
                    std::int64_t heads,
                    std::span<std::byte> out) {
  K3_CHECK(std::ssize(out) == spec.bytes(), "{}: {} bytes", spec.name, out.size());
  const Counter counter(seed, spec.name);
  if (spec.name.ends_with(".weight_packed")) return fill_bytes(counter, out);
  if (spec.name.ends_with(".weight_scale")) {
    return fill_scales(counter, inputs_of(spec) * kMxfp4Block, out);
  }
  const std::int64_t used =
      spec.name.ends_with(".A_log") ? std::min(heads, spec.elements()) : spec.elements();
  if (spec.dtype == DType::bf16) {
    fill_uniform(counter, range_of(spec), used, [&](std::int64_t i, float value) {
      const std::uint16_t bits = bf16_bits(value);
      std::memcpy(out.data() + 2 * i, &bits, 2);
    });
  } else {
    K3_CHECK(spec.dtype == DType::f32, "{}: type {}", spec.name, name_of(spec.dtype));
    std::fill(out.begin(), out.end(), std::byte{0});
    fill_uniform(counter, range_of(spec), used,
                 [&](std::int64_t i, float value) { std::memcpy(out.data() + 4 * i, &value, 4); });
  }
}

}  // namespace k3
