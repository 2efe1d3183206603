#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <vector>

#include "engine/trace/trace.h"
#include "profiler/calibrate/host_tables.h"
#include "profiler/calibrate/test_data.h"

namespace k3::calibrate {
namespace {

constexpr double kMiB = 1 << 20;
constexpr std::int64_t kProductSide = 128;  // matrices of Mini K3
constexpr std::int64_t kProductBytes = kProductSide * kProductSide * 2;
constexpr std::int64_t kExpertSide = 64;

std::int64_t expert_bytes() {
  return ExpertPool(1, kExpertSide, kExpertSide).bytes_per_expert();
}

/// One core and all of them.
sim::TableAxis core_axis(int cores) {
  sim::TableAxis axis{.name = "cores", .points = {1}};
  if (cores > 1) axis.points.push_back(cores);
  return axis;
}

class CoreBench {
 public:
  CoreBench(Backend& backend, double cache_bytes)
      : kernels_(backend.kernels()), backend_(backend), cache_bytes_(cache_bytes) {}

  void set_budget(double seconds) { budget_ = seconds; }

  /// GB/s of all threads together, reading or copying blocks that no cache holds.
  Sample read_bandwidth(int threads) const;
  Sample copy_bandwidth(int threads) const;
  /// Time of a product in the caches beside `threads` − 1 others, over the time alone.
  Sample crowding(int threads) const;
  /// Extra microseconds per MiB of weights that come from memory, over weights in the caches.
  Sample cold_read(int threads) const;
  Sample cold_expert(int threads) const;
  Sample empty_task(int threads) const;

 private:
  /// Bytes that each thread walks through, so that all together exceed the cache by far.
  std::int64_t pool_bytes(int threads) const {
    constexpr double kTimes = 4;
    constexpr double kLeast = 64 * kMiB;
    constexpr double kMost = 1024 * kMiB;
    return static_cast<std::int64_t>(std::clamp(kTimes * cache_bytes_, kLeast, kMost)) / threads;
  }

  std::function<void()> product(std::int64_t bytes) const;
  std::function<void()> expert(std::int64_t bytes) const;

  const KernelTable& kernels_;
  Backend& backend_;
  double cache_bytes_;
  double budget_ = 0;
};

Sample rate_of(const Sample& sample, double bytes) {
  return {.seconds = bytes / sample.seconds * 1e-9, .spread = sample.spread};
}

Sample CoreBench::read_bandwidth(int threads) const {
  const std::int64_t bytes = pool_bytes(threads);
  std::atomic<std::uint64_t> seen{0};  // NOTE: so that the compiler cannot drop the reads
  const Sample sample = measure_together(
      threads,
      [&](int) {
        auto block = std::make_shared<std::vector<std::uint64_t>>(
            static_cast<std::size_t>(bytes) / sizeof(std::uint64_t), 1);
        return [block, &seen] {
          std::uint64_t sums[8] = {};
          for (std::size_t i = 0; i + 8 <= block->size(); i += 8) {
            for (std::size_t k = 0; k < 8; ++k)
              sums[k] += (*block)[i + k];
          }
          seen += std::accumulate(std::begin(sums), std::end(sums), std::uint64_t{0});
        };
      },
      budget_);
  return rate_of(sample, static_cast<double>(bytes) * threads);
}

Sample CoreBench::copy_bandwidth(int threads) const {
  const std::int64_t bytes = pool_bytes(threads) / 2;
  const Sample sample = measure_together(
      threads,
      [&](int) {
        auto from = std::make_shared<std::vector<char>>(static_cast<std::size_t>(bytes), 'a');
        auto to = std::make_shared<std::vector<char>>(static_cast<std::size_t>(bytes), 'b');
        return [from, to] { std::memcpy(to->data(), from->data(), from->size()); };
      },
      budget_);
  return rate_of(sample, static_cast<double>(bytes) * threads);
}

/// One token times matrices [128, 128] one after the other, `bytes` of them.
std::function<void()> CoreBench::product(std::int64_t bytes) const {
  struct State {
    Bf16Matrix weights;
    std::unique_ptr<Stream> stream;
    std::vector<float> x = random_floats(kProductSide);
    std::vector<float> out = x;
    std::int64_t next = 0;
  };

  const std::int64_t count = std::max<std::int64_t>(bytes / kProductBytes, 1);
  auto state =
      std::make_shared<State>(State{.weights = Bf16Matrix(count * kProductSide, kProductSide),
                                    .stream = backend_.make_stream(0).value()});
  return [this, state, count] {
    ops::Matrix matrix = state->weights.view();
    matrix.data = state->weights.values.data() + state->next * kProductSide * kProductSide;
    matrix.rows = kProductSide;
    kernels_.linear({state->x.data(), matrix, state->out.data(), 1}, *state->stream);
    state->next = (state->next + 1) % count;
  };
}

/// One row through experts of latent and inner width 64 in scattered order, `bytes` of them.
std::function<void()> CoreBench::expert(std::int64_t bytes) const {
  struct State {
    ExpertPool pool;
    std::unique_ptr<Stream> stream;
    std::vector<float> x = random_floats(kExpertSide);
    std::vector<float> out = x;
    std::size_t next = 0;
  };

  const std::int64_t count = std::max<std::int64_t>(bytes / expert_bytes(), 1);
  auto state = std::make_shared<State>(State{.pool = ExpertPool(count, kExpertSide, kExpertSide),
                                             .stream = backend_.make_stream(0).value()});
  return [this, state] {
    constexpr std::size_t kStride = 7919;
    const std::int64_t first_row[] = {0, 1};
    state->next = (state->next + kStride) % state->pool.experts.size();
    kernels_.expert_mlp({.x = state->x.data(),
                         .experts = &state->pool.experts[state->next],
                         .first_row = first_row,
                         .beta = 4.0F,
                         .linear_beta = 25.0F,
                         .out = state->out.data(),
                         .num_experts = 1,
                         .latent = kExpertSide,
                         .width = kExpertSide},
                        *state->stream);
  };
}

Sample CoreBench::crowding(int threads) const {
  const auto make = [this](int) { return product(1); };
  const double alone = measure_together(1, make, budget_).seconds;
  const Sample together = measure_together(threads, make, budget_);
  const double ratio = threads == 1 ? 1 : together.seconds / alone;
  return {.seconds = std::max(ratio, 1.0), .spread = together.spread};
}

Sample per_mib(const Sample& sample, std::int64_t bytes) {
  return {.seconds = sample.seconds * kMiB / static_cast<double>(bytes), .spread = sample.spread};
}

Sample CoreBench::cold_read(int threads) const {
  const auto make = [&](int) { return BodyPair{product(1), product(pool_bytes(threads))}; };
  return per_mib(difference_together(threads, make, budget_), kProductBytes);
}

Sample CoreBench::cold_expert(int threads) const {
  const auto make = [&](int) { return BodyPair{expert(1), expert(pool_bytes(threads))}; };
  return per_mib(difference_together(threads, make, budget_), expert_bytes());
}

/// What the runtime does around the work of a task: marks, a span, a count that all ranks share.
Sample CoreBench::empty_task(int threads) const {
  constexpr int kTasks = 1024;
  std::atomic<std::int64_t> done{0};
  Sample sample = measure_together(
      threads,
      [&](int) {
        auto stream = std::shared_ptr<Stream>(backend_.make_stream(0).value());
        auto spans = std::make_shared<std::vector<Span>>();
        return [stream, spans, &done] {
          spans->clear();
          for (int i = 0; i < kTasks; ++i) {
            const int begin = stream->mark();
            const int end = stream->mark();
            spans->push_back({.begin_ns = stream->time_ns(begin),
                              .duration_ns = stream->time_ns(end) - stream->time_ns(begin)});
            ++done;
          }
          stream->clear_marks();
        };
      },
      budget_);
  sample.seconds /= kTasks;
  return sample;
}

}  // namespace

void add_core_tables(Backend& backend, int cores, double cache_bytes, Recorder& recorder) {
  const auto bench = std::make_shared<CoreBench>(backend, cache_bytes);
  const sim::TableAxis axis = core_axis(cores);
  const auto add = [&](GridSpec spec, Sample (CoreBench::*measured)(int) const) {
    spec.axes = {axis};
    spec.weight = 10;  // differences of times are small and noisy
    spec.sample = [bench, measured](std::span<const double> point, double budget) {
      bench->set_budget(budget);
      return (*bench.*measured)(static_cast<int>(point[0]));
    };
    recorder.add(std::move(spec));
  };
  add({.name = "read_bandwidth", .about = "read from memory, cores together", .unit = "GB/s"},
      &CoreBench::read_bandwidth);
  add({.name = "copy_bandwidth", .about = "bytes copied, cores together", .unit = "GB/s"},
      &CoreBench::copy_bandwidth);
  add({.name = "cold_read", .about = "extra time per MiB of bf16 weights from memory"},
      &CoreBench::cold_read);
  add({.name = "cold_expert", .about = "extra time per MiB of MXFP4 experts from memory"},
      &CoreBench::cold_expert);
  add({.name = "crowding", .about = "time of a product beside busy cores, 1 = alone", .unit = "1"},
      &CoreBench::crowding);
  add({.name = "task", .about = "walking and recording a task without work"},
      &CoreBench::empty_task);
}

}  // namespace k3::calibrate
