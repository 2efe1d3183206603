// Frames of the timeline of a session with many spans: what is computed on another thread plus what
// is painted on that of the window, per pan, at several zooms; and how long opening takes.
// usage: timeline_bench MILLIONS_OF_SPANS [FILE.k3r]
// Writes the session to FILE.k3r unless it is there (else to a temporary file).
#include <QGuiApplication>
#include <QImage>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/rng.h"
#include "gui/timeline/frame.h"
#include "gui/timeline/lane_layout.h"
#include "gui/timeline/looks.h"
#include "gui/timeline/scene.h"
#include "gui/timeline/time_window.h"
#include "profiler/query/lane_statistics.h"
#include "profiler/query/lanes.h"
#include "profiler/query/time_range.h"
#include "profiler/store/session_reader.h"
#include "profiler/store/session_writer.h"

namespace k3::gui {
namespace {

constexpr int kRanks = 72;
constexpr int kSpansPerStep = 100'000;
constexpr int kWidth = 1920;
constexpr int kHeight = 1080;
constexpr int kGutter = 150;
constexpr int kRulerHeight = 26;
constexpr int kPans = 40;

double ms_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

RunHeader header() {
  RunHeader header;
  header.num_ranks = kRanks;
  for (std::int32_t rank = 0; rank < kRanks; ++rank) {
    header.lanes.push_back({rank, LaneKind::compute, "compute"});
    header.lanes.push_back({rank, LaneKind::communication, "communication"});
  }
  PlanRecord plan;
  for (std::int32_t kind = 0; kind < kNumTaskKinds; ++kind) {
    header.names.emplace_back(name_of(static_cast<TaskKind>(kind)));
    plan.tasks.push_back(
        {.rank = 0, .kind = static_cast<TaskKind>(kind), .layer = 1, .name = kind});
  }
  header.plans = {plan};
  return header;
}

/// Back-to-back spans of 0.2 to 20 µs with pauses, as kernels come; every lane another.
StepRecord step(std::int32_t number, std::int64_t begin_ns, Rng& rng) {
  StepRecord step;
  step.step = number;
  step.begin_ns = begin_ns;
  step.spans.reserve(kSpansPerStep);
  constexpr int kLanes = 2 * kRanks;
  for (std::int32_t lane = 0; lane < kLanes; ++lane) {
    std::int64_t now = begin_ns;
    for (int i = 0; i < kSpansPerStep / kLanes; ++i) {
      const std::uint64_t random = rng.next();
      const auto task = static_cast<std::int32_t>(random % kNumTaskKinds);
      const auto ns = static_cast<std::int64_t>(200 + (random >> 8) % 100 * ((random >> 16) % 200));
      const bool waits = lane % 2 == 1 && (random >> 24) % 3 == 0;
      step.spans.push_back({.begin_ns = now,
                            .duration_ns = ns,
                            .lane = lane,
                            .task = task,
                            .layer = static_cast<std::int16_t>((random >> 32) % 93),
                            .category = waits           ? SpanCategory::wait
                                        : lane % 2 == 1 ? SpanCategory::transfer
                                                        : SpanCategory::compute,
                            .name = task});
      now += ns + ((random >> 40) % 20 == 0 ? 30'000 : 50);
    }
    step.duration_ns = std::max(step.duration_ns, now - begin_ns);
  }
  return step;
}

Result<void> write_session(const std::filesystem::path& path, std::int64_t spans) {
  K3_TRY(const auto sink, store::create_session(path, Overwrite::no));
  K3_TRY_VOID(sink->begin(header()));
  Rng rng(1);
  std::int64_t begin_ns = 0;
  for (std::int32_t number = 0; spans > 0; ++number) {
    const StepRecord record = step(number, begin_ns, rng);
    K3_TRY_VOID(sink->step(record));
    begin_ns += record.duration_ns;
    spans -= static_cast<std::int64_t>(record.spans.size());
  }
  return sink->finish();
}

struct Times {
  std::vector<double> compute_ms;
  std::vector<double> paint_ms;
  std::vector<double> frame_ms;
  std::size_t items = 0;
};

double at_share(std::vector<double> values, double share) {
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

class Bench {
 public:
  explicit Bench(std::shared_ptr<const query::Lanes> lanes) : lanes_(std::move(lanes)) {
    LayoutOptions options{.row_height = 10};
    for (int rank = 0; rank < kRanks; ++rank)
      options.collapsed.insert(rank);
    const std::vector<const query::Lanes*> runs{lanes_.get()};
    layout_ = make_layout(runs, options);
    SceneRun run;
    run.run.lanes = lanes_;
    run.name = "measured";
    scene_.runs.push_back(run);
    scene_.layout = &layout_;
    scene_.gutter = kGutter;
    scene_.top = kRulerHeight;
  }

  /// Pans across the run in steps of the same number of pixels.
  Times pan(double share, visual::Provenance provenance) {
    Times times;
    scene_.runs[0].provenance = provenance;
    const query::TimeRange all = query::data_range(*lanes_).range;
    const auto width = static_cast<std::int64_t>(static_cast<double>(all.duration_ns()) * share);
    const std::int64_t room = all.duration_ns() - width;
    for (int i = 0; i < kPans; ++i) {
      const std::int64_t moved = room > 0 ? room / kPans * i : width / 200 * i;
      frame({all.begin_ns + moved, all.begin_ns + moved + width}, times);
    }
    return times;
  }

 private:
  void frame(TimeRange range, Times& times) {
    scene_.window = {range, kWidth - kGutter};
    FrameRequest request{.runs = {{lanes_, 0}},
                         .range = with_margin(range, 0.25),
                         .ns_per_pixel = scene_.window.ns_per_pixel(),
                         .tracks = {}};
    for (const LaneRow& row : layout_.rows) {
      for (const std::size_t track : row.tracks)
        request.tracks.push_back({0, track});
    }
    const auto begin = std::chrono::steady_clock::now();
    const auto made = make_frame(std::move(request));
    const double compute = ms_since(begin);
    scene_.frame = made.get();
    const auto painted = std::chrono::steady_clock::now();
    paint_scene(image_, scene_, looks_, names_);
    const double paint = ms_since(painted);
    times.compute_ms.push_back(compute);
    times.paint_ms.push_back(paint);
    times.frame_ms.push_back(compute + paint);
    times.items = 0;
    for (const FrameTrack& track : made->tracks)
      times.items += track.items.size();
  }

  std::shared_ptr<const query::Lanes> lanes_;
  LaneLayout layout_;
  Scene scene_;
  Looks looks_{visual::Theme::dark, 1};
  NameCache names_{QFont()};
  QImage image_{kWidth, kHeight, QImage::Format_RGB32};
};

Result<void> measure(const std::filesystem::path& path) {
  const auto begin = std::chrono::steady_clock::now();
  K3_TRY(const store::SessionReader reader, store::SessionReader::open(path));
  K3_TRY(const auto lanes, query::load_lanes(reader));
  std::printf("opening: %zu spans on %zu tracks in memory after %.2f s\n", lanes->num_spans(),
              lanes->tracks.size(), 1e-3 * ms_since(begin));
  Bench bench(lanes);
  std::printf("%d x %d pixels, %d ranks in 144 strips; %d pans each; median / 95 %% in ms\n",
              kWidth, kHeight, kRanks, kPans);
  for (const auto provenance : {visual::Provenance::measured, visual::Provenance::simulated}) {
    for (const double share : {1.0, 0.1, 0.01, 0.001}) {
      const Times times = bench.pan(share, provenance);
      std::printf(
          "%-9s %5.1f %% of the run: compute %5.2f / %5.2f, paint %5.2f / %5.2f, frame "
          "%5.2f / %5.2f, %zu items\n",
          std::string(visual::name_of(provenance)).c_str(), 100 * share,
          at_share(times.compute_ms, 0.5), at_share(times.compute_ms, 0.95),
          at_share(times.paint_ms, 0.5), at_share(times.paint_ms, 0.95),
          at_share(times.frame_ms, 0.5), at_share(times.frame_ms, 0.95), times.items);
    }
  }
  std::vector<std::int32_t> all(lanes->lanes.size());
  for (std::size_t lane = 0; lane < all.size(); ++lane)
    all[lane] = static_cast<std::int32_t>(lane);
  const query::TimeRange range = query::data_range(*lanes).range;
  std::vector<double> sums_ms;
  for (int i = 0; i < kPans; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const auto sums = query::range_statistics(
        *lanes, {range.begin_ns + range.duration_ns() / 100 * i, range.end_ns}, all);
    sums_ms.push_back(ms_since(start));
    if (sums.num_spans() == 0) std::printf("no spans\n");
  }
  std::printf("statistics of a range, all lanes: %.2f / %.2f ms\n", at_share(sums_ms, 0.5),
              at_share(sums_ms, 0.95));
  return {};
}

int run(int argc, char** argv) {
  if (argc < 2 || argc > 3 || std::atof(argv[1]) <= 0) {
    std::fputs("usage: timeline_bench MILLIONS_OF_SPANS [FILE.k3r]\n", stderr);
    return 1;
  }
  const bool keep = argc == 3;
  const std::filesystem::path path =
      keep ? std::filesystem::path(argv[2])
           : std::filesystem::temp_directory_path() / "k3rack_timeline_bench.k3r";
  Result<void> done;
  if (!std::filesystem::exists(path))
    done = write_session(path, static_cast<std::int64_t>(std::atof(argv[1]) * 1e6));
  if (done) done = measure(path);
  if (!keep) std::filesystem::remove(path);
  if (done) return 0;
  std::fprintf(stderr, "timeline_bench: error: %s\n", done.error().text().c_str());
  return 1;
}

}  // namespace
}  // namespace k3::gui

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  const QGuiApplication application(argc, argv);
  return k3::gui::run(argc, argv);
}
