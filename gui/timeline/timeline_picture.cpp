#include "gui/timeline/timeline_picture.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "gui/timeline/looks.h"

namespace k3::gui {
namespace {

using visual::Box;
using visual::Paint;
using visual::Role;
using visual::Text;

constexpr int kTickDistance = 110;
constexpr double kPale = 0.22;
constexpr double kTextSize = 11;
constexpr double kLeastTextHeight = 11;

class Builder {
 public:
  Builder(const Scene& scene, int height) : scene_(scene), height_(height) {
    list_.width = scene.gutter + scene.window.width;
    list_.height = height;
    list_.description = "Timeline";
  }

  visual::DrawList build() && {
    for (const LaneRow& row : scene_.layout->rows) {
      const int y = scene_.top + row.y - scene_.scroll;
      if (y < scene_.top || y + row.height > height_) continue;
      if (row.kind == LaneRow::Kind::steps) {
        add_steps(row, y);
      } else {
        add_row(row, y);
      }
    }
    add_ruler();
    return std::move(list_);
  }

 private:
  double x_of(std::int64_t axis_ns) const {
    return std::clamp<double>(scene_.x_of(axis_ns), scene_.gutter, list_.width);
  }

  void add_text(double x, double baseline, std::string text, double room) {
    Text item;
    item.at = {x, baseline};
    item.text = std::move(text);
    item.size = kTextSize;
    item.max_width = room;
    item.fit = visual::Fit::elide;
    list_.items.emplace_back(std::move(item));
  }

  void add_box(const Box& style, std::int64_t begin_ns, std::int64_t end_ns, const Strip& strip) {
    Box box = style;
    box.x = x_of(begin_ns);
    box.width = std::max(1.0, x_of(end_ns) - box.x);
    box.y = strip.top;
    box.height = strip.height;
    list_.items.emplace_back(std::move(box));
  }

  void add_steps(const LaneRow& row, int y) {
    const SceneRun& run = scene_.runs[row.run];
    add_text(6, y + 15, run.name.toStdString(), scene_.gutter - 10);
    Box band;
    band.fill = Paint::of(Role::grid);
    for (const store::StepRow& step : run.run.lanes->steps) {
      const std::int64_t begin = step.begin_ns - run.run.zero_ns;
      if (begin > scene_.window.range.end_ns ||
          begin + step.duration_ns < scene_.window.range.begin_ns)
        continue;
      add_box(band, begin, begin + step.duration_ns, {y + 3, row.height - 6});
      const double x = x_of(begin);
      add_text(x + 4, y + 15, fmt::format("step {} · {}", step.step, name_of(step.phase)),
               x_of(begin + step.duration_ns) - x - 8);
    }
  }

  void add_row(const LaneRow& row, int y) {
    if (row.first_of_rank && row.height >= kLeastTextHeight - 2)
      add_text(16, y + (row.height + kTextSize) / 2 - 1, fmt::format("rank {}", row.rank), 54);
    if (!row.label.empty() && row.height >= kLeastTextHeight - 2)
      add_text(70, y + (row.height + kTextSize) / 2 - 1, row.label, scene_.gutter - 74);
    for (std::size_t i = 0; i < row.tracks.size(); ++i) {
      const Strip strip = strip_of(row, i);
      const FrameTrack* track =
          scene_.frame == nullptr ? nullptr : scene_.frame->find({row.run, row.tracks[i]});
      if (track != nullptr) add_track(row, *track, {y + strip.top, strip.height});
    }
  }

  void add_track(const LaneRow& row, const FrameTrack& track, const Strip& strip) {
    const SceneRun& run = scene_.runs[row.run];
    for (std::size_t i = 0; i < track.items.size(); ++i) {
      const query::LaneItem& item = track.items[i];
      const std::int64_t begin = item.begin_ns - run.run.zero_ns;
      const std::int64_t end = item.end_ns - run.run.zero_ns;
      if (end < scene_.window.range.begin_ns || begin > scene_.window.range.end_ns) continue;
      const bool pale = scene_.is_pale(row.rank) || (!track.pale.empty() && track.pale[i] != 0);
      if (item.count == 1) {
        add_box(style_of(run, item.kind, item.category, pale), begin, end, strip);
        add_name(run, item, begin, end, strip);
      } else {
        add_cell(run, item, pale, strip);
      }
    }
  }

  static Box style_of(const SceneRun& run, std::uint8_t kind, SpanCategory category, bool pale) {
    const Paint paint = paint_of(kind, category);
    Box box = visual::marked_box(run.provenance, paint);
    if (category == SpanCategory::wait) {
      box = {};
      box.fill = paint;
      box.hatch = visual::Hatch::dense;
    }
    if (pale) {
      box.opacity = kPale;
      box.outline = {};
    }
    return box;
  }

  void add_name(const SceneRun& run,
                const query::LaneItem& item,
                std::int64_t begin,
                std::int64_t end,
                const Strip& strip) {
    if (strip.height < kLeastTextHeight) return;
    const double x = x_of(begin);
    Text name;
    name.at = {x + 3, strip.top + (strip.height + kTextSize) / 2 - 1.5};
    name.text =
        run.run.lanes->names[static_cast<std::size_t>(run.run.lanes->name[item.first_span])];
    name.size = kTextSize;
    name.max_width = x_of(end) - x - 6;
    name.fit = visual::Fit::elide;
    name.halo = Paint::of(Role::background);
    list_.items.emplace_back(std::move(name));
  }

  /// A bar as high as the busy share, the waiting share above it.
  void add_cell(const SceneRun& run, const query::LaneItem& item, bool pale, const Strip& strip) {
    const std::int64_t begin = item.begin_ns - run.run.zero_ns;
    const std::int64_t end = item.end_ns - run.run.zero_ns;
    const auto whole =
        static_cast<double>(std::max<std::int64_t>({1, end - begin, item.busy_ns + item.wait_ns}));
    const double height = strip.height;
    const bool no_time = item.busy_ns == 0 && item.wait_ns == 0;
    const double busy = no_time ? height : height * static_cast<double>(item.busy_ns) / whole;
    const double wait = height * static_cast<double>(item.wait_ns) / whole;
    const auto add = [&](SpanCategory category, double top, double part) {
      Box box = style_of(run, item.kind, category, pale);
      box.outline = {};
      box.x = x_of(begin);
      box.width = std::max(1.0, x_of(end) - box.x);
      box.y = top;
      box.height = part;
      list_.items.emplace_back(std::move(box));
    };
    if (busy > 0) add(SpanCategory::compute, strip.top + height - busy, busy);
    if (wait > 0) add(SpanCategory::wait, strip.top + height - busy - wait, wait);
  }

  void add_ruler() {
    const Ruler ruler = ruler_of(scene_.window, kTickDistance);
    add_text(6, scene_.top - 10, ruler.base, scene_.gutter - 10);
    for (const RulerTick& tick : ruler.ticks) {
      const double x = x_of(tick.time_ns);
      visual::Line line;
      line.points = {{x, scene_.top - 7.0}, {x, scene_.top - 1.0}};
      line.stroke = Paint::of(Role::axis);
      line.style = visual::LineStyle::thin;
      list_.items.emplace_back(std::move(line));
      add_text(x + 3, scene_.top - 10, tick.label, kTickDistance);
    }
  }

  const Scene& scene_;
  int height_;
  visual::DrawList list_;
};

}  // namespace

visual::DrawList timeline_picture(const Scene& scene, int height) {
  return Builder(scene, height).build();
}

}  // namespace k3::gui
