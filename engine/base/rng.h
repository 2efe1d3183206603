#pragma once

#include <cstdint>
#include <string_view>

namespace k3 {

/// The splitmix64 finaliser: a bijection of 64-bit words with good avalanche.
/// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
constexpr std::uint64_t splitmix64(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// One word from several, order matters: the seed of a counter-based draw.
template <class... Words>
constexpr std::uint64_t hash_words(std::uint64_t first, Words... rest) {
  std::uint64_t h = splitmix64(first);
  ((h = splitmix64(h ^ static_cast<std::uint64_t>(rest))), ...);
  return h;
}

/// Uniform in [0, 1) with 53 random bits.
constexpr double unit_interval(std::uint64_t word) {
  return static_cast<double>(word >> 11) * 0x1.0p-53;
}

/// A seeded stream of random words. Copying copies the position; `split` gives an independent
/// stream that depends on the seed and the name only, so that adding a consumer never shifts
/// another's draws.
class Rng {
 public:
  explicit constexpr Rng(std::uint64_t seed) : state_(splitmix64(seed)) {}

  constexpr Rng split(std::string_view name) const {
    std::uint64_t h = state_;
    for (const char c : name)
      h = splitmix64(h ^ static_cast<unsigned char>(c));
    return Rng(h);
  }

  constexpr Rng split(std::uint64_t index) const { return Rng(hash_words(state_, index)); }

  constexpr std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    return splitmix64(state_);
  }

  constexpr double uniform() { return unit_interval(next()); }

  /// Standard normal (Box-Muller, one of the pair).
  double normal();

 private:
  std::uint64_t state_;
};

}  // namespace k3
