#pragma once

#include <QDockWidget>
#include <vector>

#include "gui/views/view.h"

class QMainWindow;
class QSettings;

namespace k3::gui {

/// Adds the panels around the views: the inspector on the right; statistics, events and SQL below.
/// Each can be closed and moved; their names do not change, so that a saved layout fits.
std::vector<QDockWidget*> add_docks(QMainWindow* window,
                                    const ViewContext& context,
                                    QSettings* settings);

}  // namespace k3::gui
