#include "engine/runtime/rank_threads.h"

#include <exception>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include <fmt/core.h>

namespace k3 {
namespace {

Result<void> run_caught(int rank, const std::function<Result<void>(int rank)>& body) {
  try {
    return body(rank);
  } catch (const std::bad_alloc&) {
    return fail(Code::does_not_fit, "host memory is used up", fmt::format("rank {}", rank));
  } catch (const std::exception& error) {
    return fail(Code::internal, error.what(), fmt::format("rank {}", rank));
  }
}

/// A rank that was stopped by another's failure says less than the one that failed.
Result<void> first_cause(std::vector<Result<void>>& results) {
  for (auto& result : results) {
    if (!result && result.error().code != Code::cancelled) return std::move(result);
  }
  for (auto& result : results) {
    if (!result) return std::move(result);
  }
  return {};
}

}  // namespace

Result<void> run_on_ranks(std::span<const std::unique_ptr<Communicator>> communicators,
                          const std::function<Result<void>(int rank)>& body) {
  std::vector<Result<void>> results(communicators.size());
  {
    std::vector<std::jthread> threads;
    threads.reserve(communicators.size());
    for (std::size_t i = 0; i < communicators.size(); ++i) {
      threads.emplace_back([&, i] {
        results[i] = run_caught(static_cast<int>(i), body);
        if (!results[i]) communicators[i]->abort();
      });
    }
  }
  return first_cause(results);
}

}  // namespace k3
