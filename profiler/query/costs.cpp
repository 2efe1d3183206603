#include "profiler/query/costs.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>

#include "profiler/query/scope_internal.h"
#include "profiler/store/row_values.h"

namespace k3::query {
namespace {

using store::Statement;

constexpr double kUsPerNs = 1e-3;

/// Steps of each phase.
Result<std::array<std::int64_t, 2>> count_steps(const store::SessionReader& session,
                                                const Scope& scope) {
  K3_TRY(const auto steps, session.steps());
  std::array<std::int64_t, 2> counts{};
  for (const store::StepRow& step : steps) {
    if (in_scope(scope, step)) ++counts[static_cast<std::size_t>(step.phase)];
  }
  return counts;
}

}  // namespace

Result<std::vector<LayerCost>> layer_costs(const store::SessionReader& session,
                                           const Scope& scope) {
  K3_TRY(Statement query,
         session.database().prepare(
             "SELECT phase, kind, layer, stage, count(*), sum(ranks), sum(busy_ns), sum(wait_ns), "
             "avg(max_ns), sum(flops), sum(bytes) FROM step_cost JOIN step USING (step)" +
             std::string(kInScope) + "GROUP BY phase, kind, layer, stage"));
  bind_scope(query, scope);
  std::vector<LayerCost> costs;
  K3_TRY_VOID(store::for_each_row(query, [&](const Statement& row) -> Result<void> {
    LayerCost& cost = costs.emplace_back();
    K3_TRY(cost.phase, store::enum_at<Phase>(row, 0));
    K3_TRY(cost.kind, store::enum_at<TaskKind>(row, 1));
    K3_TRY(cost.layer, store::layer_at(row, 2));
    K3_TRY(cost.stage, store::enum_at<Stage>(row, 3));
    cost.steps = static_cast<int>(row.integer(4));
    const auto ranks = static_cast<double>(std::max<std::int64_t>(1, row.integer(5)));
    cost.wait_us = static_cast<double>(row.integer(7)) * kUsPerNs / ranks;
    cost.mean_us = static_cast<double>(row.integer(6)) * kUsPerNs / ranks + cost.wait_us;
    cost.slowest_rank_us = row.real(8) * kUsPerNs;
    cost.flops = row.real(9) / ranks;
    cost.bytes = row.real(10) / ranks;
    return {};
  }));
  const auto order = [](const LayerCost& cost) {
    return std::tuple(cost.phase, cost.kind, cost.layer, cost.stage);
  };
  std::sort(costs.begin(), costs.end(),
            [&](const LayerCost& a, const LayerCost& b) { return order(a) < order(b); });
  return costs;
}

Result<std::vector<KindCost>> step_breakdown(const store::SessionReader& session,
                                             const Scope& scope) {
  K3_TRY(const auto num_steps, count_steps(session, scope));
  K3_TRY(Statement query,
         session.database().prepare("SELECT phase, kind, sum(busy_ns), sum(wait_ns) FROM step_cost "
                                    "JOIN step USING (step)" +
                                    std::string(kInScope) + "GROUP BY phase, kind"));
  bind_scope(query, scope);
  std::vector<KindCost> kinds;
  std::array<double, 2> sum_us{};
  K3_TRY_VOID(store::for_each_row(query, [&](const Statement& row) -> Result<void> {
    KindCost& kind = kinds.emplace_back();
    K3_TRY(kind.phase, store::enum_at<Phase>(row, 0));
    K3_TRY(kind.kind, store::enum_at<TaskKind>(row, 1));
    const auto phase = static_cast<std::size_t>(kind.phase);
    const double shares = static_cast<double>(num_steps[phase]) * session.num_ranks();
    kind.wait_us = static_cast<double>(row.integer(3)) * kUsPerNs / std::max(1.0, shares);
    kind.mean_us =
        static_cast<double>(row.integer(2)) * kUsPerNs / std::max(1.0, shares) + kind.wait_us;
    sum_us[phase] += kind.mean_us;
    return {};
  }));
  for (KindCost& kind : kinds) {
    const double sum = sum_us[static_cast<std::size_t>(kind.phase)];
    kind.share = sum > 0 ? kind.mean_us / sum : 0;
  }
  std::sort(kinds.begin(), kinds.end(), [](const KindCost& a, const KindCost& b) {
    return std::tuple(a.phase, a.kind) < std::tuple(b.phase, b.kind);
  });
  return kinds;
}

Result<std::vector<RankTime>> rank_times(const store::SessionReader& session) {
  K3_TRY_VOID(session.ensure_totals());
  std::vector<RankTime> ranks(static_cast<std::size_t>(session.num_ranks()));
  for (std::size_t i = 0; i < ranks.size(); ++i)
    ranks[i].rank = static_cast<int>(i);
  K3_TRY(Statement query,
         session.database().prepare("SELECT rank, category, sum(busy_ns) FROM lane_summary "
                                    "JOIN lane USING (lane_id) GROUP BY rank, category"));
  K3_TRY_VOID(store::for_each_row(query, [&](const Statement& row) -> Result<void> {
    K3_TRY(const auto rank, store::index_at<std::size_t>(row, 0, std::ssize(ranks)));
    K3_TRY(const auto category, store::enum_at<SpanCategory>(row, 1));
    const double us = static_cast<double>(row.integer(2)) * kUsPerNs;
    switch (category) {
      case SpanCategory::compute:
        ranks[rank].compute_us += us;
        break;
      case SpanCategory::transfer:
        ranks[rank].transfer_us += us;
        break;
      case SpanCategory::wait:
        ranks[rank].wait_us += us;
        break;
      case SpanCategory::memory:
      case SpanCategory::other:
        ranks[rank].other_us += us;
        break;
    }
    return {};
  }));
  return ranks;
}

}  // namespace k3::query
