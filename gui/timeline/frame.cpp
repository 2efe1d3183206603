#include "gui/timeline/frame.h"

#include <algorithm>

#include <fmt/core.h>

#include "engine/base/task_kind.h"
#include "profiler/store/names.h"

namespace k3::gui {
namespace {

/// Whether none of an item's spans is of the layer.
std::vector<std::uint8_t> pale_items(const query::Lanes& lanes,
                                     const std::vector<query::LaneItem>& items,
                                     int layer) {
  std::vector<std::uint8_t> pale;
  pale.reserve(items.size());
  for (const query::LaneItem& item : items) {
    const auto layers = lanes.layer.part(item.first_span, item.count);
    pale.push_back(std::ranges::find(layers, layer) == layers.end() ? 1 : 0);
  }
  return pale;
}

std::string_view kind_name(std::uint8_t kind) {
  return kind == query::kNoKind ? "none" : name_of(static_cast<TaskKind>(kind));
}

}  // namespace

const FrameTrack* Frame::find(const TrackRef& ref) const {
  const auto found = std::ranges::lower_bound(tracks, ref, {}, &FrameTrack::ref);
  return found != tracks.end() && found->ref == ref ? &*found : nullptr;
}

std::shared_ptr<const Frame> make_frame(FrameRequest request, const std::stop_token& stop) {
  auto frame = std::make_shared<Frame>();
  frame->range = request.range;
  frame->ns_per_pixel = request.ns_per_pixel;
  std::ranges::sort(request.tracks);
  frame->tracks.reserve(request.tracks.size());
  for (const TrackRef& ref : request.tracks) {
    if (stop.stop_requested()) return nullptr;
    const FrameRun& run = request.runs[ref.run];
    const query::TimeRange range{request.range.begin_ns + run.zero_ns,
                                 request.range.end_ns + run.zero_ns};
    FrameTrack track{.ref = ref, .items = {}, .pale = {}};
    query::append_items(*run.lanes, run.lanes->tracks[ref.track], range, request.ns_per_pixel,
                        track.items);
    if (request.layer) track.pale = pale_items(*run.lanes, track.items, *request.layer);
    frame->tracks.push_back(std::move(track));
  }
  return frame;
}

std::string to_text(const Frame& frame, const std::vector<FrameRun>& runs) {
  std::string text;
  for (const FrameTrack& track : frame.tracks) {
    const FrameRun& run = runs[track.ref.run];
    const query::Track& row = run.lanes->tracks[track.ref.track];
    text += fmt::format("run {} lane {} row {}\n", track.ref.run, row.lane, row.depth);
    for (std::size_t i = 0; i < track.items.size(); ++i) {
      const query::LaneItem& item = track.items[i];
      text += fmt::format("  {} to {}: {} {} {}", item.begin_ns - run.zero_ns,
                          item.end_ns - run.zero_ns, item.count, kind_name(item.kind),
                          store::stored_name(item.category));
      if (item.count > 1) text += fmt::format(", busy {}, waiting {}", item.busy_ns, item.wait_ns);
      if (!track.pale.empty() && track.pale[i] != 0) text += ", pale";
      text += '\n';
    }
  }
  return text;
}

}  // namespace k3::gui
