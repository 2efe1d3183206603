#include "profiler/calibrate/sampler.h"

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cmath>
#include <thread>

namespace k3::calibrate {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double time_of(const std::function<void()>& body, int calls) {
  const auto begin = Clock::now();
  for (int i = 0; i < calls; ++i)
    body();
  return seconds_since(begin) / calls;
}

/// Runs `body` on threads side by side; the mean of what they measure.
Sample on_threads(int threads, const std::function<Sample(int, std::barrier<>&)>& body) {
  std::vector<Sample> samples(static_cast<std::size_t>(threads));
  std::barrier<> start(threads);
  {
    std::vector<std::jthread> running;
    for (int i = 0; i < threads; ++i) {
      running.emplace_back([&, i] { samples[static_cast<std::size_t>(i)] = body(i, start); });
    }
  }
  Sample mean;
  for (const Sample& sample : samples) {
    mean.seconds += sample.seconds / threads;
    mean.spread = std::max(mean.spread, sample.spread);
  }
  return mean;
}

}  // namespace

Sample median_sample(std::vector<double> seconds) {
  std::ranges::sort(seconds);
  const std::size_t count = seconds.size();
  const double median = seconds[count / 2];
  return {.seconds = median,
          .spread = (seconds[count * 3 / 4] - seconds[count / 4]) / std::max(median, 1e-12)};
}

Sample measure(const std::function<void()>& body, double budget) {
  constexpr double kShortest = 30e-6;  // of a sample; the clock is read in some 30 ns
  constexpr std::size_t kMost = 400;
  constexpr std::size_t kFewest = 2;
  const auto begin = Clock::now();
  std::vector<double> samples;
  // NOTE: the call that warms up counts only where there is hardly time for another.
  if (const double first = time_of(body, 1); first > budget) samples.push_back(first);
  const double once = std::max(time_of(body, 1), 1e-9);
  const int calls = static_cast<int>(std::ceil(std::min(kShortest / once, 1e5)));
  if (!samples.empty()) samples.push_back(once);
  while (samples.size() < kFewest || (samples.size() < kMost && seconds_since(begin) < budget)) {
    samples.push_back(std::max(time_of(body, calls), 1e-10));
  }
  return median_sample(std::move(samples));
}

Sample measure_together(int threads,
                        const std::function<std::function<void()>(int)>& make,
                        double budget) {
  return on_threads(threads, [&](int i, std::barrier<>& start) {
    const std::function<void()> body = make(i);
    start.arrive_and_wait();
    return measure(body, budget);
  });
}

Sample difference_together(int threads, const std::function<BodyPair(int)>& make, double budget) {
  constexpr int kCalls = 16;  // per sample
  constexpr std::size_t kFewest = 5;
  return on_threads(threads, [&](int i, std::barrier<>& start) {
    const BodyPair bodies = make(i);
    start.arrive_and_wait();
    const auto begin = Clock::now();
    std::vector<double> differences;
    std::vector<double> times;
    while (differences.size() < kFewest || seconds_since(begin) < budget) {
      bodies.base();  // what the longer one has put out of the caches comes back
      const double base = time_of(bodies.base, kCalls);
      times.push_back(time_of(bodies.longer, kCalls));
      differences.push_back(times.back() - base);
    }
    const double difference = median_sample(std::move(differences)).seconds;
    return Sample{.seconds = std::max(difference, 0.0),
                  .spread = median_sample(std::move(times)).spread};
  });
}

}  // namespace k3::calibrate
