#include "profiler/query/lane_items.h"

#include <algorithm>
#include <cmath>

#include "profiler/query/lanes_internal.h"

namespace k3::query {
namespace {

constexpr std::size_t kSpansPerMark = Lanes::kSpansPerMark;

/// Index of the first of the largest values. NOTE: found without branches, which would be
/// mispredicted for every cell.
template <std::size_t kSize>
std::size_t place_of_most(const std::array<std::int64_t, kSize>& values) {
  std::size_t place = 0;
  std::int64_t most = values[0];
  for (std::size_t i = 1; i < kSize; ++i) {
    const bool is_more = values[i] > most;
    place = is_more ? i : place;
    most = is_more ? values[i] : most;
  }
  return place;
}

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

  /// Fills in what was summed.
  void store(LaneItem& item) const {
    std::int64_t total_ns = 0;
    for (const std::int64_t ns : sums_.category_ns)
      total_ns += ns;
    item.wait_ns = sums_.category_ns[static_cast<std::size_t>(SpanCategory::wait)];
    item.busy_ns = total_ns - item.wait_ns;
    item.category = static_cast<SpanCategory>(place_of_most(sums_.category_ns));
    item.kind = static_cast<std::uint8_t>(place_of_most(sums_.kind_ns));
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
        category_(lanes.category.part(track.first, track.count)),
        kind_(lanes.kind.part(track.first, track.count)),
        mark_begin_(lanes.mark_begin_ns.part(track.first_mark, track.count / kSpansPerMark + 1)),
        mark_end_(lanes.mark_end_ns.part(track.first_mark, mark_begin_.size())),
        cell_ns_(cell_ns) {}

  /// The first span that reaches beyond `begin_ns`, or one before it where the cell of that one
  /// begins.
  std::size_t first_in_view(std::int64_t begin_ns) const {
    const auto behind = std::ranges::upper_bound(end_, begin_ns) - end_.begin();
    const auto inside = std::ranges::lower_bound(begin_, begin_ns) - begin_.begin();
    const auto i = static_cast<std::size_t>(std::min(behind, inside));
    const std::size_t mark = i / kSpansPerMark;
    return is_narrow_block(mark) ? mark * kSpansPerMark : i;
  }

  /// The item that begins with span `i`, which is moved behind the item. NOTE: where cells are made
  /// of whole blocks, only the marks are read: with millions of spans in view, every look at a
  /// column of theirs would wait for memory.
  LaneItem next(std::size_t& i) {
    const bool at_narrow_block = i % kSpansPerMark == 0 && is_narrow_block(i / kSpansPerMark);
    if (!at_narrow_block && end_[i] - begin_[i] >= cell_ns_) return single(i++);
    const std::size_t first = i;
    Sums sums;
    const std::int64_t limit = next_border(begin_of(i));
    while (i < track_.count && begin_of(i) < limit) {
      if (i % kSpansPerMark == 0 && skip_blocks(i, limit, sums)) continue;
      if (end_[i] - begin_[i] >= cell_ns_) break;
      sums.add(category_[i], kind_[i], end_[i] - begin_[i]);
      ++i;
    }
    if (i - first == 1) return single(first);
    LaneItem item{.begin_ns = begin_of(first),
                  .end_ns = i % kSpansPerMark == 0 ? mark_end_[i / kSpansPerMark - 1] : end_[i - 1],
                  .first_span = track_.first + first,
                  .count = static_cast<std::uint32_t>(i - first)};
    sums.store(item);
    // Nothing takes time, or only waiting does.
    if (item.busy_ns == 0) item.kind = kind_[first];
    if (item.busy_ns == 0 && item.wait_ns == 0) item.category = category_[first];
    return item;
  }

  std::int64_t begin_of(std::size_t i) const {
    return i % kSpansPerMark == 0 ? mark_begin_[i / kSpansPerMark] : begin_[i];
  }

 private:
  LaneItem single(std::size_t i) const {
    const std::int64_t ns = end_[i] - begin_[i];
    const bool waits = category_[i] == SpanCategory::wait;
    return {.begin_ns = begin_[i],
            .end_ns = end_[i],
            .busy_ns = waits ? 0 : ns,
            .wait_ns = waits ? ns : 0,
            .first_span = track_.first + i,
            .count = 1,
            .category = category_[i],
            .kind = kind_[i]};
  }

  /// Borders of cells stand at multiples of their width, wherever the view begins.
  std::int64_t next_border(std::int64_t ns) const {
    const std::int64_t rest = ns % cell_ns_;
    return ns - rest + (rest < 0 ? 0 : cell_ns_);
  }

  /// The block of spans from a mark to the next fits into one cell.
  bool is_narrow_block(std::size_t mark) const {
    return mark + 1 < mark_begin_.size() && mark_end_[mark] - mark_begin_[mark] < cell_ns_;
  }

  /// The mark behind all the blocks that begin before `limit`, of which that at `mark`, a narrow
  /// one, is the first. A block that reaches across is taken whole: so the next cell begins at a
  /// mark too.
  std::size_t behind_blocks(std::size_t mark, std::int64_t limit) const {
    std::size_t step = 1;  // blocks known to begin before the limit
    while (mark + 2 * step < mark_begin_.size() && mark_begin_[mark + 2 * step] < limit)
      step *= 2;
    const auto from = mark_begin_.begin() + static_cast<std::ptrdiff_t>(mark + step);
    const auto to = mark_begin_.begin() +
                    static_cast<std::ptrdiff_t>(std::min(mark + 2 * step, mark_begin_.size()));
    auto last = static_cast<std::size_t>(std::lower_bound(from, to, limit) - mark_begin_.begin());
    // `last`: the first mark at or behind the limit. Its block before may stick out.
    while (last > mark + 1 && !is_narrow_block(last - 1))
      --last;
    return last;
  }

  /// Takes the blocks from span `i` on that begin before `limit`, by their sums.
  bool skip_blocks(std::size_t& i, std::int64_t limit, Sums& sums) {
    const std::size_t mark = i / kSpansPerMark;
    if (!is_narrow_block(mark)) return false;
    const std::size_t last = behind_blocks(mark, limit);
    look_ahead(last);
    sums.add(lanes_.marks[track_.first_mark + mark], lanes_.marks[track_.first_mark + last]);
    i = last * kSpansPerMark;
    return true;
  }

  /// Fetches the marks at which the next cells will end, `mark` being that of the current one.
  void look_ahead(std::size_t mark) {
    constexpr int kCells = 6;
    constexpr std::size_t kLineBytes = 64;
    num_ahead_ = ahead_ > mark ? num_ahead_ - 1 : 0;
    ahead_ = std::max(ahead_, mark);
    for (; num_ahead_ < kCells && is_narrow_block(ahead_); ++num_ahead_) {
      ahead_ = behind_blocks(ahead_, next_border(mark_begin_[ahead_]));
      const auto* bytes =
          reinterpret_cast<const std::byte*>(&lanes_.marks[track_.first_mark + ahead_]);
      for (std::size_t at = 0; at < sizeof(Mark); at += kLineBytes)
        __builtin_prefetch(bytes + at);
      __builtin_prefetch(bytes + sizeof(Mark) - 1);
    }
  }

  const Lanes& lanes_;
  const Track& track_;
  std::span<const std::int64_t> begin_;
  std::span<const std::int64_t> end_;
  std::span<const SpanCategory> category_;
  std::span<const std::uint8_t> kind_;
  std::span<const std::int64_t> mark_begin_;
  std::span<const std::int64_t> mark_end_;
  std::int64_t cell_ns_;
  std::size_t ahead_ = 0;  ///< mark up to which marks have been fetched
  int num_ahead_ = 0;      ///< cells until there
};

}  // namespace

void append_items(const Lanes& lanes,
                  const Track& track,
                  TimeRange range,
                  double ns_per_pixel,
                  std::vector<LaneItem>& items) {
  const double cell = std::clamp(kFoldPixels * ns_per_pixel, 1.0, static_cast<double>(kMaxTimeNs));
  Folder folder(lanes, track, static_cast<std::int64_t>(cell));
  std::size_t i = folder.first_in_view(range.begin_ns);
  while (i < track.count && folder.begin_of(i) < range.end_ns)
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
