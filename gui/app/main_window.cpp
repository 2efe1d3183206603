#include "gui/app/main_window.h"

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QCloseEvent>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QProgressBar>
#include <QSettings>
#include <QStatusBar>
#include <QTabWidget>
#include <QToolButton>
#include <QUrl>
#include <algorithm>

#include "gui/app/docks.h"
#include "gui/app/selection_bar.h"
#include "gui/app/shortcut_sheet.h"
#include "gui/app/views.h"
#include "gui/views/panel.h"

namespace k3::gui {
namespace {

constexpr int kMaxRecent = 10;
const char* const kRecentKey = "recent_sessions";
const char* const kThemeKey = "theme";
const char* const kGeometryKey = "window/geometry";
const char* const kStateKey = "window/state";

std::vector<std::filesystem::path> paths_of(const QStringList& names) {
  std::vector<std::filesystem::path> paths;
  for (const QString& name : names)
    paths.emplace_back(name.toStdString());
  return paths;
}

QStringList names_of(const std::vector<std::filesystem::path>& paths) {
  QStringList names;
  for (const std::filesystem::path& path : paths)
    names << QString::fromStdString(path.string());
  return names;
}

/// The files that a drag carries; empty if anything else is among them.
std::vector<std::filesystem::path> dragged_files(const QMimeData* data) {
  std::vector<std::filesystem::path> paths;
  for (const QUrl& url : data->urls()) {
    if (!url.isLocalFile()) return {};
    paths.emplace_back(url.toLocalFile().toStdString());
  }
  return paths;
}

}  // namespace

MainWindow::MainWindow(QSettings* settings, QWidget* parent)
    : QMainWindow(parent),
      settings_(settings),
      runs_(new RunService(this)),
      selection_(new SelectionModel(this)),
      focus_(new TimelineFocus(this)),
      tabs_(new QTabWidget(this)),
      recent_(new QMenu(tr("Open &recent"), this)),
      busy_(new QProgressBar(this)),
      cancel_(new QToolButton(this)) {
  setWindowTitle("K3Rack");
  setAcceptDrops(true);
  resize(1600, 1000);
  tabs_->setDocumentMode(true);
  setCentralWidget(tabs_);
  addToolBar(new SelectionBar(runs_, selection_, this));
  views_ = make_views({runs_, selection_, focus_}, this);
  for (View* view : views_) {
    tabs_->addTab(view, view->title());
    connect(view, &View::hint, this,
            [this](const QString& text) { statusBar()->showMessage(text, 8000); });
  }
  docks_ = add_docks(this, {runs_, selection_, focus_}, settings_);
  make_file_menu();
  make_view_menu();
  make_go_menu();
  make_help_menu();
  make_status_bar();
  connect(runs_, &RunService::opened, this, &MainWindow::show_opened);
  connect(runs_, &RunService::failed, this, &MainWindow::show_failure);
  restoreGeometry(settings_->value(kGeometryKey).toByteArray());
  restoreState(settings_->value(kStateKey).toByteArray());
  set_theme(static_cast<ThemeChoice>(settings_->value(kThemeKey, 0).toInt()));
}

void MainWindow::open(const std::vector<std::filesystem::path>& paths) {
  if (paths.empty()) return;
  asked_ = paths;
  statusBar()->showMessage(tr("Opening %1 …").arg(names_of(paths).join(", ")));
  runs_->open(paths);
}

void MainWindow::show_opened() {
  opened_ = asked_;
  remember(opened_);
  QStringList files;
  for (const auto& facts : runs_->runs())
    files << QString::fromStdString(facts->file);
  setWindowTitle(files.join(tr(" vs ")) + " – K3Rack");
  statusBar()->clearMessage();
  selection_->reset();
}

void MainWindow::show_failure(const QString& message) {
  statusBar()->showMessage(message);
  // NOTE: not exec: a nested event loop would run while answers arrive.
  auto* box =
      new QMessageBox(QMessageBox::Warning, tr("K3Rack"), message, QMessageBox::Close, this);
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setTextFormat(Qt::PlainText);
  box->open();
}

void MainWindow::set_theme(ThemeChoice choice) {
  const visual::Theme theme = theme_of(choice);
  if (auto* application = qobject_cast<QApplication*>(QApplication::instance())) {
    apply_theme(*application, theme);
  }
  for (View* view : views_)
    view->set_theme(theme);
}

View* MainWindow::current_view() const {
  return qobject_cast<View*>(tabs_->currentWidget());
}

void MainWindow::show_view(View* view) {
  tabs_->setCurrentWidget(view);
}

bool MainWindow::settled(const View& view) const {
  return view.settled() && !runs_->busy() &&
         std::ranges::all_of(docks_, [](const QDockWidget* dock) {
           const auto* panel = qobject_cast<const Panel*>(dock->widget());
           return panel == nullptr || panel->settled();
         });
}

void MainWindow::make_file_menu() {
  QMenu* menu = menuBar()->addMenu(tr("&File"));
  menu->addAction(tr("&Open session …"), QKeySequence::Open, this, &MainWindow::ask_for_sessions);
  menu->addAction(tr("Compare &with …"), QKeySequence(tr("Ctrl+Shift+O")), this,
                  &MainWindow::ask_for_second);
  menu->addMenu(recent_);
  connect(recent_, &QMenu::aboutToShow, this, &MainWindow::list_recent);
  menu->addSeparator();
  menu->addAction(tr("&Copy picture"), QKeySequence(tr("Ctrl+Shift+C")), this, [this] {
    if (View* view = current_view()) view->copy_picture();
  });
  menu->addAction(tr("Copy &table"), QKeySequence(tr("Ctrl+Shift+T")), this, [this] {
    if (View* view = current_view()) view->copy_table();
  });
  menu->addAction(tr("&Save picture as SVG …"), QKeySequence::Save, this, [this] {
    if (View* view = current_view()) view->save_picture();
  });
  menu->addSeparator();
  menu->addAction(tr("&Quit"), QKeySequence::Quit, this, &QWidget::close);
}

void MainWindow::make_view_menu() {
  QMenu* menu = menuBar()->addMenu(tr("&View"));
  QMenu* themes = menu->addMenu(tr("&Theme"));
  auto* group = new QActionGroup(this);
  const int current = settings_->value(kThemeKey, 0).toInt();
  int choice = 0;
  for (const QString& name : {tr("As the &desktop"), tr("&Light"), tr("D&ark")}) {
    QAction* action = themes->addAction(name, this, [this, choice] {
      settings_->setValue(kThemeKey, choice);
      set_theme(static_cast<ThemeChoice>(choice));
    });
    action->setCheckable(true);
    action->setChecked(choice == current);
    group->addAction(action);
    ++choice;
  }
  menu->addSeparator();
  for (const QDockWidget* dock : docks_)
    menu->addAction(dock->toggleViewAction());
  menu->addSeparator();
  QAction* full = menu->addAction(tr("&Full screen"), QKeySequence::FullScreen, this,
                                  [this](bool on) { on ? showFullScreen() : showNormal(); });
  full->setCheckable(true);
}

void MainWindow::make_go_menu() {
  QMenu* menu = menuBar()->addMenu(tr("&Go"));
  menu->addAction(tr("&Back to the former selection"), QKeySequence::Back, selection_,
                  &SelectionModel::go_back);
  menu->addAction(tr("&Forward"), QKeySequence::Forward, selection_, &SelectionModel::go_forward);
  menu->addAction(tr("&Select all"), QKeySequence(tr("Ctrl+Backspace")), selection_,
                  &SelectionModel::clear);
  menu->addSeparator();
  for (std::size_t i = 0; i < views_.size(); ++i) {
    View* view = views_[i];
    QAction* action = menu->addAction(view->title(), this, [this, view] { show_view(view); });
    if (i < 9) action->setShortcut(QKeySequence(Qt::CTRL | static_cast<Qt::Key>(Qt::Key_1 + i)));
  }
}

void MainWindow::make_help_menu() {
  QMenu* menu = menuBar()->addMenu(tr("&Help"));
  menu->addAction(tr("Keyboard &shortcuts"), QKeySequence::HelpContents, this, [this] {
    auto* sheet = new ShortcutSheet(this);
    sheet->setAttribute(Qt::WA_DeleteOnClose);
    sheet->open();
  });
  menu->addAction(tr("&About K3Rack"), this, [this] {
    QMessageBox::about(this, tr("About K3Rack"),
                       tr("K3Rack %1: measured beside simulated, for Kimi K3 on a rack of GPUs.\n"
                          "Licence: Apache-2.0")
                           .arg(QApplication::applicationVersion()));
  });
}

void MainWindow::make_status_bar() {
  busy_->setRange(0, 0);
  busy_->setMaximumWidth(140);
  busy_->setTextVisible(false);
  cancel_->setText(tr("Cancel"));
  for (QWidget* widget : {static_cast<QWidget*>(busy_), static_cast<QWidget*>(cancel_)}) {
    statusBar()->addPermanentWidget(widget);
    widget->hide();
  }
  connect(cancel_, &QToolButton::clicked, runs_, &RunService::cancel_all);
  connect(runs_, &RunService::busy_changed, this, [this](bool busy) {
    busy_->setVisible(busy);
    cancel_->setVisible(busy);
  });
}

void MainWindow::ask_for_sessions() {
  open(paths_of(QFileDialog::getOpenFileNames(this, tr("Open one session, or two to compare"), {},
                                              tr("Sessions (*.k3r);;All files (*)"))));
}

void MainWindow::ask_for_second() {
  if (opened_.empty()) {
    ask_for_sessions();
    return;
  }
  const QString second = QFileDialog::getOpenFileName(this, tr("Compare with"), {},
                                                      tr("Sessions (*.k3r);;All files (*)"));
  if (!second.isEmpty()) open({opened_.front(), second.toStdString()});
}

void MainWindow::remember(const std::vector<std::filesystem::path>& paths) {
  QStringList recent = settings_->value(kRecentKey).toStringList();
  for (const std::filesystem::path& path : paths) {
    const QString name = QString::fromStdString(std::filesystem::absolute(path).string());
    recent.removeAll(name);
    recent.prepend(name);
  }
  settings_->setValue(kRecentKey, recent.mid(0, kMaxRecent));
}

void MainWindow::list_recent() {
  recent_->clear();
  for (const QString& name : settings_->value(kRecentKey).toStringList()) {
    recent_->addAction(QString(name).replace("&", "&&"), this,
                       [this, name] { open(paths_of({name})); });
  }
  recent_->addSeparator();
  recent_->addAction(tr("&Forget these"), this, [this] { settings_->remove(kRecentKey); });
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (!dragged_files(event->mimeData()).empty()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  open(dragged_files(event->mimeData()));
  event->acceptProposedAction();
}

void MainWindow::closeEvent(QCloseEvent* event) {
  settings_->setValue(kGeometryKey, saveGeometry());
  settings_->setValue(kStateKey, saveState());
  QMainWindow::closeEvent(event);
}

}  // namespace k3::gui
