#include "gui/timeline/lane_layout.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include <fmt/core.h>

#include "profiler/store/names.h"

namespace k3::gui {
namespace {

constexpr int kStepsHeight = 22;
constexpr int kRankGap = 3;
constexpr int kRunGap = 8;

/// "rank 3 compute" stands below rank 3: "compute".
std::string label_of(const Lane& lane) {
  std::string_view name = lane.name;
  const std::string prefix = fmt::format("rank {}", lane.rank);
  if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
  return std::string(name.empty() ? store::stored_name(lane.kind) : name);
}

class Builder {
 public:
  explicit Builder(const LayoutOptions& options) : options_(options) {}

  void add_run(std::size_t run, const query::Lanes& lanes) {
    if (run > 0) layout_.height += kRunGap;
    LaneRow steps = row(LaneRow::Kind::steps, run, -1);
    add(std::move(steps), kStepsHeight);
    std::vector<std::vector<std::size_t>> tracks(
        static_cast<std::size_t>(std::max(0, lanes.num_ranks)));
    for (std::size_t track = 0; track < lanes.tracks.size(); ++track) {
      const auto lane = static_cast<std::size_t>(lanes.tracks[track].lane);
      tracks[static_cast<std::size_t>(lanes.lanes[lane].rank)].push_back(track);
    }
    for (std::size_t rank = 0; rank < tracks.size(); ++rank) {
      const int number = static_cast<int>(rank);
      if (tracks[rank].empty() || options_.hidden.contains(number)) continue;
      layout_.height += kRankGap;
      if (options_.collapsed.contains(number)) {
        add_collapsed(run, lanes, number, tracks[rank]);
      } else {
        add_expanded(run, lanes, number, tracks[rank]);
      }
    }
  }

  LaneLayout finish() && { return std::move(layout_); }

 private:
  static LaneRow row(LaneRow::Kind kind, std::size_t run, int rank) {
    LaneRow row;
    row.kind = kind;
    row.run = run;
    row.rank = rank;
    row.first_of_rank = kind == LaneRow::Kind::rank;
    return row;
  }

  void add(LaneRow row, int height) {
    row.y = layout_.height;
    row.height = height;
    layout_.height += height;
    layout_.rows.push_back(std::move(row));
  }

  /// What lies inside other spans is left out; lanes take one strip each.
  void add_collapsed(std::size_t run,
                     const query::Lanes& lanes,
                     int rank,
                     const std::vector<std::size_t>& tracks) {
    LaneRow collapsed = row(LaneRow::Kind::rank, run, rank);
    for (const std::size_t track : tracks) {
      if (lanes.tracks[track].depth == 0) collapsed.tracks.push_back(track);
    }
    const int least = static_cast<int>(collapsed.tracks.size()) * 3;
    add(std::move(collapsed), std::max(options_.row_height, least));
  }

  void add_expanded(std::size_t run,
                    const query::Lanes& lanes,
                    int rank,
                    const std::vector<std::size_t>& tracks) {
    bool first = true;
    for (const std::size_t track : tracks) {
      LaneRow single = row(LaneRow::Kind::track, run, rank);
      single.first_of_rank = first;
      first = false;
      if (lanes.tracks[track].depth == 0)
        single.label = label_of(lanes.lanes[static_cast<std::size_t>(lanes.tracks[track].lane)]);
      single.tracks = {track};
      add(std::move(single), options_.row_height);
    }
  }

  const LayoutOptions& options_;
  LaneLayout layout_;
};

tl::unexpected<Error> not_ranks(const std::string& text, int num_ranks) {
  return fail(Code::invalid_input,
              fmt::format("\"{}\" names no ranks; write for example \"0-7, 12\" (ranks 0 to {})",
                          text, num_ranks - 1));
}

/// "3" or "0-7"; empty where it is neither.
std::optional<std::pair<int, int>> parse_range(std::string_view part) {
  int first = 0;
  const auto end = part.data() + part.size();
  const auto [behind, failure] = std::from_chars(part.data(), end, first);
  if (failure != std::errc()) return std::nullopt;
  if (behind == end) return std::pair(first, first);
  int last = 0;
  if (*behind != '-') return std::nullopt;
  const auto [behind_last, last_failure] = std::from_chars(behind + 1, end, last);
  if (last_failure != std::errc() || behind_last != end) return std::nullopt;
  return std::pair(first, last);
}

}  // namespace

const LaneRow* LaneLayout::row_at(int at) const {
  const auto behind = std::ranges::upper_bound(rows, at, {}, &LaneRow::y);
  if (behind == rows.begin()) return nullptr;
  const LaneRow& row = *(behind - 1);
  return at < row.y + row.height ? &row : nullptr;
}

const LaneRow* LaneLayout::row_of(std::size_t run, std::size_t track) const {
  for (const LaneRow& row : rows) {
    if (row.run == run && std::ranges::find(row.tracks, track) != row.tracks.end()) return &row;
  }
  return nullptr;
}

Strip strip_of(const LaneRow& row, std::size_t index) {
  const int count = static_cast<int>(std::max<std::size_t>(1, row.tracks.size()));
  const int at = static_cast<int>(index);
  const int top = row.height * at / count;
  const int gap = at + 1 < count ? 1 : 0;
  return {top, row.height * (at + 1) / count - top - gap};
}

LaneLayout make_layout(std::span<const query::Lanes* const> runs, const LayoutOptions& options) {
  Builder builder(options);
  for (std::size_t run = 0; run < runs.size(); ++run)
    builder.add_run(run, *runs[run]);
  return std::move(builder).finish();
}

Result<std::optional<std::set<int>>> parse_ranks(const std::string& text, int num_ranks) {
  std::string dense;
  for (const char c : text) {
    if (c != ' ') dense += c;
  }
  if (dense.empty()) return std::nullopt;
  std::set<int> ranks;
  for (std::string_view rest = dense; !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const auto range = parse_range(rest.substr(0, comma));
    if (!range) return not_ranks(text, num_ranks);
    for (int rank = std::max(0, range->first); rank <= std::min(range->second, num_ranks - 1);
         ++rank)
      ranks.insert(rank);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  if (ranks.empty()) return not_ranks(text, num_ranks);
  return ranks;
}

}  // namespace k3::gui
