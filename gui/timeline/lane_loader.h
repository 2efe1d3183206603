#pragma once

#include <QObject>
#include <QTimer>
#include <atomic>
#include <memory>
#include <vector>

#include "gui/models/latest_task.h"
#include "gui/models/timeline_focus.h"

namespace k3::gui {

/// Reads all spans of the open runs on a thread of its own, from files opened once more, so that
/// the other views are answered meanwhile.
class LaneLoader : public QObject {
  Q_OBJECT

 public:
  explicit LaneLoader(TimelineFocus* focus, QObject* parent = nullptr);

  /// Puts the spans of `runs` into the focus once they are read; what was being read is dropped.
  void load(const std::vector<std::shared_ptr<const RunFacts>>& runs);

  void cancel();

  bool busy() const { return task_.busy(); }

 Q_SIGNALS:
  /// 0 … 1
  void progressed(double share);
  void loaded();
  void failed(const QString& message);

 private:
  TimelineFocus* focus_;
  LatestTask task_;
  QTimer poll_;
  std::shared_ptr<std::atomic<double>> share_;
};

}  // namespace k3::gui
