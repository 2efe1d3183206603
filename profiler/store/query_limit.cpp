#include "profiler/store/query_limit.h"

#include <utility>

#include <sqlite3.h>

namespace k3::store {
namespace {

constexpr int kInstructionsPerLook = 10'000;

}  // namespace

QueryLimit::QueryLimit(const Database& database, double seconds, std::stop_token stop)
    : database_(database),
      end_(std::chrono::steady_clock::now() +
           std::chrono::duration_cast<std::chrono::steady_clock::duration>(
               std::chrono::duration<double>(seconds))),
      stop_(std::move(stop)) {
  const auto is_over = [](void* data) {
    const auto* limit = static_cast<const QueryLimit*>(data);
    return static_cast<int>(limit->stop_.stop_requested() ||
                            std::chrono::steady_clock::now() >= limit->end_);
  };
  sqlite3_progress_handler(database.handle(), kInstructionsPerLook, is_over, this);
}

QueryLimit::~QueryLimit() {
  sqlite3_progress_handler(database_.handle(), 0, nullptr, nullptr);
}

}  // namespace k3::store
