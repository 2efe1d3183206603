#pragma once

#include <QMainWindow>
#include <filesystem>
#include <vector>

#include "gui/app/theme.h"
#include "gui/models/run_service.h"
#include "gui/models/selection.h"
#include "gui/models/timeline_focus.h"

class QDockWidget;
class QLabel;
class QProgressBar;
class QSettings;
class QTabWidget;
class QToolButton;

namespace k3::gui {

class View;

/// The window: menus, selection bar, one tab per view. Settings are kept in `settings`, which
/// outlives it.
class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  explicit MainWindow(QSettings* settings, QWidget* parent = nullptr);

  /// One session, or two beside each other.
  void open(const std::vector<std::filesystem::path>& paths);
  void set_theme(ThemeChoice choice);

  RunService* runs() { return runs_; }

  SelectionModel* selection() { return selection_; }

  const std::vector<View*>& views() const { return views_; }

  void show_view(View* view);

  /// True when `view` and all panels show what was asked for.
  bool settled(const View& view) const;

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void closeEvent(QCloseEvent* event) override;

 private:
  void make_file_menu();
  void make_view_menu();
  void make_go_menu();
  void make_help_menu();
  void make_status_bar();
  void ask_for_sessions();
  void ask_for_second();
  void list_recent();
  void remember(const std::vector<std::filesystem::path>& paths);
  void show_opened();
  void show_failure(const QString& message);
  View* current_view() const;

  QSettings* settings_;
  RunService* runs_;
  SelectionModel* selection_;
  TimelineFocus* focus_;
  QTabWidget* tabs_;
  QMenu* recent_;
  QProgressBar* busy_;
  QToolButton* cancel_;
  std::vector<View*> views_;
  std::vector<QDockWidget*> docks_;
  std::vector<std::filesystem::path> asked_;   ///< what was last asked to be opened
  std::vector<std::filesystem::path> opened_;  ///< what is open
};

}  // namespace k3::gui
