#pragma once

#include <bit>
#include <cstdint>

// Exponential, logistic and hyperbolic tangent from additions and multiplications in double:
// rounded to float32 they are within 0.5 ulp + 1e-9 of the true value, the same on every CPU (libm
// picks other code where there is fused multiply-add), and loops over them vectorise.
namespace k3::reference {

namespace detail {

/// e^x = 2^n (1 + q) with |ln(1 + q)| <= ln(2)/2.
struct ReducedExp {
  double power;  ///< 2^n
  double q;
};

inline ReducedExp reduce_exp(double x) {
  // NOTE: float32 results are 0 or infinite long before ±200; the limit keeps 2^n a normal double.
  x = x < -200.0 ? -200.0 : x;
  x = x > 200.0 ? 200.0 : x;
  constexpr double kLog2e = 0x1.71547652b82fep0;
  constexpr double kLn2High = 0x1.62e42fefa38p-1;  // 45 bits: n · kLn2High is exact
  constexpr double kLn2Low = 0x1.ef35793c7673p-45;
  constexpr double kToInteger = 0x1.8p52;  // adding it leaves the rounded integer in the low bits
  const double shifted = x * kLog2e + kToInteger;
  const double n = shifted - kToInteger;
  const double r = (x - n * kLn2High) - n * kLn2Low;
  double sum = 1.0 / 362880;  // Taylor series to r^9; the rest is below 7e-12
  sum = sum * r + 1.0 / 40320;
  sum = sum * r + 1.0 / 5040;
  sum = sum * r + 1.0 / 720;
  sum = sum * r + 1.0 / 120;
  sum = sum * r + 1.0 / 24;
  sum = sum * r + 1.0 / 6;
  sum = sum * r + 0.5;
  const double q = r + r * r * sum;
  const std::uint64_t exponent = (std::bit_cast<std::uint64_t>(shifted) + 1023) << 52;
  return {std::bit_cast<double>(exponent), q};
}

/// e^x − 1 without cancellation near 0.
inline double exp_minus_one(double x) {
  const ReducedExp e = reduce_exp(x);
  return e.power * e.q + (e.power - 1.0);
}

}  // namespace detail

inline double exp(double x) {
  const detail::ReducedExp e = detail::reduce_exp(x);
  return e.power * e.q + e.power;
}

inline double sigmoid(double x) {
  return 1.0 / (2.0 + detail::exp_minus_one(-x));
}

inline double tanh(double x) {
  const double e = detail::exp_minus_one(2.0 * x);
  return e / (e + 2.0);
}

}  // namespace k3::reference
