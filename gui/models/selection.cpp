#include "gui/models/selection.h"

#include <utility>

#include <fmt/core.h>

#include "profiler/visual/numbers.h"

namespace k3::gui {

std::vector<Chip> chips_of(const Selection& selection) {
  std::vector<Chip> chips;
  const auto add = [&chips](Chip::Part part, std::string text) {
    chips.push_back({part, std::move(text)});
  };
  if (selection.phase) add(Chip::Part::phase, std::string(name_of(*selection.phase)));
  if (selection.step) add(Chip::Part::step, fmt::format("step {}", *selection.step));
  if (selection.layer) add(Chip::Part::layer, fmt::format("layer {}", *selection.layer));
  if (selection.direction) {
    add(Chip::Part::direction, std::string(name_of(*selection.direction)));
  }
  if (selection.rank) {
    add(Chip::Part::rank,
        fmt::format("{} {}", selection.destination ? "from rank" : "rank", *selection.rank));
  }
  if (selection.destination) {
    add(Chip::Part::destination, fmt::format("to rank {}", *selection.destination));
  }
  if (selection.expert) add(Chip::Part::expert, fmt::format("expert {}", *selection.expert));
  if (selection.time) {
    const double seconds =
        1e-9 * static_cast<double>(selection.time->end_ns - selection.time->begin_ns);
    add(Chip::Part::time, visual::text_of(visual::Quantity::time, seconds) + " of the run");
  }
  return chips;
}

Selection without(Selection selection, Chip::Part part) {
  switch (part) {
    case Chip::Part::phase:
      selection.phase.reset();
      break;
    case Chip::Part::step:
      selection.step.reset();
      break;
    case Chip::Part::layer:
      selection.layer.reset();
      break;
    case Chip::Part::direction:
      selection.direction.reset();
      break;
    case Chip::Part::rank:
      selection.rank.reset();
      break;
    case Chip::Part::destination:
      selection.destination.reset();
      break;
    case Chip::Part::expert:
      selection.expert.reset();
      break;
    case Chip::Part::time:
      selection.time.reset();
      break;
  }
  return selection;
}

void SelectionModel::select(const Selection& selection) {
  if (selection == current_) return;
  constexpr std::size_t kMaxHistory = 1000;
  if (past_.size() == kMaxHistory) past_.erase(past_.begin());
  past_.push_back(std::exchange(current_, selection));
  future_.clear();
  Q_EMIT changed(current_);
}

void SelectionModel::reset() {
  past_.clear();
  future_.clear();
  current_ = {};
  Q_EMIT changed(current_);
}

void SelectionModel::go_back() {
  if (past_.empty()) return;
  future_.push_back(std::exchange(current_, past_.back()));
  past_.pop_back();
  Q_EMIT changed(current_);
}

void SelectionModel::go_forward() {
  if (future_.empty()) return;
  past_.push_back(std::exchange(current_, future_.back()));
  future_.pop_back();
  Q_EMIT changed(current_);
}

}  // namespace k3::gui
