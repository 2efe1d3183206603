#include "engine/comm/thread_communicator.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <numeric>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "engine/base/check.h"
#include "engine/device/backend.h"

namespace k3 {
namespace {

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

enum class Call : std::uint8_t { barrier, all_to_all, exchange };

constexpr std::string_view name_of(Call call) {
  switch (call) {
    case Call::barrier:
      return "barrier";
    case Call::all_to_all:
      return "all_to_all";
    case Call::exchange:
      return "exchange";
  }
  return "?";
}

/// What a rank lays open to the others before it waits for them. Valid until the rank leaves the
/// call.
struct Offer {
  Call call = Call::barrier;
  std::span<const std::int64_t> send;     ///< all_to_all: the values; exchange: bytes per rank
  std::span<const std::int64_t> receive;  ///< exchange: bytes per rank
  std::size_t receive_size = 0;           ///< all_to_all: values
  const std::byte* rows = nullptr;        ///< exchange: send buffer
  std::vector<std::int64_t> offsets;      ///< exchange: begin of each rank's part in `rows`
};

/// What all ranks of a group share. Everything is guarded by `mutex_`, except that offers may be
/// read without it between the two meetings of a call, when nobody writes them.
class Group {
 public:
  explicit Group(int num_ranks) : offers_(static_cast<std::size_t>(num_ranks)) {}

  int size() const { return static_cast<int>(offers_.size()); }

  Offer& offer(int rank) { return offers_[static_cast<std::size_t>(rank)]; }

  /// First meeting of a call: all offers are made. The last rank to come compares them; what it
  /// finds is the result of all.
  Result<void> meet() {
    std::unique_lock lock(mutex_);
    if (aborted_) return stopped();
    if (arrive()) {
      verdict_ = compare();
      release();
    } else {
      const std::uint64_t mine = generation_;
      changed_.wait(lock, [&] { return generation_ != mine || aborted_; });
      if (generation_ == mine) return stopped();
    }
    return verdict_;
  }

  /// Second meeting: nobody reads offers any longer. Not ended by abort, since every rank that
  /// passed the first meeting is on its way here and may still be reading.
  void part() {
    std::unique_lock lock(mutex_);
    if (arrive()) {
      release();
      return;
    }
    const std::uint64_t mine = generation_;
    changed_.wait(lock, [&] { return generation_ != mine; });
  }

  void abort() {
    const std::lock_guard lock(mutex_);
    aborted_ = true;
    changed_.notify_all();
  }

 private:
  bool arrive() { return ++arrived_ == size(); }

  void release() {
    arrived_ = 0;
    ++generation_;
    changed_.notify_all();
  }

  static Result<void> stopped() { return fail(Code::cancelled, "another rank has stopped"); }

  Result<void> compare() const;
  Result<void> compare_exchange() const;

  std::mutex mutex_;
  std::condition_variable changed_;
  int arrived_ = 0;
  std::uint64_t generation_ = 0;
  bool aborted_ = false;
  Result<void> verdict_;
  std::vector<Offer> offers_;
};

Result<void> Group::compare() const {
  const Offer& first = offers_.front();
  for (int rank = 0; rank < size(); ++rank) {
    const Offer& other = offers_[static_cast<std::size_t>(rank)];
    if (other.call != first.call) {
      return fail(Code::internal, fmt::format("rank 0 calls {} while rank {} calls {}",
                                              name_of(first.call), rank, name_of(other.call)));
    }
    if (other.call != Call::all_to_all) continue;
    if (other.send.size() != first.send.size() || other.receive_size != other.send.size() ||
        other.send.size() % offers_.size() != 0) {
      return fail(
          Code::internal,
          fmt::format("all_to_all: rank {} sends {} and receives {} values, rank 0 sends {}; "
                      "all must be the same multiple of {} ranks",
                      rank, other.send.size(), other.receive_size, first.send.size(), size()));
    }
  }
  return first.call == Call::exchange ? compare_exchange() : Result<void>{};
}

Result<void> Group::compare_exchange() const {
  for (int rank = 0; rank < size(); ++rank) {
    const Offer& offer = offers_[static_cast<std::size_t>(rank)];
    if (offer.send.size() != offers_.size() || offer.receive.size() != offers_.size()) {
      return fail(Code::internal,
                  fmt::format("exchange: rank {} gives {} and {} sizes for {} ranks", rank,
                              offer.send.size(), offer.receive.size(), size()));
    }
  }
  for (std::size_t source = 0; source < offers_.size(); ++source) {
    for (std::size_t destination = 0; destination < offers_.size(); ++destination) {
      const std::int64_t sent = offers_[source].send[destination];
      const std::int64_t expected = offers_[destination].receive[source];
      if (sent == expected && sent >= 0) continue;
      return fail(Code::internal,
                  fmt::format("exchange: rank {} sends {} bytes to rank {}, which expects {}",
                              source, sent, destination, expected));
    }
  }
  return {};
}

class ThreadCommunicator final : public Communicator {
 public:
  ThreadCommunicator(std::shared_ptr<Group> group, int rank)
      : group_(std::move(group)), rank_(rank) {}

  int rank() const override { return rank_; }

  int size() const override { return group_->size(); }

  Result<void> barrier() override {
    group_->offer(rank_).call = Call::barrier;
    return group_->meet();
  }

  Result<void> all_to_all(std::span<const std::int64_t> send,
                          std::span<std::int64_t> receive) override;
  Result<ExchangeTimes> exchange(const ExchangeArgs& args, Stream& stream) override;

  void abort() override { group_->abort(); }

 private:
  void receive_parts(const ExchangeArgs& args) const;

  std::shared_ptr<Group> group_;
  int rank_;
};

Result<void> ThreadCommunicator::all_to_all(std::span<const std::int64_t> send,
                                            std::span<std::int64_t> receive) {
  Offer& mine = group_->offer(rank_);
  mine.call = Call::all_to_all;
  mine.send = send;
  mine.receive_size = receive.size();
  K3_TRY_VOID(group_->meet());
  const std::size_t count = send.size() / static_cast<std::size_t>(size());
  for (int source = 0; source < size(); ++source) {
    const auto part =
        group_->offer(source).send.subspan(static_cast<std::size_t>(rank_) * count, count);
    std::ranges::copy(part, receive.begin() + static_cast<std::ptrdiff_t>(count) * source);
  }
  group_->part();
  return {};
}

Result<ExchangeTimes> ThreadCommunicator::exchange(const ExchangeArgs& args, Stream& stream) {
  stream.synchronize();
  Offer& mine = group_->offer(rank_);
  mine.call = Call::exchange;
  mine.send = args.send_bytes;
  mine.receive = args.receive_bytes;
  mine.rows = static_cast<const std::byte*>(args.send);
  mine.offsets.resize(args.send_bytes.size());
  std::exclusive_scan(args.send_bytes.begin(), args.send_bytes.end(), mine.offsets.begin(),
                      std::int64_t{0});
  const std::int64_t begin = now_ns();
  K3_TRY_VOID(group_->meet());
  const std::int64_t met = now_ns();
  receive_parts(args);
  const std::int64_t moved = now_ns();
  group_->part();
  return ExchangeTimes{
      .begin_ns = begin, .wait_ns = (met - begin) + (now_ns() - moved), .move_ns = moved - met};
}

void ThreadCommunicator::receive_parts(const ExchangeArgs& args) const {
  auto* to = static_cast<std::byte*>(args.receive);
  for (int source = 0; source < size(); ++source) {
    const auto bytes =
        static_cast<std::size_t>(args.receive_bytes[static_cast<std::size_t>(source)]);
    if (bytes == 0) continue;
    const Offer& offer = group_->offer(source);
    std::memcpy(to, offer.rows + offer.offsets[static_cast<std::size_t>(rank_)], bytes);
    to += bytes;
  }
}

}  // namespace

std::vector<std::unique_ptr<Communicator>> make_thread_communicators(int num_ranks) {
  K3_CHECK(num_ranks >= 1, "a group of {} ranks", num_ranks);
  auto group = std::make_shared<Group>(num_ranks);
  std::vector<std::unique_ptr<Communicator>> ends;
  ends.reserve(static_cast<std::size_t>(num_ranks));
  for (int rank = 0; rank < num_ranks; ++rank) {
    ends.push_back(std::make_unique<ThreadCommunicator>(group, rank));
  }
  return ends;
}

}  // namespace k3
