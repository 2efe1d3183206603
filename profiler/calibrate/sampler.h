#pragma once

#include <functional>
#include <vector>

namespace k3::calibrate {

/// A measured time: the lower quartile of the samples, as other work on the host only adds, and how
/// far the upper quartile lies above it, as a share.
struct Sample {
  double seconds = 0;
  double spread = 0;
};

Sample quartiles(std::vector<double> seconds);

/// Time of one call of `body`. Calls it once to warm up, then as often as `budget` seconds allow
/// (at least twice), short calls many at a time so that the clock does not count.
Sample measure(const std::function<void()>& body, double budget);

/// Runs `make(i)` on thread i for every i < threads at the same time and measures the bodies that
/// it gives, all side by side; the mean over the threads.
Sample measure_together(int threads,
                        const std::function<std::function<void()>(int)>& make,
                        double budget);

}  // namespace k3::calibrate
