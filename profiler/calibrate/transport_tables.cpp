#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "engine/base/rng.h"
#include "engine/comm/thread_communicator.h"
#include "profiler/calibrate/host_tables.h"

namespace k3::calibrate {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// 1, 2, 4 … ranks, beyond the cores so that ranks share them.
sim::TableAxis rank_axis(int cores) {
  constexpr int kLeast = 16;
  sim::TableAxis axis{.name = "ranks", .points = {}};
  for (int ranks = 1; ranks <= std::max(2 * cores, kLeast); ranks *= 2)
    axis.points.push_back(ranks);
  return axis;
}

/// One rank's call of a collective, made over and over.
using Call = std::function<Result<void>()>;
using MakeCall = std::function<Call(Communicator&)>;

/// Arithmetic of about 50 us that touches no memory: what ranks do between two collectives.
class Work {
 public:
  Work() {
    constexpr double kSeconds = 50e-6;
    constexpr int kTrial = 20000;
    turns_ = kTrial;
    const double trial = measure([this] { (*this)(); }, 2e-3).seconds;
    turns_ = std::max(static_cast<int>(kTrial * kSeconds / trial), 1);
  }

  void operator()() const {
    std::uint64_t word = 1;
    for (int i = 0; i < turns_; ++i)
      word = splitmix64(word);
    sink_.store(word, std::memory_order_relaxed);  // NOTE: or the compiler drops the loop
  }

 private:
  int turns_ = 0;
  mutable std::atomic<std::uint64_t> sink_{0};
};

/// One sample of rank 0: the time that a collective adds between two pieces of work. Ranks that
/// wait sleep and have to be woken, and what else runs on the host takes their core meanwhile, so
/// that calls back to back say too little.
std::optional<double> added_seconds(const Call& call, const Work& work) {
  constexpr int kGroup = 10;
  if (!call()) return std::nullopt;
  const auto begin = Clock::now();
  for (int i = 0; i < kGroup; ++i) {
    work();
    if (!call()) return std::nullopt;
  }
  const auto middle = Clock::now();
  for (int i = 0; i < kGroup; ++i)
    work();
  if (!call()) return std::nullopt;
  const double with = std::chrono::duration<double>(middle - begin).count();
  return (with - seconds_since(middle)) / (kGroup - 1);
}

/// Time that one collective takes between threads which work in between, as rank 0 sees it.
Sample time_collective(int ranks, const MakeCall& make, double budget) {
  constexpr double kLeast = 1e-7;  // of a difference that is mostly noise
  auto ends = make_thread_communicators(ranks);
  if (ranks == 1) {
    const Call call = make(*ends[0]);
    return measure([&] { static_cast<void>(call()); }, budget);
  }
  const Work work;
  std::vector<double> samples;
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < ranks; ++rank) {
      threads.emplace_back([&, rank] {
        Communicator& end = *ends[static_cast<std::size_t>(rank)];
        const Call call = make(end);
        const auto begin = Clock::now();
        while (const auto seconds = added_seconds(call, work)) {
          if (rank != 0) continue;
          samples.push_back(std::max(*seconds, kLeast));
          // NOTE: the others notice in their next call.
          if (seconds_since(begin) > budget && samples.size() >= 3) {
            end.abort();
            break;
          }
        }
      });
    }
  }
  return samples.empty() ? Sample{} : median_sample(std::move(samples));
}

Call exchange_call(Communicator& end, Backend& backend, std::int64_t bytes) {
  struct State {
    std::unique_ptr<Stream> stream;
    std::vector<std::int64_t> sizes;
    std::vector<std::byte> sent;
    std::vector<std::byte> received;
  };

  const std::int64_t part = bytes / end.size();
  const auto size = static_cast<std::size_t>(part * end.size());
  auto state = std::make_shared<State>(
      State{.stream = backend.make_stream(0).value(),
            .sizes = std::vector<std::int64_t>(static_cast<std::size_t>(end.size()), part),
            .sent = std::vector<std::byte>(size),
            .received = std::vector<std::byte>(size)});
  return [state, &end]() -> Result<void> {
    K3_TRY_VOID(end.exchange({.send = state->sent.data(),
                              .send_bytes = state->sizes,
                              .receive = state->received.data(),
                              .receive_bytes = state->sizes},
                             *state->stream));
    return {};
  };
}

Sample time_threads(std::span<const double> point, double budget) {
  const auto ranks = static_cast<std::size_t>(point[0]);
  const auto body = [ranks] {
    std::vector<std::jthread> threads;
    threads.reserve(ranks);
    for (std::size_t i = 0; i < ranks; ++i)
      threads.emplace_back([] {});
  };
  return measure(body, budget);
}

Call counts_call(Communicator& end) {
  struct State {
    std::vector<std::int64_t> sent;
    std::vector<std::int64_t> received;
  };

  const auto size = static_cast<std::size_t>(2 * end.size());
  auto state = std::make_shared<State>(State{.sent = std::vector<std::int64_t>(size, 1),
                                             .received = std::vector<std::int64_t>(size)});
  return [state, &end] { return end.all_to_all(state->sent, state->received); };
}

}  // namespace

void add_transport_tables(Backend& backend, int cores, Recorder& recorder) {
  const sim::TableAxis ranks = rank_axis(cores);
  const auto add = [&](std::string name, std::string about, MakeCall make) {
    recorder.add({.name = std::move(name),
                  .about = std::move(about),
                  .axes = {ranks},
                  .sample =
                      [make = std::move(make)](std::span<const double> point, double budget) {
                        return time_collective(static_cast<int>(point[0]), make, budget);
                      },
                  .weight = 6});
  };
  recorder.add({.name = "start",
                .about = "starting and joining one thread per rank",
                .axes = {ranks},
                .sample = time_threads});
  add("barrier", "one barrier of all ranks",
      [](Communicator& end) { return [&end] { return end.barrier(); }; });
  add("all_to_all", "two counts from every rank to every rank", counts_call);
  recorder.add({.name = "exchange",
                .about = "variable-size all-to-all, bytes that each rank receives",
                .axes = {ranks, {"bytes", {256, 4096, 65536, 1048576}}},
                .sample =
                    [&backend](std::span<const double> point, double budget) {
                      const auto bytes = static_cast<std::int64_t>(point[1]);
                      const auto make = [&backend, bytes](Communicator& end) {
                        return exchange_call(end, backend, bytes);
                      };
                      return time_collective(static_cast<int>(point[0]), make, budget);
                    },
                .weight = 6});
}

}  // namespace k3::calibrate
