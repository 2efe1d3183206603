#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

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

/// Time of one collective between threads that do nothing else, as rank 0 sees it.
Sample time_collective(int ranks, const MakeCall& make, double budget) {
  constexpr int kWarmUp = 5;
  constexpr int kGroup = 10;  // calls per sample: a rank may run ahead by one
  auto ends = make_thread_communicators(ranks);
  std::vector<double> samples;
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < ranks; ++rank) {
      threads.emplace_back([&, rank] {
        Communicator& end = *ends[static_cast<std::size_t>(rank)];
        const Call call = make(end);
        for (int i = 0; i < kWarmUp && call(); ++i) {
        }
        const auto begin = Clock::now();
        for (bool running = true; running;) {
          const auto sample = Clock::now();
          for (int i = 0; i < kGroup && running; ++i)
            running = call().has_value();
          if (rank != 0 || !running) continue;
          samples.push_back(seconds_since(sample) / kGroup);
          // NOTE: the others notice in their next call.
          if (seconds_since(begin) > budget) end.abort(), running = false;
        }
      });
    }
  }
  return samples.empty() ? Sample{} : quartiles(std::move(samples));
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
                  .weight = 2});
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
                .weight = 2});
}

}  // namespace k3::calibrate
