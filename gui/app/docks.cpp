#include "gui/app/docks.h"

#include <QMainWindow>

#include "gui/timeline/events_panel.h"
#include "gui/timeline/inspector_panel.h"
#include "gui/timeline/statistics_panel.h"
#include "gui/views/sql_panel.h"

namespace k3::gui {
namespace {

constexpr int kInspectorWidth = 300;
constexpr int kPanelHeight = 230;

QDockWidget* add_dock(QMainWindow* window,
                      Qt::DockWidgetArea area,
                      const char* name,
                      const QString& title,
                      QWidget* panel) {
  auto* dock = new QDockWidget(title, window);
  dock->setObjectName(name);
  dock->setWidget(panel);
  window->addDockWidget(area, dock);
  return dock;
}

}  // namespace

std::vector<QDockWidget*> add_docks(QMainWindow* window,
                                    const ViewContext& context,
                                    QSettings* settings) {
  window->setDockOptions(QMainWindow::AnimatedDocks | QMainWindow::AllowTabbedDocks |
                         QMainWindow::AllowNestedDocks);
  window->setTabPosition(Qt::BottomDockWidgetArea, QTabWidget::North);
  QDockWidget* inspector =
      add_dock(window, Qt::RightDockWidgetArea, "inspector", QObject::tr("Inspector"),
               new InspectorPanel(context.runs, context.focus, context.selection));
  QDockWidget* statistics =
      add_dock(window, Qt::BottomDockWidgetArea, "statistics", QObject::tr("Statistics"),
               new StatisticsPanel(context.focus, context.selection));
  QDockWidget* events = add_dock(window, Qt::BottomDockWidgetArea, "events", QObject::tr("Events"),
                                 new EventsPanel(context.focus, context.selection));
  QDockWidget* sql = add_dock(window, Qt::BottomDockWidgetArea, "sql", QObject::tr("SQL"),
                              new SqlPanel(context.runs, settings));
  window->tabifyDockWidget(statistics, events);
  window->tabifyDockWidget(events, sql);
  statistics->raise();
  window->resizeDocks({inspector}, {kInspectorWidth}, Qt::Horizontal);
  window->resizeDocks({statistics}, {kPanelHeight}, Qt::Vertical);
  return {inspector, statistics, events, sql};
}

}  // namespace k3::gui
