#pragma once

#include <compare>
#include <cstdint>

namespace k3 {

/// A span of time, or a point counted from the begin of a run. Stored in picoseconds (one byte at
/// 900 GB/s is 1.1 ps); range 106 days.
struct Time {
  std::int64_t ps = 0;

  static constexpr Time from_seconds(double s) {
    return {static_cast<std::int64_t>(s * 1e12 + (s < 0 ? -0.5 : 0.5))};
  }

  static constexpr Time from_ns(std::int64_t ns) { return {ns * 1000}; }

  constexpr double seconds() const { return static_cast<double>(ps) * 1e-12; }

  constexpr double us() const { return static_cast<double>(ps) * 1e-6; }

  constexpr double ms() const { return static_cast<double>(ps) * 1e-9; }

  /// Nanoseconds, rounded to nearest.
  constexpr std::int64_t ns() const { return (ps + (ps < 0 ? -500 : 500)) / 1000; }

  friend constexpr auto operator<=>(Time, Time) = default;

  friend constexpr Time operator+(Time a, Time b) { return {a.ps + b.ps}; }

  friend constexpr Time operator-(Time a, Time b) { return {a.ps - b.ps}; }

  friend constexpr Time operator*(Time a, std::int64_t k) { return {a.ps * k}; }

  constexpr Time& operator+=(Time b) {
    ps += b.ps;
    return *this;
  }
};

/// An amount of data in bytes.
struct Bytes {
  std::int64_t count = 0;

  constexpr double value() const { return static_cast<double>(count); }

  friend constexpr auto operator<=>(Bytes, Bytes) = default;

  friend constexpr Bytes operator+(Bytes a, Bytes b) { return {a.count + b.count}; }

  friend constexpr Bytes operator-(Bytes a, Bytes b) { return {a.count - b.count}; }

  friend constexpr Bytes operator*(Bytes a, std::int64_t k) { return {a.count * k}; }

  constexpr Bytes& operator+=(Bytes b) {
    count += b.count;
    return *this;
  }
};

/// Bytes per second (decimal giga: 900 GB/s = 9e11).
struct Bandwidth {
  double bytes_per_second = 0;

  friend constexpr auto operator<=>(Bandwidth, Bandwidth) = default;

  friend constexpr Bandwidth operator*(Bandwidth a, double k) { return {a.bytes_per_second * k}; }
};

/// Floating point operations; a multiply-add counts as two.
struct FlopCount {
  double count = 0;

  friend constexpr auto operator<=>(FlopCount, FlopCount) = default;

  friend constexpr FlopCount operator+(FlopCount a, FlopCount b) { return {a.count + b.count}; }
};

struct FlopRate {
  double per_second = 0;

  friend constexpr auto operator<=>(FlopRate, FlopRate) = default;

  friend constexpr FlopRate operator*(FlopRate a, double k) { return {a.per_second * k}; }
};

/// Time to move `size` at `rate`, in seconds; 0 for size 0 whatever the rate.
constexpr double seconds_to_move(Bytes size, Bandwidth rate) {
  return size.count == 0 ? 0.0 : size.value() / rate.bytes_per_second;
}

inline namespace literals {
constexpr Time operator""_ns(unsigned long long v) {
  return {static_cast<std::int64_t>(v) * 1000};
}

constexpr Time operator""_us(unsigned long long v) {
  return {static_cast<std::int64_t>(v) * 1'000'000};
}

constexpr Time operator""_ms(unsigned long long v) {
  return {static_cast<std::int64_t>(v) * 1'000'000'000};
}

constexpr Bandwidth operator""_GBps(unsigned long long v) {
  return {static_cast<double>(v) * 1e9};
}

constexpr Bytes operator""_GiB(unsigned long long v) {
  return {static_cast<std::int64_t>(v) << 30};
}
}  // namespace literals

}  // namespace k3
