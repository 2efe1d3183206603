#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "profiler/query/lanes.h"

namespace k3::gui {

/// Which rows there are and how high they are.
struct LayoutOptions {
  int row_height = 14;
  std::set<int> collapsed = {};  ///< ranks shown as one row
  std::set<int> hidden = {};
};

inline constexpr int kMinRowHeight = 6;
inline constexpr int kMaxRowHeight = 48;

/// One row of the timeline: the steps of a run, one track, or the tracks of a collapsed rank as
/// strips above each other.
struct LaneRow {
  enum class Kind : std::uint8_t { steps, track, rank };

  Kind kind = Kind::steps;
  int y = 0;  ///< from the top of all rows
  int height = 0;
  std::size_t run = 0;
  int rank = -1;
  bool first_of_rank = false;
  std::string label;                ///< name of the lane, on its first row
  std::vector<std::size_t> tracks;  ///< indices into Lanes::tracks
};

struct LaneLayout {
  std::vector<LaneRow> rows;
  int height = 0;

  /// The row at a height; null: between rows.
  const LaneRow* row_at(int y) const;

  /// The row that shows a track; null: its rank is hidden.
  const LaneRow* row_of(std::size_t run, std::size_t track) const;
};

/// Part of a row.
struct Strip {
  int top = 0;
  int height = 0;
};

/// Where the `index`-th of a row's tracks is drawn, relative to the row.
Strip strip_of(const LaneRow& row, std::size_t index);

/// Rows of the runs below each other: their steps, then rank by rank. Lanes without spans take no
/// room.
LaneLayout make_layout(std::span<const query::Lanes* const> runs, const LayoutOptions& options);

/// Ranks in a text such as "0-7, 12"; nothing: all.
/// Errors: invalid_input for anything else, and where no rank is left
Result<std::optional<std::set<int>>> parse_ranks(const std::string& text, int num_ranks);

}  // namespace k3::gui
