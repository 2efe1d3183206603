#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/hardware/machine.h"
#include "engine/hardware/topology.h"
#include "sim/network/byte_matrix.h"

namespace k3::sim {

/// The endpoint fidelity of the network model: the links of a rank's own GPU are the only thing
/// that its transfer waits for. The switches of a rack do not block, so that what is left out is
/// that a flow can be held up at its other end, and between racks by leaves and spines. A time is
/// therefore a lower bound of the fluid model's (but where a rank's slow plane is one that its
/// peers have lost).
///
/// Bytes inside a rack are striped equally over the lines to all planes that the GPU has left; the
/// slowest line ends last. With n_p lines to plane p, c_p of one line's capacity left, the sum and
/// the minimum over planes with c_p > 0, s_r and d_r the bytes that rank r sends to and receives
/// from ranks of its rack, S_r and D_r to and from other racks, C_nic what is left of its NIC and η
/// the network efficiency:
///
///   C_r     = Σ n_p · min c_p                               gpu_bandwidth of a healthy machine
///   link_r  = max( max(s_r, d_r) / C_r, max(S_r, D_r) / C_nic ) / η
///   local_r = 2 · b_rr / (B · μ)                            copy of the rank's own rows, read and
///                                                           written
///   time_r  = t₀ + max(link_r + λ, local_r)                 λ only where something crosses a link
///
/// with t₀ the start-up of one all-to-all, λ the one-way latency (of the scale-out network if
/// something crosses it), B the memory bandwidth and μ the memory efficiency. A rank that moves
/// nothing still takes part for t₀.

/// The links of a rank: what is left of them, one direction (faults are the same in both).
struct EndpointPort {
  int rack = 0;
  Bandwidth planes;  ///< C_r; 0: no plane is left
  Bandwidth nic;     ///< C_nic, the lesser of NIC and its link to the leaf; 0: none
};

/// Of rank r on gpus[r].
std::vector<EndpointPort> endpoint_ports(const Topology& topology, std::span<const int> gpus);

/// Of ranks on the first GPUs that the machine has left, of which there are enough.
std::vector<EndpointPort> endpoint_ports(const Machine& machine, int num_ranks);

/// What one rank moves in an all-to-all.
struct EndpointLoad {
  std::uint64_t sent = 0;          ///< to other ranks of its rack
  std::uint64_t received = 0;      ///< from other ranks of its rack
  std::uint64_t sent_out = 0;      ///< to other racks
  std::uint64_t received_out = 0;  ///< from other racks
  std::uint64_t local = 0;         ///< to itself
};

/// All ranks in one rack.
std::vector<EndpointLoad> endpoint_loads(const ByteMatrix& matrix);

std::vector<EndpointLoad> endpoint_loads(const ByteMatrix& matrix,
                                         std::span<const EndpointPort> ports);

/// t₀ + max(link_r + λ, local_r) for any link_r, that of this model or of the exact one.
double exchange_seconds(const EndpointLoad& load, double link_s, const Machine& machine);

/// time_r of every rank in seconds, counted from the moment at which every rank has arrived.
/// Infinite for a rank that has no link left for what it has to move.
std::vector<double> endpoint_seconds(const ByteMatrix& matrix,
                                     const Machine& machine,
                                     std::span<const EndpointPort> ports);

/// The same with ports as endpoint_ports(machine) gives them.
std::vector<double> endpoint_seconds(const ByteMatrix& matrix, const Machine& machine);

/// Largest link_r at full link speed (η = 1).
double endpoint_bound_seconds(const ByteMatrix& matrix, const Machine& machine);

}  // namespace k3::sim
