#include "profiler/query/expert_load.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include <fmt/core.h>

#include "profiler/query/scope_internal.h"
#include "profiler/store/row_values.h"

namespace k3::query {
namespace {

using store::Statement;

/// What an expert's number must stay below in a sound file: ids are stored as 16 bit.
constexpr std::int64_t kMaxExperts = 1 << 16;

/// From the totals that are stored for all steps.
Result<std::vector<ExpertLoad>> loads_of_run(const store::SessionReader& session) {
  K3_TRY_VOID(session.ensure_totals());
  K3_TRY(Statement query,
         session.database().prepare(
             "SELECT layer, expert, rank, tokens FROM expert_load_total ORDER BY layer"));
  std::vector<ExpertLoad> loads;
  K3_TRY_VOID(store::for_each_row(query, [&](const Statement& row) -> Result<void> {
    K3_TRY(const std::int16_t layer, store::layer_at(row, 0));
    if (loads.empty() || loads.back().layer != layer) loads.emplace_back().layer = layer;
    ExpertLoad& load = loads.back();
    K3_TRY(const auto expert, store::index_at<std::int64_t>(row, 1, kMaxExperts, -1));
    const auto tokens = static_cast<std::uint64_t>(row.integer(3));
    if (expert >= 0) {
      const auto index = static_cast<std::size_t>(expert);
      if (load.expert_tokens.size() <= index) load.expert_tokens.resize(index + 1);
      load.expert_tokens[index] += tokens;
    }
    if (row.is_null(2)) return {};
    K3_TRY(const auto rank, store::index_at<std::size_t>(row, 2, session.num_ranks()));
    load.rank_tokens.resize(static_cast<std::size_t>(session.num_ranks()));
    load.rank_tokens[rank] += tokens;
    return {};
  }));
  return loads;
}

template <class T>
void add_to(std::vector<std::uint64_t>& sums, const std::vector<T>& values) {
  if (sums.size() < values.size()) sums.resize(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    sums[i] += values[i];
}

/// Rank of every slot of every layer, slots ascending.
Result<std::map<int, std::vector<std::int32_t>>> slot_ranks(const store::SessionReader& session) {
  K3_TRY(const std::vector<PlacementRecord> placement, session.placement());
  std::map<int, std::vector<std::int32_t>> ranks;
  for (const PlacementRecord& slot : placement)
    ranks[slot.layer].push_back(slot.rank);
  return ranks;
}

Result<std::vector<ExpertLoad>> loads_of_steps(const store::SessionReader& session,
                                               const Scope& scope) {
  K3_TRY(const auto steps, session.steps());
  K3_TRY(const auto ranks_of, slot_ranks(session));
  std::map<int, ExpertLoad> layers;
  for (const store::StepRow& step : steps) {
    if (!in_scope(scope, step)) continue;
    K3_TRY(const std::vector<ExpertLoadRecord> records, session.expert_load(step.step));
    for (const ExpertLoadRecord& record : records) {
      ExpertLoad& load = layers[record.layer];
      load.layer = record.layer;
      add_to(load.expert_tokens, record.expert_tokens);
      const auto ranks = ranks_of.find(record.layer);
      if (ranks == ranks_of.end() || ranks->second.size() != record.slot_tokens.size()) continue;
      load.rank_tokens.resize(static_cast<std::size_t>(session.num_ranks()));
      for (std::size_t slot = 0; slot < record.slot_tokens.size(); ++slot) {
        const auto rank = static_cast<std::size_t>(ranks->second[slot]);
        load.rank_tokens[rank] += record.slot_tokens[slot];
      }
    }
  }
  std::vector<ExpertLoad> loads;
  for (auto& [layer, load] : layers)
    loads.push_back(std::move(load));
  return loads;
}

}  // namespace

double max_over_mean(const std::vector<std::uint64_t>& loads) {
  const std::uint64_t sum = std::accumulate(loads.begin(), loads.end(), std::uint64_t{0});
  if (sum == 0) return 1;
  const auto max = static_cast<double>(*std::max_element(loads.begin(), loads.end()));
  return max * static_cast<double>(loads.size()) / static_cast<double>(sum);
}

Result<std::vector<ExpertLoad>> expert_loads(const store::SessionReader& session,
                                             const Scope& scope) {
  const bool all_steps = !scope.phase && !scope.step;
  K3_TRY(std::vector<ExpertLoad> loads,
         all_steps ? loads_of_run(session) : loads_of_steps(session, scope));
  if (scope.layer) {
    std::erase_if(loads, [&](const ExpertLoad& load) { return load.layer != *scope.layer; });
  }
  for (ExpertLoad& load : loads) {
    load.expert_balance = max_over_mean(load.expert_tokens);
    load.rank_balance = max_over_mean(load.rank_tokens);
  }
  return loads;
}

Result<ExpertLoad> expert_load(const store::SessionReader& session, int layer) {
  K3_TRY(std::vector<ExpertLoad> loads, expert_loads(session));
  for (ExpertLoad& load : loads) {
    if (load.layer == layer) return std::move(load);
  }
  if (loads.empty()) {
    return fail(Code::not_found, "no expert load was recorded", session.path().string());
  }
  return fail(Code::not_found,
              fmt::format("layer {} has no expert load; layers {} to {} have", layer,
                          loads.front().layer, loads.back().layer),
              session.path().string());
}

}  // namespace k3::query
