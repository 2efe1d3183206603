#include "gui/timeline/hit.h"

#include <algorithm>
#include <cmath>

#include "profiler/query/lane_items.h"

namespace k3::gui {
namespace {

constexpr int kArrowWidth = 18;
/// How far from a narrow span the pointer may be.
constexpr double kReach = 4;

std::optional<SpanRef> span_in(const Scene& scene, const LaneRow& row, const QPoint& point) {
  const int y = point.y() - (scene.top + row.y - scene.scroll);
  std::size_t index = 0;
  while (index + 1 < row.tracks.size() && y >= strip_of(row, index + 1).top)
    ++index;
  if (index >= row.tracks.size()) return std::nullopt;
  const FrameRun& run = scene.runs[row.run].run;
  const query::Track& track = run.lanes->tracks[row.tracks[index]];
  const std::int64_t time = scene.window.time_at(point.x() - scene.gutter) + run.zero_ns;
  const auto reach = static_cast<std::int64_t>(std::ceil(scene.window.ns_per_pixel() * kReach));
  const auto span = query::span_at(*run.lanes, track.lane, track.depth, time, reach);
  if (!span) return std::nullopt;
  return SpanRef{row.run, *span};
}

}  // namespace

Hit hit_at(const Scene& scene, const QPoint& point) {
  Hit hit;
  if (scene.runs.empty()) return hit;
  if (point.y() < scene.top) {
    hit.place = point.x() >= scene.gutter ? Hit::Place::ruler : Hit::Place::nothing;
    return hit;
  }
  hit.row = scene.layout->row_at(point.y() - scene.top + scene.scroll);
  if (hit.row == nullptr) return hit;
  if (point.x() < scene.gutter) {
    hit.place = hit.row->kind == LaneRow::Kind::steps               ? Hit::Place::nothing
                : hit.row->first_of_rank && point.x() < kArrowWidth ? Hit::Place::arrow
                                                                    : Hit::Place::label;
    return hit;
  }
  if (hit.row->kind == LaneRow::Kind::steps) {
    hit.place = Hit::Place::steps;
    return hit;
  }
  hit.place = Hit::Place::row;
  hit.span = span_in(scene, *hit.row, point);
  return hit;
}

}  // namespace k3::gui
