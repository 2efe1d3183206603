#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "gui/timeline/frame.h"
#include "gui/timeline/lane_layout.h"
#include "gui/timeline/looks.h"
#include "gui/timeline/scene.h"
#include "gui/timeline/timeline_picture.h"
#include "profiler/visual/draw_list.h"
#include "tests/gui/timeline_fixture.h"

namespace k3::gui {
namespace {

std::shared_ptr<const Frame> frame_of(const std::shared_ptr<const query::Lanes>& lanes,
                                      TimeRange range,
                                      double ns_per_pixel,
                                      std::optional<int> layer = std::nullopt) {
  FrameRequest request{
      .runs = {{lanes, 0}}, .range = range, .ns_per_pixel = ns_per_pixel, .tracks = {}};
  for (std::size_t track = 0; track < lanes->tracks.size(); ++track)
    request.tracks.push_back({0, track});
  request.layer = layer;
  return make_frame(std::move(request));
}

TEST(Frame, ShowsWideSpansOneByOne) {
  const auto lanes = test::loaded(test::two_steps(), test::Ending::finished);
  EXPECT_EQ(to_text(*frame_of(lanes, {0, 1000}, 1), {{lanes, 0}}),
            "run 0 lane 0 row 0\n"
            "  0 to 300: 1 kda compute\n"
            "run 0 lane 1 row 0\n"
            "  300 to 700: 1 dispatch wait\n"
            "  700 to 900: 1 dispatch transfer\n"
            "run 0 lane 2 row 0\n"
            "  0 to 700: 1 mla compute\n"
            "run 0 lane 3 row 0\n"
            "  700 to 1000: 1 dispatch transfer\n");
}

TEST(Frame, FoldsNarrowSpansIntoCells) {
  const auto lanes = test::loaded(test::two_steps(), test::Ending::finished);
  // Cells of 3 · 400 = 1200 ns: the step's two communication spans of rank 0 become one.
  const auto frame = frame_of(lanes, {0, 1000}, 400);
  ASSERT_EQ(frame->tracks[1].items.size(), 1U);
  const query::LaneItem& cell = frame->tracks[1].items[0];
  EXPECT_EQ(cell.count, 2U);
  EXPECT_EQ(cell.busy_ns, 200);
  EXPECT_EQ(cell.wait_ns, 400);
}

TEST(Frame, MarksWhatIsOfOtherLayers) {
  const auto lanes = test::loaded(test::two_steps(), test::Ending::finished);
  const auto frame = frame_of(lanes, {0, 1000}, 1, 0);
  EXPECT_EQ(frame->tracks[0].pale, (std::vector<std::uint8_t>{0}));     // KDA of layer 0
  EXPECT_EQ(frame->tracks[1].pale, (std::vector<std::uint8_t>{1, 1}));  // dispatch of layer 1
}

TEST(Frame, PutsRunsOnOneAxis) {
  const auto lanes = test::loaded(test::two_steps(), test::Ending::finished);
  // The second run's zero is the begin of its second step.
  FrameRequest request{.runs = {{lanes, 0}, {lanes, 2000}},
                       .range = {0, 1000},
                       .ns_per_pixel = 1,
                       .tracks = {{1, 0}, {0, 0}}};
  const std::vector<FrameRun> runs = request.runs;
  EXPECT_EQ(to_text(*make_frame(std::move(request)), runs),
            "run 0 lane 0 row 0\n"
            "  0 to 300: 1 kda compute\n"
            "run 1 lane 0 row 0\n"
            "  0 to 300: 1 kda compute\n");
}

TEST(Frame, IsNothing_WhenStopped) {
  const auto lanes = test::loaded(test::two_steps(), test::Ending::finished);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(make_frame({.runs = {{lanes, 0}},
                        .range = {0, 1000},
                        .ns_per_pixel = 1,
                        .tracks = {{0, 0}},
                        .layer = std::nullopt},
                       stop.get_token()),
            nullptr);
}

/// One picture of the first step, 100 pixels of labels and 500 of plot.
class Picture : public ::testing::Test {
 protected:
  Picture()
      : lanes_(test::loaded(test::two_steps(), test::Ending::finished)),
        frame_(frame_of(lanes_, {0, 1000}, 2)) {
    const std::vector<const query::Lanes*> runs{lanes_.get()};
    layout_ = make_layout(runs, {.row_height = 10, .collapsed = {}, .hidden = {1}});
    SceneRun run;
    run.run.lanes = lanes_;
    run.name = "measured";
    scene_.runs.push_back(run);
    scene_.layout = &layout_;
    scene_.frame = frame_.get();
    scene_.window = {{0, 1000}, 500};
    scene_.gutter = 100;
    scene_.top = 20;
  }

  QRgb pixel(visual::Provenance provenance, int x, int y) {
    scene_.runs[0].provenance = provenance;
    QImage image(600, 200, QImage::Format_RGB32);
    NameCache names{QFont()};
    paint_scene(image, scene_, looks_, names);
    return image.pixel(x, y);
  }

  int num_colors_in(visual::Provenance provenance, const QRect& area) {
    scene_.runs[0].provenance = provenance;
    QImage image(600, 200, QImage::Format_RGB32);
    NameCache names{QFont()};
    paint_scene(image, scene_, looks_, names);
    std::set<QRgb> colors;
    for (int y = area.top(); y <= area.bottom(); ++y) {
      for (int x = area.left(); x <= area.right(); ++x)
        colors.insert(image.pixel(x, y));
    }
    return static_cast<int>(colors.size());
  }

  std::shared_ptr<const query::Lanes> lanes_;
  std::shared_ptr<const Frame> frame_;
  LaneLayout layout_;
  Scene scene_;
  Looks looks_{visual::Theme::light, 1};
};

TEST_F(Picture, IsTheSameAsDrawList) {
  // Rows: steps at 0 to 22; compute at 25 to 35, communication at 35 to 45; two pixels per 4 ns.
  const std::string text = visual::to_text(timeline_picture(scene_, 200));
  EXPECT_NE(text.find("box 100,45 150x10"), std::string::npos) << text;  // KDA: 0 to 300 ns
  EXPECT_NE(text.find("box 250,55 200x10"), std::string::npos) << text;  // waiting: 300 to 700
  EXPECT_NE(text.find("box 450,55 100x10"), std::string::npos) << text;  // moving: 700 to 900
}

TEST_F(Picture, PaintsMeasuredSpansSolidInTheColourOfTheirKind) {
  EXPECT_EQ(pixel(visual::Provenance::measured, 150, 50), qRgb(0x00, 0x72, 0xb2));
  EXPECT_EQ(num_colors_in(visual::Provenance::measured, {105, 46, 100, 8}), 1);
}

TEST_F(Picture, HatchesSimulatedSpansAndWaiting) {
  EXPECT_EQ(num_colors_in(visual::Provenance::simulated, {105, 47, 100, 6}), 2);
  EXPECT_EQ(num_colors_in(visual::Provenance::measured, {260, 57, 100, 6}), 2);
  // The outline of a simulated span has its full colour.
  EXPECT_EQ(pixel(visual::Provenance::simulated, 150, 45), qRgb(0x00, 0x72, 0xb2));
}

TEST_F(Picture, IsTheFormerFrameMoved_UntilTheNextOneIsThere) {
  scene_.window.range = {-200, 800};
  EXPECT_EQ(pixel(visual::Provenance::measured, 202, 50), qRgb(0x00, 0x72, 0xb2));
  EXPECT_NE(pixel(visual::Provenance::measured, 198, 50), qRgb(0x00, 0x72, 0xb2));
}

}  // namespace
}  // namespace k3::gui
