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

}  // namespace

Sample quartiles(std::vector<double> seconds) {
  std::ranges::sort(seconds);
  const double low = seconds[seconds.size() / 4];
  const double high = seconds[seconds.size() * 3 / 4];
  return {.seconds = low, .spread = high / low - 1};
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
  return quartiles(std::move(samples));
}

Sample measure_together(int threads,
                        const std::function<std::function<void()>(int)>& make,
                        double budget) {
  std::vector<Sample> samples(static_cast<std::size_t>(threads));
  std::barrier start(threads);
  {
    std::vector<std::jthread> running;
    for (int i = 0; i < threads; ++i) {
      running.emplace_back([&, i] {
        const std::function<void()> body = make(i);
        start.arrive_and_wait();
        samples[static_cast<std::size_t>(i)] = measure(body, budget);
      });
    }
  }
  Sample mean;
  for (const Sample& sample : samples) {
    mean.seconds += sample.seconds / threads;
    mean.spread = std::max(mean.spread, sample.spread);
  }
  return mean;
}

}  // namespace k3::calibrate
