#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "engine/base/parallel.h"
#include "profiler/query/lanes_internal.h"

namespace k3::query {
namespace {

void allocate_columns(Lanes& lanes, std::size_t num_spans) {
  lanes.begin_ns = Column<std::int64_t>(num_spans);
  lanes.end_ns = Column<std::int64_t>(num_spans);
  lanes.span_id = Column<std::uint32_t>(num_spans);
  lanes.step = Column<std::int32_t>(num_spans);
  lanes.task = Column<std::int32_t>(num_spans);
  lanes.name = Column<std::int32_t>(num_spans);
  lanes.layer = Column<std::int16_t>(num_spans);
  lanes.category = Column<SpanCategory>(num_spans);
  lanes.kind = Column<std::uint8_t>(num_spans);
}

RawSpan raw_span_of(const Span& span) {
  const std::int64_t begin_ns = clamped_time(span.begin_ns);
  const std::int64_t duration_ns = std::clamp<std::int64_t>(span.duration_ns, 0, kMaxTimeNs);
  return {.begin_ns = begin_ns,
          .end_ns = clamped_time(begin_ns + duration_ns),
          .task = span.task,
          .name = span.name,
          .layer = span.layer,
          .category = span.category};
}

}  // namespace

void put_span(Lanes& lanes, std::size_t index, const RawSpan& span) {
  lanes.begin_ns[index] = span.begin_ns;
  lanes.end_ns[index] = span.end_ns;
  lanes.span_id[index] = span.span_id;
  lanes.step[index] = span.step;
  lanes.task[index] = span.task;
  lanes.name[index] = span.name;
  lanes.layer[index] = span.layer;
  lanes.category[index] = span.category;
  lanes.kind[index] = span.kind;
}

TaskKinds::TaskKinds(const std::vector<PlanRecord>& plans,
                     const std::vector<store::StepRow>& steps) {
  for (const PlanRecord& plan : plans) {
    std::vector<std::uint8_t>& kinds = kinds_of_plan_.emplace_back();
    for (const TaskRecord& task : plan.tasks)
      kinds.push_back(static_cast<std::uint8_t>(task.kind));
  }
  kinds_of_plan_.emplace_back();
  for (const store::StepRow& step : steps) {
    const bool known = step.plan >= 0 && static_cast<std::size_t>(step.plan) < plans.size();
    plan_of_step_[step.step] = known ? static_cast<std::size_t>(step.plan) : plans.size();
  }
}

const std::vector<std::uint8_t>& TaskKinds::kinds_of_step(std::int32_t step) const {
  const auto found = plan_of_step_.find(step);
  return found == plan_of_step_.end() ? kinds_of_plan_.back() : kinds_of_plan_[found->second];
}

std::uint8_t TaskKinds::kind_of(std::int32_t step, std::int32_t task) const {
  const std::vector<std::uint8_t>& kinds = kinds_of_step(step);
  const auto index = static_cast<std::size_t>(task);
  return task >= 0 && index < kinds.size() ? kinds[index] : kNoKind;
}

std::int64_t clamped_time(std::int64_t ns) {
  return std::clamp(ns, -kMaxTimeNs, kMaxTimeNs);
}

LanesBuilder::LanesBuilder(std::shared_ptr<Lanes> lanes)
    : lanes_(std::move(lanes)), kinds_(lanes_->plans, lanes_->steps) {
  region_numbers_.resize(lanes_->lanes.size());
}

std::size_t LanesBuilder::region_of(std::int32_t lane, std::int32_t level) {
  std::vector<std::size_t>& levels = region_numbers_[static_cast<std::size_t>(lane)];
  const auto at = static_cast<std::size_t>(level);
  if (levels.size() <= at) levels.resize(at + 1);
  if (levels[at] == 0) {
    regions_.push_back({.lane = lane, .level = level, .rows = {}});
    rows_.emplace_back();
    levels[at] = regions_.size();
  }
  return levels[at] - 1;
}

void LanesBuilder::add_rows(const store::StepRow& step, std::span<const Span> spans) {
  auto id = static_cast<std::uint32_t>(step.first_span);
  for (const Span& span : spans) {
    RawSpan& raw = rows_[region_of(span.lane, span.depth)].emplace_back(raw_span_of(span));
    raw.span_id = id++;
    raw.step = step.step;
    raw.kind = kinds_.kind_of(step.step, span.task);
  }
}

void LanesBuilder::add_block(const store::SpanBlock& block) {
  const std::size_t region = region_of(block.lane, block.depth);
  blocks_.push_back({region, regions_[region].count});
  regions_[region].count += block.count;
}

void LanesBuilder::allocate() {
  std::size_t num_spans = 0;
  // Regions lie in order of lane and level; blocks first, which are the older spans.
  for (const std::vector<std::size_t>& levels : region_numbers_) {
    for (const std::size_t number : levels) {
      if (number == 0) continue;
      Region& region = regions_[number - 1];
      region.first = num_spans;
      region.count += rows_[number - 1].size();
      num_spans += region.count;
    }
  }
  allocate_columns(*lanes_, num_spans);
}

void LanesBuilder::place_rows(std::size_t bucket) {
  std::vector<RawSpan>& rows = rows_[bucket];
  std::size_t at = regions_[bucket].first + regions_[bucket].count - rows.size();
  for (const RawSpan& row : rows)
    put_span(*lanes_, at++, row);
  rows = {};
}

Result<void> LanesBuilder::place_block(std::size_t index,
                                       const store::SpanBlock& block,
                                       store::SpanBlockDecoder& decoder) {
  using store::SpanField;
  K3_TRY_VOID(decoder.open(block.columns, block.count));
  const BlockPlace& place = blocks_[index];
  const std::size_t first = regions_[place.region].first + place.offset;
  const std::size_t count = block.count;
  Lanes& lanes = *lanes_;
  const auto begin = lanes.begin_ns.part(first, count);
  const auto end = lanes.end_ns.part(first, count);
  const auto category = lanes.category.part(first, count);
  static_assert(sizeof(SpanCategory) == 1);
  K3_TRY_VOID(decoder.read(SpanField::begin_ns, begin));
  K3_TRY_VOID(decoder.read(SpanField::duration_ns, end));
  K3_TRY_VOID(decoder.read(SpanField::span_id, lanes.span_id.part(first, count)));
  K3_TRY_VOID(decoder.read(SpanField::step, lanes.step.part(first, count)));
  K3_TRY_VOID(decoder.read(SpanField::task_id, lanes.task.part(first, count), -1));
  K3_TRY_VOID(decoder.read(SpanField::name_id, lanes.name.part(first, count), 0,
                           std::ssize(lanes.names) - 1));
  K3_TRY_VOID(decoder.read(SpanField::layer, lanes.layer.part(first, count), -1));
  K3_TRY_VOID(
      decoder.read(SpanField::category,
                   std::span(reinterpret_cast<std::uint8_t*>(category.data()), category.size()), 0,
                   kNumCategories - 1));
  for (std::size_t i = 0; i < count; ++i) {
    begin[i] = clamped_time(begin[i]);
    end[i] = clamped_time(begin[i] + std::clamp<std::int64_t>(end[i], 0, kMaxTimeNs));
  }
  return set_kinds(first, count);
}

Result<void> LanesBuilder::set_kinds(std::size_t first, std::size_t count) {
  std::int32_t step = lanes_->step[first];
  const std::vector<std::uint8_t>* kinds = &kinds_.kinds_of_step(step);
  for (std::size_t i = first; i < first + count; ++i) {
    if (lanes_->step[i] != step) {
      step = lanes_->step[i];
      kinds = &kinds_.kinds_of_step(step);
    }
    const std::int32_t task = lanes_->task[i];
    if (task >= 0 && static_cast<std::size_t>(task) >= kinds->size()) {
      return fail(Code::corrupt,
                  fmt::format("a block of spans is damaged (task {} of step {}, which has {})",
                              task, step, kinds->size()));
    }
    lanes_->kind[i] = task < 0 ? kNoKind : (*kinds)[static_cast<std::size_t>(task)];
  }
  return {};
}

std::shared_ptr<const Lanes> LanesBuilder::finish(int threads) {
  std::sort(regions_.begin(), regions_.end(),
            [](const Region& a, const Region& b) { return a.first < b.first; });
  parallel_for(regions_.size(), threads,
               [&](std::size_t r) { arrange_region(*lanes_, regions_[r]); });
  build_tracks(*lanes_, regions_, threads);
  return std::move(lanes_);
}

}  // namespace k3::query
