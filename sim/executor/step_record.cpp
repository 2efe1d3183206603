#include "sim/executor/step_record.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace k3::sim {
namespace {

Span span_of(const StepResult& result, std::size_t id, Time begin, Time end) {
  const Task& task = result.plan.tasks()[id];
  Span span;
  span.begin_ns = begin.ns();
  span.duration_ns = end.ns() - begin.ns();
  span.lane = lane_of(task.rank, task.lane);
  span.task = static_cast<std::int32_t>(id);
  span.layer = task.layer;
  span.name = task_name_id(task.kind, task.stage);
  return span;
}

void add_spans(const StepResult& result, StepRecord& record) {
  const std::span<const Task> tasks = result.plan.tasks();
  record.spans.reserve(tasks.size() + tasks.size() / 8);
  for (std::size_t id = 0; id < tasks.size(); ++id) {
    const TaskTimes& times = result.times.tasks[id];
    const bool collective = tasks[id].collective >= 0;
    if (collective && times.arrival().ns() > times.begin.ns()) {
      record.spans.push_back(span_of(result, id, times.begin, times.arrival()));
      record.spans.back().category = SpanCategory::memory;
    }
    if (collective && times.release().ns() > times.arrival().ns()) {
      record.spans.push_back(span_of(result, id, times.arrival(), times.release()));
      record.spans.back().category = SpanCategory::wait;
    }
    Span span = span_of(result, id, times.release(), times.end());
    span.category = collective ? SpanCategory::transfer : SpanCategory::compute;
    span.flops = result.costs.flops[id];
    span.bytes = result.costs.bytes[id];
    record.spans.push_back(span);
    if (!collective) continue;
    record.transfers.push_back({.layer = tasks[id].layer,
                                .direction = tasks[id].kind == TaskKind::dispatch
                                                 ? Direction::dispatch
                                                 : Direction::combine,
                                .rank = tasks[id].rank,
                                .begin_ns = times.arrival().ns(),
                                .wait_ns = times.release().ns() - times.arrival().ns(),
                                .move_ns = times.end().ns() - times.release().ns()});
  }
}

TrafficRecord traffic_record(std::int16_t layer,
                             Direction direction,
                             TrafficMatrix&& traffic,
                             Exchange&& exchange) {
  return {.layer = layer,
          .direction = direction,
          .num_ranks = traffic.num_ranks,
          .copies = std::move(traffic.copies),
          .rows = std::move(traffic.rows),
          .bytes = std::move(exchange.matrix.bytes)};
}

RoutingRecord routing_record(std::int16_t layer, const StepRouting& routing, int moe_layer) {
  const auto size = static_cast<std::ptrdiff_t>(routing.num_tokens) * routing.top_k;
  const auto first = routing.experts.begin() + moe_layer * size;
  return {.layer = layer,
          .num_tokens = routing.num_tokens,
          .top_k = routing.top_k,
          .experts = {first, first + size}};
}

void add_layers(StepResult& result, RecordRouting routing, StepRecord& record) {
  std::int16_t layer = 0;
  for (int moe_layer = 0; moe_layer < static_cast<int>(result.traffic.layers.size()); ++layer) {
    if (result.plan.moe_index(layer) != moe_layer) continue;
    LayerExchanges& exchanges = result.traffic.layers[static_cast<std::size_t>(moe_layer)];
    LayerTraffic& traffic = exchanges.traffic;
    record.traffic.push_back(traffic_record(layer, Direction::dispatch, std::move(traffic.dispatch),
                                            std::move(exchanges.dispatch)));
    record.traffic.push_back(traffic_record(layer, Direction::combine, std::move(traffic.combine),
                                            std::move(exchanges.combine)));
    record.expert_load.push_back({.layer = layer,
                                  .expert_tokens = std::move(traffic.expert_tokens),
                                  .slot_tokens = std::move(traffic.slot_tokens)});
    if (routing == RecordRouting::yes) {
      record.routing.push_back(routing_record(layer, result.traffic.routing, moe_layer));
    }
    ++moe_layer;
  }
}

/// When the flows of each exchange begin: all at once, when the last rank has arrived and the
/// start-up is over.
using FlowBegins = std::map<std::pair<std::int16_t, TaskKind>, Time>;

FlowBegins flow_begins(const StepResult& result) {
  FlowBegins begins;
  for (std::size_t id = 0; id < result.times.tasks.size(); ++id) {
    const Task& task = result.plan.tasks()[id];
    if (task.collective < 0 || task.rank != 0) continue;
    begins[{task.layer, task.kind}] = result.times.tasks[id].release() + result.transfer_start;
  }
  return begins;
}

/// Per exchange and link two samples: the mean throughput from the begin on, 0 when it is through.
void add_samples(const StepResult& result, StepRecord& record) {
  const FlowBegins begins = flow_begins(result);
  for (const LinkUseRecord& use : record.link_use) {
    if (use.layer < 0 || use.busy_ns <= 0) continue;
    const TaskKind kind =
        use.direction == Direction::dispatch ? TaskKind::dispatch : TaskKind::combine;
    const std::int64_t begin = begins.at({use.layer, kind}).ns();
    const double rate = static_cast<double>(use.bytes) / (static_cast<double>(use.busy_ns) * 1e-9);
    record.link_samples.push_back({use.link, begin, rate});
    record.link_samples.push_back({use.link, begin + use.busy_ns, 0});
  }
  // Where one exchange begins in the nanosecond in which another ends, the begin counts.
  std::ranges::sort(record.link_samples, {}, [](const LinkSampleRecord& sample) {
    return std::tuple(sample.link, sample.t_ns, -sample.bytes_per_s);
  });
  const auto repeated = std::ranges::unique(record.link_samples, {}, [](const auto& sample) {
    return std::pair(sample.link, sample.t_ns);
  });
  record.link_samples.erase(repeated.begin(), repeated.end());
}

}  // namespace

StepRecord step_record(StepResult result, RecordRouting routing, LinkDetail links) {
  StepRecord record;
  record.step = result.step;
  record.plan = result.plan_id;
  record.phase = result.shape.phase;
  record.sequences = static_cast<std::int64_t>(result.shape.sequences.size());
  record.tokens = result.shape.num_tokens();
  record.context = result.shape.longest_context();
  record.begin_ns = result.times.begin.ns();
  record.duration_ns = result.times.end.ns() - result.times.begin.ns();
  add_spans(result, record);
  add_layers(result, routing, record);
  record.link_use = std::move(result.traffic.link_use);
  if (links == LinkDetail::samples) add_samples(result, record);
  return record;
}

}  // namespace k3::sim
