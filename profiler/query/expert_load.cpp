#include "profiler/query/expert_load.h"

#include <algorithm>
#include <numeric>

#include <fmt/core.h>

#include "profiler/store/row_values.h"

namespace k3::query {
namespace {

using store::Statement;

/// What an expert's number must stay below in a sound file: ids are stored as 16 bit.
constexpr std::int64_t kMaxExperts = 1 << 16;

}  // namespace

double max_over_mean(const std::vector<std::uint64_t>& loads) {
  const std::uint64_t sum = std::accumulate(loads.begin(), loads.end(), std::uint64_t{0});
  if (sum == 0) return 1;
  const auto max = static_cast<double>(*std::max_element(loads.begin(), loads.end()));
  return max * static_cast<double>(loads.size()) / static_cast<double>(sum);
}

Result<std::vector<ExpertLoad>> expert_loads(const store::SessionReader& session) {
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
