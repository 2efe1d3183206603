#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "gui/models/data_table.h"
#include "gui/models/runs.h"
#include "gui/models/selection.h"
#include "profiler/visual/draw_list.h"

namespace k3::gui {

/// A place of a picture that selects something when it is clicked.
struct Target {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
  Selection selection;  ///< the whole selection after the click
};

struct Picture {
  visual::DrawList list;
  std::vector<Target> targets;  ///< later ones lie above earlier ones
};

/// What a view shows: plain values made from the open runs and the selection on the thread of
/// RunService, painted and listed by PageView. Text and numbers are the same as those of the
/// command line for the same question.
struct ViewContent {
  std::string question;  ///< "Where does a decode step go?"
  std::string answer;    ///< one computed sentence
  std::string note;      ///< provenance, what was aggregated or left out
  std::vector<Picture> pictures;
  std::vector<DataTable> tables;
  std::string empty_reason;  ///< not empty: nothing to show; why, and what would fill the view
};

/// Room for pictures in pixels. Pictures at most `width` wide stand below each other, narrower ones
/// side by side.
struct Room {
  double width = 960;
  double height = 600;
};

using ContentBuilder = std::function<Result<ViewContent>(
    const Runs& runs, const Selection& selection, const Room& room, const std::stop_token& stop)>;

/// The topmost target at a point of a picture; null: none.
const Target* target_at(const Picture& picture, visual::Point point);

/// The content as lines of text, pictures by visual::to_text: what tests compare.
std::string to_text(const ViewContent& content);

}  // namespace k3::gui
