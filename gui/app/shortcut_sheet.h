#pragma once

#include <QDialog>

namespace k3::gui {

/// Every shortcut of the window and its views, read from their actions and key tables.
class ShortcutSheet : public QDialog {
  Q_OBJECT

 public:
  explicit ShortcutSheet(QWidget* window);
};

}  // namespace k3::gui
