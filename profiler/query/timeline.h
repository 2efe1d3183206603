#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/trace/trace.h"
#include "profiler/store/session_reader.h"

namespace k3::query {

/// The spans of one step with what their indices mean.
struct Timeline {
  int step = 0;
  std::int64_t begin_ns = 0;
  std::int64_t duration_ns = 0;
  std::vector<Lane> lanes;         ///< Span::lane
  std::vector<std::string> names;  ///< Span::name
  std::vector<TaskRecord> tasks;   ///< Span::task
  std::vector<Span> spans;         ///< in the order written
};

/// Errors: not_found if there is no such step
Result<Timeline> timeline(const store::SessionReader& session, int step);

}  // namespace k3::query
