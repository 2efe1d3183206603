#include "sim/network/byte_matrix.h"

namespace k3::sim {

ByteMatrix byte_matrix(const TrafficMatrix& traffic, std::int64_t bytes_per_row) {
  ByteMatrix matrix{traffic.num_ranks, std::vector<std::uint64_t>(traffic.rows.size())};
  for (std::size_t cell = 0; cell < traffic.rows.size(); ++cell) {
    matrix.bytes[cell] = traffic.rows[cell] * static_cast<std::uint64_t>(bytes_per_row);
  }
  return matrix;
}

std::int64_t num_flows(const ByteMatrix& matrix) {
  std::int64_t flows = 0;
  for (int source = 0; source < matrix.num_ranks; ++source) {
    for (int destination = 0; destination < matrix.num_ranks; ++destination) {
      flows += source != destination && matrix.at(source, destination) > 0 ? 1 : 0;
    }
  }
  return flows;
}

}  // namespace k3::sim
