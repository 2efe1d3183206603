#include <algorithm>
#include <limits>
#include <tuple>

#include <fmt/core.h>

#include "engine/text/printable.h"
#include "profiler/export/counters_internal.h"

namespace k3::exporter {
namespace {

using RankLayer = std::pair<std::int32_t, std::int16_t>;

/// Tokens that the slots of a rank have, per rank and layer; nothing where the placement is not
/// known.
std::map<RankLayer, std::uint64_t> tokens_by_rank(const RunFacts& facts,
                                                  const std::vector<ExpertLoadRecord>& load) {
  std::map<RankLayer, std::uint64_t> tokens;
  for (const ExpertLoadRecord& record : load) {
    const auto ranks = facts.slot_rank.find(record.layer);
    if (ranks == facts.slot_rank.end()) continue;
    if (ranks->second.size() != record.slot_tokens.size()) continue;
    for (std::size_t slot = 0; slot < record.slot_tokens.size(); ++slot) {
      const std::int32_t rank = ranks->second[slot];
      if (facts.has(rank)) tokens[{rank, record.layer}] += record.slot_tokens[slot];
    }
  }
  return tokens;
}

}  // namespace

const Counter& Counters::counter(const Key& key, Counter::Unit unit) {
  const auto [at, is_new] = counters_.try_emplace(key);
  if (is_new) {
    at->second = {.id = static_cast<std::int32_t>(counters_.size() - 1),
                  .rank = std::max(key.first, -1),
                  .name = key.second,
                  .unit = unit};
    encoder_.counter(at->second);
  }
  return at->second;
}

void Counters::sample(const Counter& counter, std::int64_t t_ns, double value) {
  encoder_.sample(counter, t_ns, value);
  ++num_samples_;
}

void Counters::write_memory() {
  if (facts_.steps.empty()) return;
  std::int64_t end_ns = std::numeric_limits<std::int64_t>::min();
  for (const store::StepRow& step : facts_.steps)
    end_ns = std::max(end_ns, step.begin_ns + step.duration_ns);
  for (const MemoryRecord& part : facts_.memory) {
    const Counter& memory =
        counter({part.rank, "memory: " + valid_utf8(part.what)}, Counter::Unit::bytes);
    for (const std::int64_t t_ns : {facts_.steps.front().begin_ns, end_ns})
      sample(memory, t_ns, static_cast<double>(part.bytes));
  }
}

void Counters::write_load(std::span<const Span> spans,
                          std::span<const TaskRecord> tasks,
                          const std::vector<ExpertLoadRecord>& load) {
  const auto tokens = tokens_by_rank(facts_, load);
  if (tokens.empty()) return;

  struct Interval {
    std::int64_t begin_ns = std::numeric_limits<std::int64_t>::max();
    std::int64_t end_ns = std::numeric_limits<std::int64_t>::min();
  };

  std::map<RankLayer, Interval> work;
  for (const Span& span : spans) {
    if (span.task < 0 || static_cast<std::size_t>(span.task) >= tasks.size()) continue;
    const TaskRecord& task = tasks[static_cast<std::size_t>(span.task)];
    if (task.kind != TaskKind::experts || !tokens.contains({task.rank, task.layer})) continue;
    Interval& interval = work[{task.rank, task.layer}];
    interval.begin_ns = std::min(interval.begin_ns, span.begin_ns);
    interval.end_ns = std::max(interval.end_ns, span.begin_ns + span.duration_ns);
  }
  std::vector<std::tuple<std::int32_t, std::int64_t, std::uint64_t>> samples;
  for (const auto& [key, interval] : work) {
    samples.emplace_back(key.first, interval.begin_ns, tokens.at(key));
    samples.emplace_back(key.first, interval.end_ns, 0);
  }
  // NOTE: where one layer's experts begin when another's end, the begin counts.
  std::ranges::sort(samples);
  for (const auto& [rank, t_ns, value] : samples)
    sample(counter({rank, "expert tokens"}, Counter::Unit::tokens), t_ns,
           static_cast<double>(value));
}

void Counters::write_links(const std::vector<LinkSampleRecord>& samples) {
  for (const LinkSampleRecord& record : samples) {
    const LinkRecord& link = facts_.links[static_cast<std::size_t>(record.link)];
    const std::string name = valid_utf8(fmt::format("link {} → {}", link.src_node, link.dst_node));
    sample(counter({-1 - record.link, name}, Counter::Unit::bytes_per_second), record.t_ns,
           record.bytes_per_s);
  }
}

}  // namespace k3::exporter
