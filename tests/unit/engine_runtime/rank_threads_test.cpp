#include "engine/runtime/rank_threads.h"

#include <atomic>
#include <stdexcept>

#include <gtest/gtest.h>

#include "engine/comm/thread_communicator.h"

namespace k3 {
namespace {

TEST(RankThreads, RunsEveryRankOnce) {
  const auto communicators = make_thread_communicators(5);
  std::atomic<int> sum{0};
  ASSERT_TRUE(run_on_ranks(communicators, [&](int rank) -> Result<void> {
    sum += 1 << rank;
    return communicators[static_cast<std::size_t>(rank)]->barrier();
  }));
  EXPECT_EQ(sum.load(), 31);
}

TEST(RankThreads, AFailureEndsTheOthersAndIsTheOneReported) {
  const auto communicators = make_thread_communicators(4);
  const auto result = run_on_ranks(communicators, [&](int rank) -> Result<void> {
    if (rank == 2) return fail(Code::does_not_fit, "out of memory");
    return communicators[static_cast<std::size_t>(rank)]->barrier();
  });
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().text(), "out of memory");
}

TEST(RankThreads, AnExceptionBecomesAnErrorThatNamesTheRank) {
  const auto communicators = make_thread_communicators(3);
  const auto result = run_on_ranks(communicators, [&](int rank) -> Result<void> {
    if (rank == 1) throw std::runtime_error("device lost");
    return communicators[static_cast<std::size_t>(rank)]->barrier();
  });
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::internal);
  EXPECT_EQ(result.error().text(), "rank 1: device lost");
}

}  // namespace
}  // namespace k3
