#pragma once

#include <chrono>
#include <stop_token>

#include "profiler/store/database.h"

namespace k3::store {

/// While it lives, statements fail with Code::cancelled once `seconds` have passed since its begin,
/// or once `stop` is requested by whatever thread.
class QueryLimit {
 public:
  QueryLimit(const Database& database, double seconds, std::stop_token stop);
  ~QueryLimit();
  QueryLimit(const QueryLimit&) = delete;
  QueryLimit& operator=(const QueryLimit&) = delete;
  QueryLimit(QueryLimit&&) = delete;
  QueryLimit& operator=(QueryLimit&&) = delete;

 private:
  const Database& database_;
  std::chrono::steady_clock::time_point end_;
  std::stop_token stop_;
};

}  // namespace k3::store
