#pragma once

#include <functional>
#include <vector>

namespace k3::calibrate {

/// A measured time: the median of the samples, and the distance of their quartiles as a share of
/// it.
struct Sample {
  double seconds = 0;
  double spread = 0;
};

/// Shape: at least one sample
Sample median_sample(std::vector<double> seconds);

/// Time of one call of `body`. Calls it once to warm up, then as often as `budget` seconds allow
/// (at least twice), short calls many at a time so that the clock does not count.
Sample measure(const std::function<void()>& body, double budget);

/// Runs `make(i)` on thread i for every i < threads at the same time and measures the bodies that
/// it gives, all side by side; the mean over the threads.
Sample measure_together(int threads,
                        const std::function<std::function<void()>(int)>& make,
                        double budget);

/// The same for how much longer one body takes than another: both are called in turns, so that what
/// else the host does meets both alike; the median of the differences of neighbours, at least 0.
/// `spread` is a share of the longer time.
struct BodyPair {
  std::function<void()> base;
  std::function<void()> longer;
};

Sample difference_together(int threads, const std::function<BodyPair(int)>& make, double budget);

}  // namespace k3::calibrate
