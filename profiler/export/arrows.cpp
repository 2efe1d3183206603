#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "profiler/export/arrows_internal.h"

namespace k3::exporter {
namespace {

/// One rank's part in one all-to-all.
struct Part {
  std::int32_t task = -1;
  std::int64_t ready_ns = 0;  ///< begin of its waiting or moving
  std::optional<std::uint32_t> move;
};

/// (layer, direction, how many of the step came before) → parts by rank.
using Exchanges = std::map<std::tuple<std::int16_t, Direction, int>, std::vector<Part>>;

Direction direction_of(TaskKind kind) {
  return kind == TaskKind::dispatch ? Direction::dispatch : Direction::combine;
}

/// Parts of the tasks that communicate, by task.
std::map<std::int32_t, Part> parts_of(std::span<const Span> spans,
                                      std::span<const TaskRecord> tasks) {
  std::map<std::int32_t, Part> parts;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const Span& span = spans[i];
    if (span.task < 0 || static_cast<std::size_t>(span.task) >= tasks.size()) continue;
    if (!is_communication(tasks[static_cast<std::size_t>(span.task)].kind)) continue;
    if (span.category != SpanCategory::wait && span.category != SpanCategory::transfer) continue;
    const auto [at, is_new] = parts.try_emplace(span.task);
    Part& part = at->second;
    part.task = span.task;
    part.ready_ns = is_new ? span.begin_ns : std::min(part.ready_ns, span.begin_ns);
    if (span.category == SpanCategory::transfer) part.move = static_cast<std::uint32_t>(i);
  }
  return parts;
}

Exchanges exchanges_of(std::span<const Span> spans, std::span<const TaskRecord> tasks) {
  Exchanges exchanges;
  std::map<std::tuple<std::int32_t, std::int16_t, Direction>, int> seen;  // per rank
  for (const auto& [task, part] : parts_of(spans, tasks)) {
    const TaskRecord& record = tasks[static_cast<std::size_t>(task)];
    const Direction direction = direction_of(record.kind);
    const int number = seen[{record.rank, record.layer, direction}]++;
    std::vector<Part>& ranks = exchanges[{record.layer, direction, number}];
    const auto rank = static_cast<std::size_t>(record.rank);
    if (ranks.size() <= rank) ranks.resize(rank + 1);
    ranks[rank] = part;
  }
  return exchanges;
}

/// The spans of every rank by their ends, those without length apart.
class SpansByEnd {
 public:
  SpansByEnd(std::span<const Span> spans, std::span<const Lane> lanes) {
    for (std::size_t i = 0; i < spans.size(); ++i) {
      if (spans[i].duration_ns == 0 || spans[i].category == SpanCategory::wait) continue;
      const auto rank =
          static_cast<std::size_t>(lanes[static_cast<std::size_t>(spans[i].lane)].rank);
      if (ends_.size() <= rank) ends_.resize(rank + 1);
      ends_[rank].emplace_back(spans[i].begin_ns + spans[i].duration_ns,
                               static_cast<std::uint32_t>(i));
    }
    for (auto& ends : ends_)
      std::ranges::sort(ends);
  }

  /// The span that ended last, but not after `t_ns`.
  std::optional<std::uint32_t> last_until(std::size_t rank, std::int64_t t_ns) const {
    if (rank >= ends_.size()) return std::nullopt;
    const auto& ends = ends_[rank];
    const auto after =
        std::ranges::upper_bound(ends, t_ns, {}, [](const auto& e) { return e.first; });
    if (after == ends.begin()) return std::nullopt;
    return std::prev(after)->second;
  }

 private:
  std::vector<std::vector<std::pair<std::int64_t, std::uint32_t>>> ends_;
};

class ArrowMaker {
 public:
  ArrowMaker(std::span<const Span> spans, std::span<const Lane> lanes)
      : spans_(spans), by_end_(spans, lanes) {}

  void add(const std::vector<Part>& parts, const TrafficRecord& matrix) {
    const auto num_ranks = static_cast<std::size_t>(matrix.num_ranks);
    for (std::size_t to = 0; to < std::min(parts.size(), num_ranks); ++to) {
      if (!parts[to].move) continue;
      std::optional<std::size_t> latest;
      for (std::size_t from = 0; from < std::min(parts.size(), num_ranks); ++from) {
        const bool sends = from != to && matrix.rows[from * num_ranks + to] > 0;
        if (!sends || parts[from].task < 0) continue;
        if (matrix.num_ranks <= kMaxRanksAllPairs) {
          connect(from, parts[from].ready_ns, *parts[to].move);
        } else if (!latest || parts[from].ready_ns > parts[*latest].ready_ns) {
          latest = from;
        }
      }
      if (latest) connect(*latest, parts[*latest].ready_ns, *parts[to].move);
    }
  }

  Arrows take() {
    std::ranges::sort(arrows_.ends, {}, [](const ArrowEnd& end) {
      return std::tuple(end.span, end.side, end.arrow);
    });
    return std::move(arrows_);
  }

 private:
  void connect(std::size_t from_rank, std::int64_t ready_ns, std::uint32_t to) {
    const auto from = by_end_.last_until(from_rank, ready_ns);
    if (!from || spans_[*from].begin_ns >= spans_[to].begin_ns) {
      ++arrows_.left_out;
      return;
    }
    const auto arrow = static_cast<std::uint32_t>(arrows_.count++);
    arrows_.ends.push_back({*from, arrow, ArrowEnd::Side::from});
    arrows_.ends.push_back({to, arrow, ArrowEnd::Side::to});
  }

  std::span<const Span> spans_;
  SpansByEnd by_end_;
  Arrows arrows_;
};

}  // namespace

std::span<const ArrowEnd> Arrows::of(std::size_t span) const {
  const auto [first, last] = std::ranges::equal_range(ends, span, {}, &ArrowEnd::span);
  return {first, last};
}

Arrows exchange_arrows(std::span<const Span> spans,
                       std::span<const Lane> lanes,
                       std::span<const TaskRecord> tasks,
                       std::span<const TrafficRecord> traffic) {
  if (tasks.empty() || traffic.empty()) return {};
  ArrowMaker maker(spans, lanes);
  std::map<std::pair<std::int16_t, Direction>, const TrafficRecord*> matrices;
  for (const TrafficRecord& record : traffic)
    matrices[{record.layer, record.direction}] = &record;
  for (const auto& [key, parts] : exchanges_of(spans, tasks)) {
    const auto matrix = matrices.find({std::get<0>(key), std::get<1>(key)});
    if (matrix != matrices.end()) maker.add(parts, *matrix->second);
  }
  return maker.take();
}

}  // namespace k3::exporter
