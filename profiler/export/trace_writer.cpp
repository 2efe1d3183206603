#include <algorithm>

#include <fmt/core.h>

#include "profiler/export/trace_writer_internal.h"

namespace k3::exporter {
namespace {

/// Sums of matrices of more ranks are not kept: their text would be larger than the spans.
constexpr int kMaxSummedRanks = 512;

/// Order of a track within its process: beside its lane, in the order of need.
std::int32_t sort_of(std::int32_t lane, int number) {
  constexpr std::int32_t kPerLane = 1000;
  return lane * kPerLane + std::min(number, kPerLane - 1);
}

}  // namespace

TraceWriter::TraceWriter(const Parts& parts)
    : parts_(parts), layout_(parts.facts.lanes.size() + 1), counters_(parts.facts, parts.encoder) {}

Result<void> TraceWriter::write() {
  parts_.progress.total = parts_.facts.num_spans;
  parts_.encoder.begin();
  declare_lanes();
  counters_.write_memory();
  for (const store::StepRow& step : parts_.facts.steps) {
    K3_TRY_VOID(write_step(step));
    ++summary_.steps;
  }
  parts_.encoder.finish(traffic_);
  summary_.counter_samples = counters_.num_samples();
  add_notes();
  return {};
}

void TraceWriter::declare_lanes() {
  for (std::size_t i = 0; i < parts_.facts.lanes.size(); ++i) {
    const Lane& lane = parts_.facts.lanes[i];
    const auto id = static_cast<std::int32_t>(i);
    tracks_.push_back({.id = id, .rank = lane.rank, .sort = sort_of(id, 0), .name = lane.name});
    if (!parts_.facts.has(lane.rank)) continue;
    parts_.encoder.track(tracks_.back());
    ++summary_.tracks;
  }
  const auto id = static_cast<std::int32_t>(tracks_.size());
  tracks_.push_back({.id = id, .rank = -1, .sort = 0, .name = "steps"});
  parts_.encoder.track(tracks_.back());
}

void TraceWriter::extra_track(std::int32_t track, std::int32_t lane, int number) {
  const Track& own = tracks_[static_cast<std::size_t>(lane)];
  const std::int32_t rank = own.rank;
  tracks_.push_back({.id = track,
                     .rank = rank,
                     .sort = sort_of(rank < 0 ? 0 : lane, number),
                     .name = fmt::format("{} (overlapping {})", own.name, number)});
  parts_.encoder.track(tracks_.back());
  if (rank >= 0) ++summary_.tracks;
}

void TraceWriter::open(std::int32_t track, std::size_t span) {
  if (!status_) return;
  const Track& on = tracks_[static_cast<std::size_t>(track)];
  if (row_itself_) {
    parts_.encoder.open_step(on, *row_);
    return;
  }
  SpanEvent event{.span = &spans_[span], .step = row_->step};
  const std::int32_t task = event.span->task;
  if (task >= 0 && static_cast<std::size_t>(task) < tasks_.size()) {
    event.task = &tasks_[static_cast<std::size_t>(task)];
  }
  event.arrows = arrows_.of(span);
  event.first_arrow = static_cast<std::uint64_t>(summary_.flows) + 1;
  parts_.encoder.open_span(on, event);
  ++summary_.spans;
  status_ = keep_up();
}

void TraceWriter::close(std::int32_t track, std::int64_t t_ns) {
  if (status_) parts_.encoder.close(tracks_[static_cast<std::size_t>(track)], t_ns);
}

/// Brings text to disk, tells how far this is and stops when asked to.
Result<void> TraceWriter::keep_up() {
  constexpr std::int64_t kEvery = 4096;  // spans
  K3_TRY_VOID(parts_.file.flush_if_large());
  if (summary_.spans % kEvery != 0) return {};
  parts_.progress.done += kEvery;
  if (parts_.progress.cancelled) return fail(Code::cancelled, std::string(kStopped));
  return {};
}

Result<void> TraceWriter::load_tasks(int plan) {
  if (plan_ == plan) return {};
  plan_ = plan;
  tasks_.clear();
  Result<PlanRecord> record = parts_.session.plan(plan);
  if (record) {
    tasks_ = std::move(record->tasks);
  } else if (record.error().code != Code::not_found) {  // imported runs have none
    return tl::unexpected(std::move(record).error());
  }
  return {};
}

Result<void> TraceWriter::load_spans(const store::StepRow& step) {
  spans_.clear();  // before the next step's come
  K3_TRY(spans_, parts_.session.spans(step));
  if (!parts_.facts.all_ranks) {
    const auto& lanes = parts_.facts.lanes;
    std::erase_if(spans_, [&](const Span& span) {
      return !parts_.facts.has(lanes[static_cast<std::size_t>(span.lane)].rank);
    });
  }
  for (Span& span : spans_) {
    const std::int64_t given = span.duration_ns;
    span.duration_ns = sound_duration(span.begin_ns, given);
    if (span.duration_ns != given) ++odd_durations_;
  }
  return {};
}

void TraceWriter::write_step_row(const store::StepRow& step) {
  const Span span{.begin_ns = step.begin_ns,
                  .duration_ns = step.duration_ns,
                  .lane = static_cast<std::int32_t>(parts_.facts.lanes.size())};
  row_itself_ = true;
  layout_.arrange({&span, 1}, *this);
  row_itself_ = false;
}

Result<void> TraceWriter::write_step(const store::StepRow& step) {
  row_ = &step;
  write_step_row(step);
  K3_TRY_VOID(load_tasks(step.plan));
  K3_TRY_VOID(load_spans(step));
  K3_TRY(const auto traffic, parts_.session.traffic(step.step));
  add_traffic(traffic);
  arrows_ = exchange_arrows(spans_, parts_.facts.lanes, tasks_, traffic);
  layout_.arrange(spans_, *this);
  K3_TRY_VOID(status_);
  summary_.flows += arrows_.count;
  arrows_left_out_ += arrows_.left_out;
  K3_TRY(const auto load, parts_.session.expert_load(step.step));
  counters_.write_load(spans_, tasks_, load);
  K3_TRY(const auto samples, parts_.session.link_samples(step.step));
  counters_.write_links(samples);
  K3_TRY_VOID(parts_.file.flush_if_large());
  if (parts_.progress.cancelled) return fail(Code::cancelled, std::string(kStopped));
  return {};
}

void TraceWriter::add_traffic(const std::vector<TrafficRecord>& records) {
  for (const TrafficRecord& record : records) {
    if (record.num_ranks > kMaxSummedRanks) continue;
    if (traffic_.num_ranks == 0) traffic_.num_ranks = record.num_ranks;
    if (traffic_.num_ranks != record.num_ranks) continue;
    TrafficSums::Matrix& sum = traffic_.directions[static_cast<std::size_t>(record.direction)];
    for (auto* cells : {&sum.copies, &sum.rows, &sum.bytes})
      cells->resize(record.copies.size());
    for (std::size_t i = 0; i < record.copies.size(); ++i) {
      sum.copies[i] += record.copies[i];
      sum.rows[i] += record.rows[i];
      sum.bytes[i] += record.bytes[i];
    }
  }
}

void TraceWriter::add_notes() {
  if (parts_.facts.steps.empty()) {
    summary_.notes.emplace_back("the session holds no steps, the trace only what the run was");
  }
  if (!parts_.session.is_complete()) {
    summary_.notes.emplace_back("the run was interrupted; its finished steps are exported");
  }
  if (layout_.num_crossing() > 0) {
    summary_.notes.push_back(
        fmt::format("{} spans that cross others are on tracks of their own, as viewers drop them",
                    layout_.num_crossing()));
  }
  if (odd_durations_ > 0) {
    summary_.notes.push_back(fmt::format(
        "{} spans with a negative or impossible duration are exported with one that can be drawn",
        odd_durations_));
  }
  if (arrows_left_out_ > 0) {
    summary_.notes.push_back(
        fmt::format("{} arrows are left out: no work of the sender is recorded before the transfer",
                    arrows_left_out_));
  }
}

}  // namespace k3::exporter
