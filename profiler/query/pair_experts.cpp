#include "profiler/query/pair_experts.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <sstream>
#include <tuple>
#include <utility>

#include <fmt/core.h>

#include "profiler/query/scope_internal.h"

namespace k3::query {
namespace {

/// Rank that holds each expert of each layer; no entry where replicas share an expert.
using Homes = std::map<int, std::vector<std::int32_t>>;

constexpr std::int32_t kNowhere = -1;
constexpr std::int32_t kSeveral = -2;

Result<Homes> homes_of(const store::SessionReader& session) {
  K3_TRY(const std::vector<PlacementRecord> placement, session.placement());
  Homes homes;
  for (const PlacementRecord& slot : placement) {
    if (slot.expert < 0) continue;
    std::vector<std::int32_t>& ranks = homes[slot.layer];
    const auto expert = static_cast<std::size_t>(slot.expert);
    if (ranks.size() <= expert) ranks.resize(expert + 1, kNowhere);
    ranks[expert] = ranks[expert] == kNowhere || ranks[expert] == slot.rank ? slot.rank : kSeveral;
  }
  return homes;
}

/// Tokens of each sequence of a step: prompts as recorded, else all alike.
std::optional<std::vector<std::int64_t>> sequence_tokens(const store::StepRow& step,
                                                         const std::string& prompt_lengths) {
  if (step.phase == Phase::prefill) {
    std::istringstream in(prompt_lengths);
    std::vector<std::int64_t> lengths;
    std::int64_t sum = 0;
    for (std::int64_t length = 0; in >> length; sum += length)
      lengths.push_back(length);
    if (sum == step.tokens) return lengths;
  }
  if (step.sequences <= 0 || step.tokens % step.sequences != 0) return std::nullopt;
  return std::vector<std::int64_t>(static_cast<std::size_t>(step.sequences),
                                   step.tokens / step.sequences);
}

std::vector<std::int32_t> owners_of(const std::vector<std::int64_t>& lengths, int num_ranks) {
  std::vector<std::int32_t> owners;
  for (std::size_t s = 0; s < lengths.size(); ++s) {
    owners.insert(owners.end(), static_cast<std::size_t>(lengths[s]),
                  static_cast<std::int32_t>(s % static_cast<std::size_t>(num_ranks)));
  }
  return owners;
}

struct Cell {
  int source = 0;
  int destination = 0;
};

using Counts = std::map<std::tuple<Direction, int, int>, std::uint64_t>;

/// Copies of one direction in one layer; the token's owner sends dispatches and gets combines.
void count_layer(const RoutingRecord& record,
                 const std::vector<std::int32_t>& owners,
                 const std::vector<std::int32_t>& homes,
                 const std::pair<Direction, Cell>& asked,
                 Counts& counts) {
  const auto& [direction, cell] = asked;
  const bool out = direction == Direction::dispatch;
  const std::int32_t owner = out ? cell.source : cell.destination;
  const std::int32_t home = out ? cell.destination : cell.source;
  const auto top_k = static_cast<std::size_t>(record.top_k);
  for (std::size_t token = 0; token < owners.size(); ++token) {
    if (owners[token] != owner) continue;
    for (std::size_t k = 0; k < top_k; ++k) {
      const std::uint16_t expert = record.experts[token * top_k + k];
      if (expert < homes.size() && homes[expert] == home) {
        ++counts[{direction, record.layer, expert}];
      }
    }
  }
}

bool any_shared(const std::vector<std::int32_t>& homes) {
  return std::find(homes.begin(), homes.end(), kSeveral) != homes.end();
}

/// Empty, or why the step cannot be counted.
Result<std::string> count_step(const store::SessionReader& session,
                               const store::StepRow& step,
                               const Homes& homes,
                               const std::pair<TrafficFilter, Cell>& asked,
                               Counts& counts) {
  const auto& [filter, cell] = asked;
  K3_TRY(const std::vector<RoutingRecord> layers, session.routing(step.step));
  if (layers.empty()) {
    return fmt::format(
        "step {} holds no expert choices. Runs that K3Rack executes record them; "
        "simulations draw or replay them without keeping them.",
        step.step);
  }
  K3_TRY(const std::string prompts, session.meta("prompt_lengths"));
  const auto lengths = sequence_tokens(step, prompts);
  if (!lengths) {
    return fmt::format("step {} does not say which tokens belong to which sequence.", step.step);
  }
  const std::vector<std::int32_t> owners = owners_of(*lengths, session.num_ranks());
  for (const RoutingRecord& record : layers) {
    if (filter.layer && record.layer != *filter.layer) continue;
    const auto home = homes.find(record.layer);
    if (home == homes.end()) return std::string("the run stored no placement of experts.");
    if (any_shared(home->second)) {
      return fmt::format(
          "experts of layer {} have replicas; which of them served a token was not "
          "recorded.",
          record.layer);
    }
    if (record.experts.size() !=
        owners.size() * static_cast<std::size_t>(std::max(0, record.top_k))) {
      return fmt::format("step {} has choices of {} tokens in layer {}, it counts {}.", step.step,
                         record.num_tokens, record.layer, step.tokens);
    }
    for (const Direction direction : {Direction::dispatch, Direction::combine}) {
      if (filter.direction && *filter.direction != direction) continue;
      count_layer(record, owners, home->second, {direction, cell}, counts);
    }
  }
  return std::string();
}

}  // namespace

Result<PairExperts> pair_experts(const store::SessionReader& session,
                                 const TrafficFilter& filter,
                                 int source,
                                 int destination) {
  const int ranks = session.num_ranks();
  if (source < 0 || source >= ranks || destination < 0 || destination >= ranks) {
    return fail(Code::invalid_input,
                fmt::format("no pair {} → {}; ranks are 0 to {}", source, destination, ranks - 1));
  }
  K3_TRY(const auto steps, session.steps());
  K3_TRY(const Homes homes, homes_of(session));
  const Scope scope{filter.phase, filter.step, filter.layer};
  PairExperts out;
  Counts counts;
  for (const store::StepRow& step : steps) {
    if (!in_scope(scope, step)) continue;
    K3_TRY(out.reason, count_step(session, step, homes, {filter, {source, destination}}, counts));
    if (!out.reason.empty()) return out;
  }
  for (const auto& [key, copies] : counts) {
    out.experts.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), copies});
    out.copies += copies;
  }
  std::stable_sort(
      out.experts.begin(), out.experts.end(),
      [](const ExpertCopies& a, const ExpertCopies& b) { return a.copies > b.copies; });
  K3_TRY(const TrafficSum recorded, traffic_matrix(session, filter));
  const auto cell = static_cast<std::size_t>(source) * static_cast<std::size_t>(ranks) +
                    static_cast<std::size_t>(destination);
  if (recorded.copies[cell] != out.copies) {
    out.reason = fmt::format(
        "{} copies by the recorded choices, {} by the recorded traffic: tokens are not owned by "
        "rank = sequence mod ranks here.",
        out.copies, recorded.copies[cell]);
    out.experts.clear();
  }
  return out;
}

}  // namespace k3::query
