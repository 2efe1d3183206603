#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "profiler/query/lanes.h"

namespace k3::query {

/// One sender's part in what a receiver waited for: from the time when the sender's rows were ready
/// (it entered the exchange) to the time when the receiver's transfer began.
struct Flow {
  std::size_t from_span = 0;  ///< what the sender did until then, or first did in the exchange
  std::size_t to_span = 0;    ///< the receiver's transfer
  std::int64_t from_ns = 0;
  std::int64_t to_ns = 0;
};

/// The arrows of one dispatch or combine that touch the rank of one span.
struct Flows {
  std::vector<Flow> incoming;  ///< from every other rank, the latest first
  std::vector<Flow> outgoing;  ///< to every other rank, the latest first
  std::size_t left_out = 0;    ///< arrows beyond the limit, of both kinds
};

/// Flows of the dispatch or combine (same step, layer and direction) that `span` belongs to; empty
/// for other spans. At most `limit` of each kind.
Flows flows_of(const Lanes& lanes, std::size_t span, std::size_t limit = 256);

}  // namespace k3::query
