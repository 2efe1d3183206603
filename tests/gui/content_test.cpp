#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gui/models/compare_content.h"
#include "gui/models/experts_content.h"
#include "gui/models/layers_content.h"
#include "gui/models/traffic_content.h"
#include "profiler/query/comparison.h"
#include "profiler/query/traffic.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/profiler_query/small_run.h"

namespace k3::gui {
namespace {

using test::opened;
using test::small_run;
using test::TempDir;
using testing::HasSubstr;
using testing::Not;

constexpr Room kRoom{1200, 800};

/// A measured run of `steps` decode steps, beside a simulated one whose KDA takes twice the time.
class ContentTest : public testing::Test {
 protected:
  ContentTest() {
    opened(dir_, "measured.k3r", small_run(RunKind::measured, 2));
    test::SampleRun simulated = small_run(RunKind::simulated, 2);
    for (StepRecord& step : simulated.steps) {
      for (Span& span : step.spans) {
        if (span.name == 0) span.duration_ns *= 2;
      }
      step.routing.clear();
      for (TrafficRecord& traffic : step.traffic)
        traffic.bytes[1] += 30;
    }
    opened(dir_, "simulated.k3r", simulated);
  }

  Runs pair() const { return open_runs({dir_ / "measured.k3r", dir_ / "simulated.k3r"}).value(); }

  Runs one(const std::string& name) const { return open_runs({dir_ / name}).value(); }

  TempDir dir_;
};

ViewContent content_of(const Result<ViewContent>& content) {
  EXPECT_TRUE(content) << content.error().text();
  return content.value_or(ViewContent{});
}

const DataTable& table_of(const ViewContent& content, std::string_view title) {
  for (const DataTable& table : content.tables) {
    if (table.title.starts_with(title)) return table;
  }
  ADD_FAILURE() << "no table " << title;
  static const DataTable kNone;
  return kNone;
}

double number_at(const DataTable& table, std::size_t row, std::size_t column) {
  const double* number = std::get_if<double>(&table.rows.at(row).at(column));
  return number != nullptr ? *number : NAN;
}

TEST_F(ContentTest, CompareListsWhatTheQueryFinds) {
  const Runs runs = pair();
  const query::Comparison expected = query::compare(runs.readers[0], runs.readers[1]).value();
  const ViewContent content = content_of(compare_content(runs, {}, kRoom, {}));
  const DataTable& table = table_of(content, "Kinds and layers, decode");
  ASSERT_EQ(table.rows.size(), expected.rows.size());
  for (std::size_t i = 0; i < expected.rows.size(); ++i) {
    const query::ComparisonRow& row = expected.rows[i];
    EXPECT_EQ(number_at(table, i, 1), row.layer);
    EXPECT_DOUBLE_EQ(number_at(table, i, 2), row.measured_us * 1e-6);
    EXPECT_DOUBLE_EQ(number_at(table, i, 3), row.simulated_us * 1e-6);
    EXPECT_DOUBLE_EQ(number_at(table, i, 4), row.ratio);
    EXPECT_DOUBLE_EQ(number_at(table, i, 5), row.ratio - 1);
  }
  EXPECT_DOUBLE_EQ(number_at(table, 0, 4), 2) << "KDA of the simulation takes twice the time";
  for (const std::string& verdict : expected.verdicts)
    EXPECT_THAT(content.answer, HasSubstr(verdict));
}

TEST_F(ContentTest, CompareOfOneRunSaysHowToOpenASecond) {
  const ViewContent content = content_of(compare_content(one("measured.k3r"), {}, kRoom, {}));
  EXPECT_THAT(content.empty_reason, HasSubstr("File → Compare with"));
}

TEST_F(ContentTest, CompareFollowsTheSelection) {
  const ViewContent content =
      content_of(compare_content(pair(), {.phase = Phase::decode, .layer = 1}, kRoom, {}));
  const DataTable& table = table_of(content, "Kinds and layers");
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(number_at(table, 0, 1), 1);
}

TEST_F(ContentTest, TrafficTableIsTheMatrix) {
  const Runs runs = pair();
  for (const Selection& selection :
       {Selection{}, Selection{.phase = Phase::decode},
        Selection{.step = 1, .layer = 1, .direction = Direction::combine}}) {
    const query::TrafficFilter filter{.step = selection.step,
                                      .layer = selection.layer,
                                      .direction = selection.direction,
                                      .phase = selection.phase};
    const query::TrafficSum a = query::traffic_matrix(runs.readers[0], filter).value();
    const query::TrafficSum b = query::traffic_matrix(runs.readers[1], filter).value();
    const ViewContent content = content_of(traffic_content(runs, selection, kRoom, {}));
    const DataTable& table = table_of(content, "Pairs of ranks");
    double total = 0;
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      const auto cell =
          static_cast<std::size_t>(2 * number_at(table, i, 0) + number_at(table, i, 1));
      EXPECT_EQ(number_at(table, i, 2), static_cast<double>(a.bytes[cell]));
      EXPECT_EQ(number_at(table, i, 3), static_cast<double>(b.bytes[cell]));
      if (i > 0) {
        EXPECT_LE(number_at(table, i, 2), number_at(table, i - 1, 2));
      }
      total += number_at(table, i, 2);
    }
    EXPECT_EQ(total, static_cast<double>(a.total_bytes()));
  }
}

TEST_F(ContentTest, TrafficShowsBothRunsAndTheirDifferenceWithTargets) {
  const Runs runs = pair();
  const ViewContent content = content_of(traffic_content(runs, {.layer = 1}, kRoom, {}));
  ASSERT_EQ(content.pictures.size(), 3U);
  for (const Picture& picture : content.pictures) {
    ASSERT_EQ(picture.targets.size(), 4U);
    const Target& target = picture.targets[1];
    const Target* hit = target_at(picture, {target.x + 1, target.y + 1});
    ASSERT_NE(hit, nullptr);
    EXPECT_EQ(hit->selection, (Selection{.layer = 1, .rank = 0, .destination = 1}));
  }
  EXPECT_THAT(to_text(content), HasSubstr("0 → 1: measured"));
  EXPECT_THAT(content.answer, HasSubstr("-bound at rank "));
}

TEST_F(ContentTest, TrafficOfOneRunIsOneMatrix) {
  const ViewContent content = content_of(traffic_content(one("measured.k3r"), {}, kRoom, {}));
  EXPECT_EQ(content.pictures.size(), 1U);
}

TEST_F(ContentTest, TrafficNamesTheExpertsBehindAPair) {
  const ViewContent content =
      content_of(traffic_content(pair(), {.rank = 0, .destination = 1}, kRoom, {}));
  const DataTable& table = table_of(content, "Experts behind 0 → 1");
  ASSERT_EQ(table.rows.size(), 1U) << "token 0 of rank 0 chooses expert 2 on rank 1";
  EXPECT_EQ(number_at(table, 0, 2), 2);
  EXPECT_EQ(number_at(table, 0, 3), 3) << "once per step";
}

TEST_F(ContentTest, TrafficSaysWhereNoRoutingWasRecorded) {
  const ViewContent content =
      content_of(traffic_content(one("simulated.k3r"), {.rank = 0, .destination = 1}, kRoom, {}));
  EXPECT_THAT(content.pictures.back().list.description, HasSubstr("no expert choices"));
}

TEST_F(ContentTest, ExpertsTellTheirBalanceAndSelectLayers) {
  const ViewContent content = content_of(experts_content(pair(), {}, kRoom, {}));
  const DataTable& table = table_of(content, "Balance per layer");
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(number_at(table, 0, 1), 12) << "4 copies in each of 3 steps";
  EXPECT_EQ(number_at(table, 0, 2), 2) << "2 tokens against a mean of 1";
  EXPECT_EQ(number_at(table, 0, 3), 1.5) << "3 tokens against a mean of 2";
  ASSERT_FALSE(content.pictures.front().targets.empty());
  EXPECT_EQ(content.pictures.front().targets.front().selection, (Selection{.layer = 1}));
  const ViewContent layer = content_of(experts_content(pair(), {.layer = 1}, kRoom, {}));
  EXPECT_EQ(table_of(layer, "Experts of layer 1").rows.size(), 4U);
}

TEST_F(ContentTest, ExpertsOfOneStepAreThoseOfTheStep) {
  const ViewContent content = content_of(experts_content(pair(), {.step = 1}, kRoom, {}));
  EXPECT_EQ(number_at(table_of(content, "Balance per layer"), 0, 1), 4);
}

TEST_F(ContentTest, LayersShowBothRunsAndTheStagesOfTheSelectedOne) {
  const ViewContent content = content_of(layers_content(pair(), {}, kRoom, {}));
  const DataTable& table = table_of(content, "Layers");
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_DOUBLE_EQ(number_at(table, 0, 3), 2e-6) << "mean of 1000 and 3000 ns";
  EXPECT_DOUBLE_EQ(number_at(table, 0, 5), 4e-6);
  EXPECT_THAT(to_text(content), HasSubstr("5–95 % of ranks and steps"));
  const ViewContent layer = content_of(layers_content(pair(), {.layer = 0}, kRoom, {}));
  EXPECT_EQ(table_of(layer, "Stages of layer 0").rows.size(), 1U);
  EXPECT_THAT(layer.answer, HasSubstr("layer 0 takes"));
}

TEST_F(ContentTest, LayersWithoutCostsSayWhy) {
  const Runs runs = one("measured.k3r");
  const ViewContent content = content_of(layers_content(runs, {.step = 99}, kRoom, {}));
  EXPECT_THAT(content.empty_reason, HasSubstr("No layer has a cost"));
}

}  // namespace
}  // namespace k3::gui
