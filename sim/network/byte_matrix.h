#pragma once

#include <cstdint>
#include <vector>

#include "engine/plan/work.h"

namespace k3::sim {

/// What every rank sends to every rank, row-major [source][destination]. The diagonal is local: it
/// is part of the matrix and never crosses a link.
struct ByteMatrix {
  int num_ranks = 0;
  std::vector<std::uint64_t> bytes;

  std::uint64_t at(int source, int destination) const {
    return bytes[static_cast<std::size_t>(source) * static_cast<std::size_t>(num_ranks) +
                 static_cast<std::size_t>(destination)];
  }
};

/// Rows of a dispatch or combine times the bytes of one row.
ByteMatrix byte_matrix(const TrafficMatrix& traffic, std::int64_t bytes_per_row);

/// Pairs of different ranks that move something.
std::int64_t num_flows(const ByteMatrix& matrix);

}  // namespace k3::sim
