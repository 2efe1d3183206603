#include "engine/comm/thread_communicator.h"

#include <atomic>
#include <cstring>
#include <functional>
#include <latch>
#include <numeric>
#include <thread>

#include <gtest/gtest.h>

#include "engine/base/rng.h"
#include "engine/device/backend.h"

namespace k3 {
namespace {

/// Host memory needs no queue.
class HostStream final : public Stream {
 public:
  void copy_to_device(void* device, const void* host, std::size_t bytes) override {
    std::memcpy(device, host, bytes);
  }

  void copy_to_host(void* host, const void* device, std::size_t bytes) override {
    std::memcpy(host, device, bytes);
  }

  void fill_zero(void* device, std::size_t bytes) override { std::memset(device, 0, bytes); }

  void synchronize() override {}

  int mark() override { return 0; }

  std::int64_t time_ns(int) const override { return 0; }

  void clear_marks() override {}
};

using RankBody = std::function<void(int rank, Communicator&)>;

void run_ranks(int num_ranks, const RankBody& body) {
  auto ends = make_thread_communicators(num_ranks);
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < num_ranks; ++rank) {
    threads.emplace_back([&, rank] { body(rank, *ends[static_cast<std::size_t>(rank)]); });
  }
}

/// The byte that `source` sends as its `index`-th to `destination` in `round`.
std::byte payload(int round, int source, int destination, std::int64_t index) {
  return static_cast<std::byte>(
      hash_words(static_cast<std::uint64_t>(round), source, destination, index));
}

/// Bytes from `source` to `destination`: a third of the pairs send nothing.
std::int64_t pair_bytes(int round, int source, int destination) {
  const std::uint64_t word =
      hash_words(static_cast<std::uint64_t>(round) + 1000, source, destination);
  return word % 3 == 0 ? 0 : static_cast<std::int64_t>((word >> 8) % 700);
}

void exchange_random(int round, int rank, Communicator& end) {
  const int n = end.size();
  std::vector<std::int64_t> send_bytes;
  std::vector<std::int64_t> receive_bytes;
  std::vector<std::byte> send;
  for (int other = 0; other < n; ++other) {
    send_bytes.push_back(pair_bytes(round, rank, other));
    receive_bytes.push_back(pair_bytes(round, other, rank));
    for (std::int64_t i = 0; i < send_bytes.back(); ++i) {
      send.push_back(payload(round, rank, other, i));
    }
  }
  const auto total = std::accumulate(receive_bytes.begin(), receive_bytes.end(), std::int64_t{0});
  std::vector<std::byte> receive(static_cast<std::size_t>(total));
  HostStream stream;
  const auto times = end.exchange({.send = send.data(),
                                   .send_bytes = send_bytes,
                                   .receive = receive.data(),
                                   .receive_bytes = receive_bytes},
                                  stream);
  // The sender's buffer is free once its call has returned.
  std::ranges::fill(send, std::byte{0});
  ASSERT_TRUE(times) << times.error().text();
  EXPECT_GE(times->wait_ns, 0);
  EXPECT_GE(times->move_ns, 0);
  std::size_t at = 0;
  for (int source = 0; source < n; ++source) {
    for (std::int64_t i = 0; i < receive_bytes[static_cast<std::size_t>(source)]; ++i, ++at) {
      ASSERT_EQ(receive[at], payload(round, source, rank, i)) << source << " to " << rank;
    }
  }
}

class EveryRankCount : public testing::TestWithParam<int> {};

TEST_P(EveryRankCount, ExchangeDeliversEveryBlock) {
  run_ranks(GetParam(), [](int rank, Communicator& end) {
    for (int round = 0; round < 5; ++round)
      exchange_random(round, rank, end);
  });
}

TEST_P(EveryRankCount, AllToAllTransposes) {
  const int n = GetParam();
  run_ranks(n, [n](int rank, Communicator& end) {
    std::vector<std::int64_t> send;
    for (int other = 0; other < n; ++other) {
      send.push_back(rank * 100 + other);
      send.push_back(-rank);
    }
    std::vector<std::int64_t> receive(send.size());
    ASSERT_TRUE(end.all_to_all(send, receive));
    std::ranges::fill(send, 0);
    for (int other = 0; other < n; ++other) {
      EXPECT_EQ(receive[static_cast<std::size_t>(2 * other)], other * 100 + rank);
      EXPECT_EQ(receive[static_cast<std::size_t>(2 * other) + 1], -other);
    }
  });
}

TEST_P(EveryRankCount, NobodyPassesABarrierBeforeAllHaveCome) {
  const int n = GetParam();
  std::atomic<int> arrived{0};
  run_ranks(n, [&](int, Communicator& end) {
    for (int round = 1; round <= 10; ++round) {
      ++arrived;
      ASSERT_TRUE(end.barrier());
      EXPECT_GE(arrived.load(), round * n);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, EveryRankCount, testing::Values(1, 2, 3, 4, 5, 7, 8, 13, 16, 72));

TEST(ThreadCommunicator, SameResultWhicheverThreadHoldsARank) {
  // Threads take the ends in reverse order: ranks belong to the ends, not to the threads.
  auto ends = make_thread_communicators(6);
  std::vector<std::jthread> threads;
  for (int i = 5; i >= 0; --i) {
    Communicator& end = *ends[static_cast<std::size_t>(i)];
    EXPECT_EQ(end.rank(), i);
    EXPECT_EQ(end.size(), 6);
    threads.emplace_back([&end] { exchange_random(3, end.rank(), end); });
  }
}

TEST(ThreadCommunicator, AbortEndsPendingAndLaterCallsOfAllRanks) {
  for (const int n : {2, 5, 16}) {
    std::atomic<int> cancelled{0};
    run_ranks(n, [&](int rank, Communicator& end) {
      ASSERT_TRUE(end.barrier());
      if (rank == n - 1) end.abort();
      for (int call = 0; call < 3; ++call) {
        const auto result = end.barrier();
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().code, Code::cancelled);
        ++cancelled;
      }
    });
    EXPECT_EQ(cancelled.load(), 3 * n);
  }
}

TEST(ThreadCommunicator, AbortFromOutsideWakesAWaitingExchange) {
  auto ends = make_thread_communicators(2);
  std::latch started(1);
  std::jthread waiting([&] {
    HostStream stream;
    const std::vector<std::int64_t> none(2, 0);
    started.count_down();
    const auto times = ends[0]->exchange({.send_bytes = none, .receive_bytes = none}, stream);
    ASSERT_FALSE(times);
    EXPECT_EQ(times.error().code, Code::cancelled);
  });
  started.wait();
  ends[1]->abort();
}

TEST(ThreadCommunicator, SizesThatDisagreeAreAnErrorOnEveryRank) {
  run_ranks(4, [](int rank, Communicator& end) {
    HostStream stream;
    std::vector<std::int64_t> send_bytes(4, 8);
    if (rank == 2) send_bytes[1] = 1 << 20;  // rank 1 expects 8 bytes like everybody
    const std::vector<std::int64_t> receive_bytes(4, 8);
    std::vector<std::byte> send(2 << 20);
    std::vector<std::byte> receive(32);
    const ExchangeArgs args{.send = send.data(),
                            .send_bytes = send_bytes,
                            .receive = receive.data(),
                            .receive_bytes = receive_bytes};
    const auto times = end.exchange(args, stream);
    ASSERT_FALSE(times);
    EXPECT_EQ(times.error().code, Code::internal);
    EXPECT_NE(times.error().message.find("rank 2 sends 1048576 bytes to rank 1, which expects 8"),
              std::string::npos);
    // The group is still usable.
    send_bytes[1] = 8;
    EXPECT_TRUE(end.exchange(args, stream));
  });
}

TEST(ThreadCommunicator, WrongNumberOfSizesIsAnErrorOnEveryRank) {
  run_ranks(3, [](int rank, Communicator& end) {
    HostStream stream;
    const std::vector<std::int64_t> sizes(rank == 1 ? 2 : 3, 0);
    EXPECT_FALSE(end.exchange({.send_bytes = sizes, .receive_bytes = sizes}, stream));
    std::vector<std::int64_t> values(rank == 1 ? 6 : 3, 0);
    std::vector<std::int64_t> received(values.size());
    EXPECT_FALSE(end.all_to_all(values, received));
  });
}

TEST(ThreadCommunicator, DifferentCallsAreAnErrorOnEveryRank) {
  run_ranks(3, [](int rank, Communicator& end) {
    std::vector<std::int64_t> values(3, rank);
    std::vector<std::int64_t> received(3);
    const auto result = rank == 1 ? end.all_to_all(values, received) : end.barrier();
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().message, "rank 0 calls barrier while rank 1 calls all_to_all");
  });
}

}  // namespace
}  // namespace k3
