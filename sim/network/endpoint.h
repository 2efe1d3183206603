#pragma once

#include <cstdint>
#include <vector>

#include "engine/hardware/machine.h"
#include "sim/network/byte_matrix.h"

namespace k3::sim {

/// The endpoint fidelity of the network model: the links of a rank are the only thing that its
/// transfer waits for. The switches of a single-tier rack do not block, so that what is left out is
/// that a flow can be held up at its other end. Every time is therefore a lower bound of the fluid
/// model's, and the largest one is the fluid makespan where flows can be rearranged freely.
///
/// With s_r and d_r the bytes that rank r sends to and receives from other ranks, P planes of
/// capacity C = links per plane × link bandwidth (one direction) and network efficiency η, every
/// plane carries 1/P of each flow (equal striping) and
///
///   link_r  = max(s_r, d_r) / P / (C · η)          time on the rank's busiest link
///   local_r = 2 · b_rr / (B · μ)                   copy of the rank's own rows, read and written
///   time_r  = t₀ + max(link_r + λ, local_r)        λ only where s_r + d_r > 0
///
/// with t₀ the start-up of one all-to-all, λ the one-way latency, B the memory bandwidth and μ the
/// memory efficiency. A rank that moves nothing still takes part for t₀.

/// What one rank moves in an all-to-all.
struct EndpointLoad {
  std::uint64_t sent = 0;      ///< to other ranks
  std::uint64_t received = 0;  ///< from other ranks
  std::uint64_t local = 0;     ///< to itself
};

std::vector<EndpointLoad> endpoint_loads(const ByteMatrix& matrix);

/// time_r in seconds, counted from the moment at which every rank has arrived.
double endpoint_seconds(const EndpointLoad& load, const Machine& machine);

/// time_r of every rank.
std::vector<double> endpoint_seconds(const ByteMatrix& matrix, const Machine& machine);

/// Largest bytes / capacity over all links at full link speed: no all-to-all of this matrix ends
/// earlier, whatever the efficiency.
double endpoint_bound_seconds(const ByteMatrix& matrix, const Machine& machine);

}  // namespace k3::sim
