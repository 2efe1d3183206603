#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/visual/chart_heat.h"

namespace k3::visual {
namespace {

using testing::HasSubstr;
using testing::Not;

HeatMap two_by_two() {
  HeatMap map;
  map.title = "measured";
  map.rows = 2;
  map.columns = 2;
  map.values = {0, 1e6, 2e6, 4e6};
  map.row_title = "source rank";
  map.column_title = "destination rank";
  map.high = 4e6;
  map.width = 156;
  return map;
}

/// "0 → 1: 1.00 MB seq:0.25" for each cell.
std::vector<std::string> cells(const DrawList& list) {
  std::vector<std::string> out;
  for (const Item& item : list.items) {
    const Box* box = std::get_if<Box>(&item);
    if (box != nullptr && !box->tip.empty()) out.push_back(box->tip + " " + text_of(box->fill));
  }
  return out;
}

TEST(HeatMap, ColoursCellsOnTheRangeGiven) {
  EXPECT_THAT(cells(draw(two_by_two())),
              testing::ElementsAre("0 → 0: 0 MB seq:0.00", "0 → 1: 1.00 MB seq:0.25",
                                   "1 → 0: 2.00 MB seq:0.50", "1 → 1: 4.00 MB seq:1.00"));
}

TEST(HeatMap, LegendShowsUnitRangeAndScale) {
  const std::string text = to_text(draw(two_by_two()));
  EXPECT_THAT(text, HasSubstr("\"0 MB\""));
  EXPECT_THAT(text, HasSubstr("\"4.00 MB\""));
  EXPECT_THAT(text, HasSubstr("\"linear scale\""));
  EXPECT_THAT(text, HasSubstr("turned \"source rank\""));
}

TEST(HeatMap, SaysHowValuesOutOfRangeAreDrawn) {
  HeatMap map = two_by_two();
  map.high = 2e6;
  map.width = 320;
  const DrawList list = draw(map);
  EXPECT_THAT(to_text(list), HasSubstr("beyond it: end colour"));
  EXPECT_EQ(cells(list)[3], "1 → 1: 4.00 MB seq:1.00");
}

TEST(HeatMap, LeavesZeroBlankOnALogScale) {
  HeatMap map = two_by_two();
  map.scale = HeatScale::log;
  map.low = 1e6;
  EXPECT_THAT(cells(draw(map)),
              testing::ElementsAre("0 → 1: 1.00 MB seq:0.00", "1 → 0: 2.00 MB seq:0.50",
                                   "1 → 1: 4.00 MB seq:1.00"));
}

TEST(HeatMap, DifferencesAreNeutralAtZero) {
  HeatMap map = two_by_two();
  map.values = {0, -1e6, 2e6, -4e6};
  map.scale = HeatScale::difference;
  const DrawList list = draw(map);
  EXPECT_THAT(cells(list),
              testing::ElementsAre("0 → 0: 0 MB div:0.00", "0 → 1: -1.00 MB div:-0.25",
                                   "1 → 0: 2.00 MB div:0.50", "1 → 1: -4.00 MB div:-1.00"));
  EXPECT_THAT(to_text(list), HasSubstr("\"-4.00 MB\""));
}

/// 300 × 300 cells in 100 pixels: blocks of 3 × 3.
HeatMap too_fine() {
  HeatMap map = two_by_two();
  map.rows = 300;
  map.columns = 300;
  map.values.assign(90000, 1);
  map.values[1] = 5;
  map.high = 5;
  map.quantity = Quantity::count;
  return map;
}

TEST(HeatMap, AggregatesLoadsByMaximumAndSaysSo) {
  const DrawList list = draw(too_fine());
  const std::vector<std::string> shown = cells(list);
  EXPECT_EQ(shown.size(), 100U * 100U);
  EXPECT_EQ(shown[0], "0–2 → 0–2: 5 seq:1.00");
  EXPECT_EQ(shown[1], "0–2 → 3–5: 1 seq:0.20");
}

TEST(HeatMap, AggregatesAmountsBySumOnTheScaleOfSums) {
  HeatMap map = too_fine();
  map.aggregate = Aggregate::sum;
  const std::vector<std::string> shown = cells(draw(map));
  EXPECT_EQ(shown[0], "0–2 → 0–2: 13 seq:1.00");
  EXPECT_EQ(shown[1], "0–2 → 3–5: 9 seq:0.69");
}

TEST(HeatMap, NamesTheBlocksInItsLegend) {
  HeatMap map = too_fine();
  map.rows = 2;
  map.columns = 1200;
  map.values.assign(2400, 1);
  map.width = 656;
  EXPECT_THAT(to_text(draw(map)), HasSubstr("cells of 2 × 2: maximum"));
  EXPECT_THAT(to_text(draw(two_by_two())), Not(HasSubstr("cells of")));
}

TEST(HeatMap, OfTheWrongSizeSaysThereIsNone) {
  HeatMap map = two_by_two();
  map.values.pop_back();
  EXPECT_THAT(draw(map).description, HasSubstr("Nothing to show"));
  EXPECT_THAT(draw(HeatMap{}).description, HasSubstr("Nothing to show"));
}

TEST(HeatMap, SurvivesValuesThatAreNoNumbers) {
  HeatMap map = two_by_two();
  map.values = {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                -std::numeric_limits<double>::infinity(), 1};
  map.high = largest_magnitude(map.values);
  EXPECT_EQ(map.high, 1);
  EXPECT_EQ(cells(draw(map)).size(), 3U);
}

}  // namespace
}  // namespace k3::visual
