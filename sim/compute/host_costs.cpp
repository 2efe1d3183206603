#include "sim/compute/host_costs.h"

#include <algorithm>
#include <numeric>

#include <fmt/core.h>

namespace k3::sim {
namespace {

constexpr double kMicrosecond = 1e-6;
/// Beyond the measured range a cost may be half or twice the extended value.
constexpr double kUnmeasured = 2;
/// slot, token and weight of a copy.
/// Source: engine/runtime/copy_exchange.h
constexpr double kHeaderBytes = 12;

double& part(HostSeconds& seconds, HostPart which) {
  return seconds[static_cast<std::size_t>(which)];
}

double sum(const HostSeconds& seconds) {
  return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

Result<const Table*> demand(const TableSet& set, std::string_view name, int axes) {
  const Table* table = set.find(name);
  if (table == nullptr) {
    return fail(Code::invalid_input,
                fmt::format("missing; measure again with `k3rack calibrate --local`"),
                fmt::format("table.{}", name));
  }
  if (static_cast<int>(table->axes.size()) != axes) {
    return fail(Code::invalid_input,
                fmt::format("{} axes; this build reads {}: measure again with `k3rack calibrate "
                            "--local`",
                            table->axes.size(), axes),
                fmt::format("table.{}", name));
  }
  return table;
}

bool is_packing(Operator op) {
  return op == Operator::pack || op == Operator::order || op == Operator::gather ||
         op == Operator::combine;
}

}  // namespace

double HostCost::time() const {
  return sum(before) + sum(meet) + sum(after);
}

/// Bounds and coverage of the values that make up a cost.
struct HostCosts::Sum {
  double lower = 0;
  double upper = 0;
  bool measured = true;

  /// A table's value in seconds × `factor`.
  double add(const Table& table, std::span<const double> point, double factor = 1) {
    const TableValue found = look_up(table, point);
    const double seconds = found.value * kMicrosecond * factor;
    const double range = found.inside ? 1 + table.spread : kUnmeasured;
    lower += seconds / range;
    upper += seconds * range;
    measured = measured && found.inside;
    return seconds;
  }
};

Result<HostCosts> HostCosts::create(const TableSet& set, const Host& host) {
  HostCosts costs;
  costs.host_ = host;
  for (std::size_t i = 0; i < kNumOperators; ++i) {
    K3_TRY(costs.operators_[i], demand(set, kOperatorNames[i], kOperatorAxes[i]));
  }
  std::array<const Table*, kHostTables.size()> tables{};
  for (std::size_t i = 0; i < tables.size(); ++i) {
    K3_TRY(tables[i], demand(set, kHostTables[i].name, kHostTables[i].axes));
  }
  costs.task_ = tables[0];
  costs.start_ = tables[1];
  costs.all_to_all_ = tables[2];
  costs.exchange_ = tables[3];
  const double busy = std::min(host.ranks, host.cores);
  costs.crowding_ = look_up(*tables[4], {{busy}}).value;
  // NOTE: a cache that is walked through in a circle keeps nothing of what does not fit.
  if (host.step_bytes > host.cache_bytes) {
    constexpr double kMiB = 1 << 20;
    costs.cold_read_ = look_up(*tables[5], {{busy}}).value * kMicrosecond / kMiB;
    costs.cold_expert_ = look_up(*tables[6], {{busy}}).value * kMicrosecond / kMiB;
  }
  return costs;
}

HostCost HostCosts::task(const CallContext& context, const Task& task, double bytes) const {
  HostCost cost;
  Sum total;
  const TaskCalls calls = task_calls(context, task);
  add_calls(calls.before, cost.before, total);
  add_calls(calls.after, cost.after, total);
  const double busy = std::min(host_.ranks, host_.cores);
  part(cost.before, HostPart::overhead) += total.add(*task_, {{busy}});
  if (is_communication(task.kind)) add_meeting(context, task, bytes, cost, total);
  for (HostSeconds* seconds : {&cost.before, &cost.meet, &cost.after}) {
    for (double& value : *seconds)
      value *= host_.step_factor;
  }
  cost.lower = total.lower * host_.step_factor;
  cost.upper = total.upper * host_.step_factor;
  cost.measured = total.measured;
  return cost;
}

void HostCosts::add_calls(const std::vector<OperatorCall>& calls,
                          HostSeconds& into,
                          Sum& total) const {
  for (const OperatorCall& call : calls) {
    const Table& table = *operators_[static_cast<std::size_t>(call.op)];
    const std::span point(call.shape.data(), table.axes.size());
    const double seconds = total.add(table, point, crowding_ * call.repeat);
    part(into, is_packing(call.op) ? HostPart::packing : HostPart::kernels) += seconds;
    const double memory = (call.op == Operator::expert ? cold_expert_ : cold_read_) *
                          (call.own_bytes + call.shared_bytes / std::max(host_.ranks, 1));
    part(into, HostPart::memory) += memory;
    total.lower += memory;
    total.upper += memory;
  }
}

/// A dispatch tells every rank its counts, then moves headers and rows; a combine moves rows.
void HostCosts::add_meeting(
    const CallContext& context, const Task& task, double bytes, HostCost& cost, Sum& total) const {
  const double ranks = host_.ranks;
  const double least = exchange_->axes[1].points.front();
  const auto exchange = [&](double moved) {
    const double barriers = look_up(*exchange_, {{ranks, least}}).value * kMicrosecond;
    const double all = total.add(*exchange_, {{ranks, std::max(moved, least)}});
    part(cost.meet, HostPart::meeting) += std::min(barriers, all);
    part(cost.meet, HostPart::transfer) += std::max(all - barriers, 0.0);
  };
  if (task.kind == TaskKind::dispatch) {
    part(cost.meet, HostPart::meeting) += total.add(*all_to_all_, {{ranks}});
    exchange(static_cast<double>(context.routed.copies_received) * kHeaderBytes);
  }
  exchange(bytes);
}

double HostCosts::start_seconds() const {
  return look_up(*start_, {{static_cast<double>(host_.ranks)}}).value * kMicrosecond *
         host_.step_factor;
}

}  // namespace k3::sim
