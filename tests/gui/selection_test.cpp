#include "gui/models/selection.h"

#include <QSignalSpy>

#include <gtest/gtest.h>

namespace k3::gui {
namespace {

std::string text_of_chips(const Selection& selection) {
  std::string out;
  for (const Chip& chip : chips_of(selection))
    out += chip.text + "; ";
  return out;
}

TEST(Selection, NamesEveryRestrictionAndRemovesThemOneByOne) {
  Selection selection{.phase = Phase::decode,
                      .step = 3,
                      .layer = 17,
                      .rank = 2,
                      .destination = 5,
                      .expert = 800,
                      .time = TimeRange{1000, 2'501'000}};
  EXPECT_EQ(text_of_chips(selection),
            "decode; step 3; layer 17; from rank 2; to rank 5; expert 800; 2.50 ms of the run; ");
  while (!chips_of(selection).empty()) {
    const std::size_t before = chips_of(selection).size();
    selection = without(selection, chips_of(selection).front().part);
    ASSERT_EQ(chips_of(selection).size(), before - 1);
  }
  EXPECT_EQ(selection, Selection{});
}

TEST(SelectionModel, GoesBackAndForwardThroughItsHistory) {
  SelectionModel model;
  const QSignalSpy changes(&model, &SelectionModel::changed);
  model.select({.layer = 1});
  model.select({.layer = 1});  // the same: no step of history
  model.select({.layer = 2});
  model.go_back();
  EXPECT_EQ(model.current().layer, 1);
  model.go_back();
  EXPECT_EQ(model.current(), Selection{});
  EXPECT_FALSE(model.can_go_back());
  model.go_back();
  model.go_forward();
  EXPECT_EQ(model.current().layer, 1);
  model.select({.layer = 9});
  EXPECT_FALSE(model.can_go_forward());
  model.reset();
  EXPECT_FALSE(model.can_go_back());
  EXPECT_EQ(changes.count(), 7);
}

}  // namespace
}  // namespace k3::gui
