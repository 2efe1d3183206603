#pragma once

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace k3 {

/// Calls work(0) … work(count − 1), each once, on up to `threads` threads of which the caller is
/// one. Which thread takes which index is open; `work` must not throw and must not touch what
/// another index writes.
template <class Work>
void parallel_for(std::size_t count, int threads, const Work& work) {
  std::atomic<std::size_t> next{0};
  const auto take = [&] {
    for (std::size_t i = next++; i < count; i = next++)
      work(i);
  };
  std::vector<std::jthread> helpers;
  for (int i = 1; i < threads && static_cast<std::size_t>(i) < count; ++i)
    helpers.emplace_back(take);
  take();
}

/// Threads that this computer runs at once; at least 1.
inline int num_cores() {
  const unsigned cores = std::thread::hardware_concurrency();
  return cores == 0 ? 1 : static_cast<int>(cores);
}

}  // namespace k3
