#include "profiler/query/lane_items.h"

#include <algorithm>
#include <cmath>

#include "profiler/query/lanes_internal.h"

namespace k3::query {
namespace {

constexpr std::size_t kSpansPerMark = Lanes::kSpansPerMark;

/// Sums of the spans of one item.
class Sums {
 public:
  void add(SpanCategory category, std::uint8_t kind, std::int64_t ns) {
    sums_.category_ns[static_cast<std::size_t>(category)] += ns;
    if (category != SpanCategory::wait) sums_.kind_ns[kind] += ns;
  }

  void add(const Mark& from, const Mark& to) {
    for (std::size_t c = 0; c < kNumCategories; ++c)
      sums_.category_ns[c] += to.category_ns[c] - from.category_ns[c];
    for (std::size_t k = 0; k < kNumKinds; ++k)
      sums_.kind_ns[k] += to.kind_ns[k] - from.kind_ns[k];
  }

  /// Fills in what was summed; the item's category and kind stay where nothing takes time.
  void store(LaneItem& item) const {
    std::int64_t total_ns = 0;
    for (const std::int64_t ns : sums_.category_ns)
      total_ns += ns;
    item.wait_ns = sums_.category_ns[static_cast<std::size_t>(SpanCategory::wait)];
    item.busy_ns = total_ns - item.wait_ns;
    const auto category = std::max_element(sums_.category_ns.begin(), sums_.category_ns.end());
    if (*category > 0)
      item.category = static_cast<SpanCategory>(category - sums_.category_ns.begin());
    const auto kind = std::max_element(sums_.kind_ns.begin(), sums_.kind_ns.end());
    if (*kind > 0) item.kind = static_cast<std::uint8_t>(kind - sums_.kind_ns.begin());
  }

 private:
  Mark sums_;
};

/// Walks over one track, item by item.
class Folder {
 public:
  Folder(const Lanes& lanes, const Track& track, std::int64_t cell_ns)
      : lanes_(lanes),
        track_(track),
        begin_(lanes.begin_ns.part(track.first, track.count)),
        end_(lanes.end_ns.part(track.first, track.count)),
        mark_begin_(lanes.mark_begin_ns.part(track.first_mark, track.count / kSpansPerMark + 1)),
        cell_ns_(cell_ns) {}

  /// The first span that reaches beyond `begin_ns`, or one before it where the cell of that one
  /// begins.
  std::size_t first_in_view(std::int64_t begin_ns) const {
    const auto behind = std::ranges::upper_bound(end_, begin_ns) - end_.begin();
    const auto inside = std::ranges::lower_bound(begin_, begin_ns) - begin_.begin();
    const auto i = static_cast<std::size_t>(std::min(behind, inside));
    const std::size_t block = i / kSpansPerMark * kSpansPerMark;
    return i < track_.count && is_narrow_block(block) ? block : i;
  }

  /// The item that begins with span `i`, which is moved behind the item.
  LaneItem next(std::size_t& i) const {
    if (end_[i] - begin_[i] >= cell_ns_) return single(i++);
    const std::size_t first = i;
    Sums sums;
    const std::int64_t limit = next_border(begin_[i]);
    while (i < track_.count && begin_[i] < limit) {
      if (i % kSpansPerMark == 0 && skip_blocks(i, limit, sums)) continue;
      if (end_[i] - begin_[i] >= cell_ns_) break;
      const std::size_t at = track_.first + i;
      sums.add(lanes_.category[at], lanes_.kind[at], end_[i] - begin_[i]);
      ++i;
    }
    if (i - first == 1) return single(first);
    LaneItem item = single(first);
    item.end_ns = end_[i - 1];
    item.count = static_cast<std::uint32_t>(i - first);
    sums.store(item);
    return item;
  }

 private:
  LaneItem single(std::size_t i) const {
    const std::size_t at = track_.first + i;
    const std::int64_t ns = end_[i] - begin_[i];
    const bool waits = lanes_.category[at] == SpanCategory::wait;
    return {.begin_ns = begin_[i],
            .end_ns = end_[i],
            .busy_ns = waits ? 0 : ns,
            .wait_ns = waits ? ns : 0,
            .first_span = at,
            .count = 1,
            .category = lanes_.category[at],
            .kind = lanes_.kind[at]};
  }

  /// Borders of cells stand at multiples of their width, wherever the view begins.
  std::int64_t next_border(std::int64_t ns) const {
    const std::int64_t rest = ns % cell_ns_;
    return ns - rest + (rest < 0 ? 0 : cell_ns_);
  }

  /// The spans between two marks, from `block` on, fit into one cell.
  bool is_narrow_block(std::size_t block) const {
    return block + kSpansPerMark <= track_.count &&
           end_[block + kSpansPerMark - 1] - begin_[block] < cell_ns_;
  }

  /// Takes all the spans between marks that begin before `limit`, by their sums. A block that
  /// reaches across is taken whole: so the next cell begins at a mark too.
  bool skip_blocks(std::size_t& i, std::int64_t limit, Sums& sums) const {
    if (!is_narrow_block(i)) return false;
    const std::size_t mark = i / kSpansPerMark;
    std::size_t step = 1;  // blocks known to begin before the limit
    while (mark + 2 * step < mark_begin_.size() && mark_begin_[mark + 2 * step] < limit)
      step *= 2;
    const auto from = mark_begin_.begin() + static_cast<std::ptrdiff_t>(mark + step);
    const auto to = mark_begin_.begin() +
                    static_cast<std::ptrdiff_t>(std::min(mark + 2 * step, mark_begin_.size()));
    auto last = static_cast<std::size_t>(std::lower_bound(from, to, limit) - mark_begin_.begin());
    // `last`: the first mark at or behind the limit. Its block before may stick out.
    while (last > mark + 1 && !is_narrow_block((last - 1) * kSpansPerMark))
      --last;
    sums.add(lanes_.marks[track_.first_mark + mark], lanes_.marks[track_.first_mark + last]);
    i = last * kSpansPerMark;
    return true;
  }

  const Lanes& lanes_;
  const Track& track_;
  std::span<const std::int64_t> begin_;
  std::span<const std::int64_t> end_;
  std::span<const std::int64_t> mark_begin_;
  std::int64_t cell_ns_;
};

}  // namespace

void append_items(const Lanes& lanes,
                  const Track& track,
                  TimeRange range,
                  double ns_per_pixel,
                  std::vector<LaneItem>& items) {
  const double cell = std::clamp(kFoldPixels * ns_per_pixel, 1.0, static_cast<double>(kMaxTimeNs));
  const Folder folder(lanes, track, static_cast<std::int64_t>(cell));
  std::size_t i = folder.first_in_view(range.begin_ns);
  const std::int64_t* begin_ns = &lanes.begin_ns[track.first];
  while (i < track.count && begin_ns[i] < range.end_ns)
    items.push_back(folder.next(i));
}

std::optional<std::size_t> span_at(const Lanes& lanes,
                                   std::int32_t lane,
                                   std::int32_t depth,
                                   std::int64_t time_ns,
                                   std::int64_t tolerance_ns) {
  const std::span<const Track> tracks = lanes.tracks_of(lane);
  if (depth < 0 || static_cast<std::size_t>(depth) >= tracks.size()) return std::nullopt;
  const Track& track = tracks[static_cast<std::size_t>(depth)];
  const std::int64_t time = clamped_time(time_ns);
  const auto begin = lanes.begin_ns.part(track.first, track.count);
  const auto end = lanes.end_ns.part(track.first, track.count);
  const auto behind =
      static_cast<std::size_t>(std::ranges::upper_bound(begin, time) - begin.begin());
  std::optional<std::size_t> nearest;
  std::int64_t distance = tolerance_ns;
  if (behind > 0) {
    const std::int64_t away = std::max<std::int64_t>(0, time - (end[behind - 1] - 1));
    const bool inside = time < end[behind - 1] || time == begin[behind - 1];
    if (inside) return track.first + behind - 1;
    if (away <= distance) {
      nearest = track.first + behind - 1;
      distance = away - 1;
    }
  }
  if (behind < track.count && begin[behind] - time <= distance) nearest = track.first + behind;
  return nearest;
}

}  // namespace k3::query
