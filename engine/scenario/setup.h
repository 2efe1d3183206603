#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/task_kind.h"
#include "engine/hardware/machine.h"
#include "engine/model/model_config.h"

namespace k3 {

/// The machine that is no file: this host, as its calibration describes it.
inline constexpr std::string_view kLocalMachine = "local";

/// How many ranks there are. Experts are spread over all of them (`expert` = `ranks`); attention is
/// data-parallel: every rank owns whole sequences.
struct ParallelSpec {
  int ranks = 1;
};

/// What one run computes. Sequence s belongs to rank s mod ranks.
struct WorkloadSpec {
  Phase phase = Phase::decode;
  int sequences_per_rank = 1;
  std::int64_t context = 0;              ///< tokens in the cache before the first step
  std::int64_t tokens_per_sequence = 1;  ///< new tokens per sequence and step (prefill); decode: 1
  int steps = 1;
};

enum class RoutingSourceKind : std::uint8_t { uniform, zipf, lognormal, file, recorded, model };

/// Where expert choices come from. `model`: the router itself (executor only).
struct RoutingSpec {
  RoutingSourceKind source = RoutingSourceKind::uniform;
  double sigma = 0.3;     ///< lognormal: standard deviation of ln popularity
  double exponent = 0.8;  ///< zipf
  std::uint64_t seed = 1;
  std::filesystem::path path;  ///< file: load matrix; recorded: session
};

enum class PlacementPolicy : std::uint8_t { contiguous, file };

struct PlacementSpec {
  PlacementPolicy policy = PlacementPolicy::contiguous;
  std::filesystem::path path;
};

enum class PrecisionMode : std::uint8_t { float32, serving };
enum class NumberFormat : std::uint8_t { float32, bf16, fp8, mxfp8, mxfp4, nvfp4 };

/// Formats of what is stored and moved. float32 mode: everything float32 but the weights as stored.
struct PrecisionSpec {
  PrecisionMode mode = PrecisionMode::serving;
  NumberFormat activations = NumberFormat::bf16;
  NumberFormat expert_activations = NumberFormat::mxfp8;
  NumberFormat expert_weights = NumberFormat::mxfp4;
  NumberFormat router = NumberFormat::float32;
  NumberFormat dispatch = NumberFormat::mxfp8;
  NumberFormat combine = NumberFormat::bf16;
  NumberFormat kv = NumberFormat::fp8;
  NumberFormat kda_state = NumberFormat::float32;
};

enum class CombineReduce : std::uint8_t { rank, none };
enum class Overlap : std::uint8_t { none, shared_expert };
/// Fidelity of the network (sim/README.md), and what of the links a simulated session keeps.
enum class NetworkModel : std::uint8_t { exact, endpoint };
enum class LinkDetail : std::uint8_t { none, totals, layers, samples };

struct ExecutionSpec {
  bool dispatch_dedup = true;                          ///< [dispatch] dedup
  CombineReduce combine_reduce = CombineReduce::rank;  ///< [combine] reduce
  Overlap overlap = Overlap::none;
  bool graph = true;  ///< kernels replayed from a graph
};

struct ExecutorSpec {
  std::string backend = "auto";
  std::string transport = "threads";
};

/// A scenario with every name resolved and every unit normalised: plain values, nothing left to
/// look up.
struct Setup {
  std::string title;
  ModelConfig model;
  std::filesystem::path model_source;               ///< config file; or the folder of `checkpoint`
  std::optional<std::filesystem::path> checkpoint;  ///< absent: synthetic weights
  std::uint64_t weights_seed = 1;
  std::optional<Machine>
      machine;  ///< absent without a [machine] section: only simulation needs one
  /// Of preset = "local", this host: what it was measured to be. Its `machine` has a name only.
  std::optional<std::filesystem::path> calibration;
  ParallelSpec parallel;
  WorkloadSpec workload;
  RoutingSpec routing;
  PlacementSpec placement;
  PrecisionSpec precision;
  ExecutionSpec execution;
  NetworkModel network = NetworkModel::exact;
  LinkDetail links = LinkDetail::totals;
  ExecutorSpec executor;
  std::string resolved_toml;  ///< the full resolved scenario, as stored in sessions

  /// The machine is this host: ranks share its memory, there is no network.
  bool on_local() const { return machine && machine->name == kLocalMachine; }
};

std::string_view name_of(NumberFormat format);
std::string_view name_of(RoutingSourceKind source);

/// Bytes that `elements` consecutive values take in a format: mxfp8 and fp8 rows carry one scale
/// byte per 32 values, mxfp4 likewise, nvfp4 one per 16 (K3's latent row: bf16 7168, mxfp8 3696,
/// nvfp4 2016).
std::int64_t row_bytes(NumberFormat format, std::int64_t elements);

}  // namespace k3
