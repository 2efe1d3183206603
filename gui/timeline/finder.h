#pragma once

#include <QObject>
#include <QString>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/models/latest_task.h"
#include "gui/models/timeline_focus.h"

namespace k3::gui {

/// Finds spans by name, one after the other in time, from run to run and around.
class Finder : public QObject {
  Q_OBJECT

 public:
  enum class Direction : std::uint8_t { next, previous };

  explicit Finder(TimelineFocus* focus, QObject* parent = nullptr);

  /// From the selected span, else from the begin of the window. What is found is asked of the
  /// timeline; what is said about it comes as `told`.
  void find(const QString& text, Direction direction);

  bool busy() const { return task_.busy(); }

 Q_SIGNALS:
  void told(const QString& words);

 private:
  TimelineFocus* focus_;
  LatestTask task_;
};

}  // namespace k3::gui
