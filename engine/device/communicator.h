#pragma once

#include <cstdint>
#include <span>

#include "engine/base/result.h"

namespace k3 {

class Stream;

/// When an exchange began on this rank, how long it waited for other ranks and how long it moved
/// data, nanoseconds of the host's steady clock.
struct ExchangeTimes {
  std::int64_t begin_ns = 0;
  std::int64_t wait_ns = 0;
  std::int64_t move_ns = 0;
};

/// One block of an exchange: `send_bytes[r]` bytes for each rank r, back to back in rank order, and
/// the same on the receiving side. Buffers are device memory of the rank.
struct ExchangeArgs {
  const void* send = nullptr;
  std::span<const std::int64_t> send_bytes;
  void* receive = nullptr;
  std::span<const std::int64_t> receive_bytes;
};

/// One rank's end of a group of ranks. Collective: every rank makes the same calls in the same
/// order. A rank that stops early calls `abort`; every other rank's pending or next call then fails
/// with Code::cancelled instead of hanging.
class Communicator {
 public:
  Communicator() = default;
  virtual ~Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  Communicator(Communicator&&) = delete;
  Communicator& operator=(Communicator&&) = delete;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  virtual Result<void> barrier() = 0;

  /// `send` [size × count], rank r's part to rank r; `receive` likewise. Host memory.
  virtual Result<void> all_to_all(std::span<const std::int64_t> send,
                                  std::span<std::int64_t> receive) = 0;

  /// Variable-size all-to-all of bytes; the sizes agree pairwise (exchange them by all_to_all).
  virtual Result<ExchangeTimes> exchange(const ExchangeArgs& args, Stream& stream) = 0;

  virtual void abort() = 0;
};

}  // namespace k3
