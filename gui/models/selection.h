#pragma once

#include <QObject>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/task_kind.h"

namespace k3::gui {

/// A range of a session's time in nanoseconds since the begin of the run, the end not included.
struct TimeRange {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;

  friend bool operator==(const TimeRange&, const TimeRange&) = default;
};

/// What all views show together; what is not set means all.
struct Selection {
  std::optional<Phase> phase = {};
  std::optional<int> step = {};
  std::optional<int> layer = {};
  std::optional<Direction> direction = {};
  std::optional<int> rank = {};
  std::optional<int> destination = {};  ///< with `rank` as source: one pair of ranks
  std::optional<int> expert = {};
  std::optional<TimeRange> time = {};

  friend bool operator==(const Selection&, const Selection&) = default;
};

/// One restriction of a selection as a chip of the bar shows it.
struct Chip {
  enum class Part : std::uint8_t { phase, step, layer, direction, rank, destination, expert, time };

  Part part = Part::phase;
  std::string text;  ///< "layer 17"
};

std::vector<Chip> chips_of(const Selection& selection);

/// The selection without one of its restrictions.
Selection without(Selection selection, Chip::Part part);

/// The one selection of the window, with its history. Lives on the GUI thread.
class SelectionModel : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  const Selection& current() const { return current_; }

  /// Does nothing if `selection` is the current one.
  void select(const Selection& selection);

  void remove(Chip::Part part) { select(without(current_, part)); }

  void clear() { select({}); }

  /// Selects nothing and forgets the history: other runs were opened.
  void reset();

  bool can_go_back() const { return !past_.empty(); }

  bool can_go_forward() const { return !future_.empty(); }

  void go_back();
  void go_forward();

 Q_SIGNALS:
  void changed(const k3::gui::Selection& selection);

 private:
  Selection current_;
  std::vector<Selection> past_;
  std::vector<Selection> future_;
};

}  // namespace k3::gui
