#include "gui/views/sql_panel.h"

#include <QAction>
#include <QComboBox>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "profiler/query/sql.h"
#include "profiler/store/session_reader.h"

namespace k3::gui {
namespace {

constexpr int kMaxHistory = 50;
constexpr int kEditorLines = 4;
constexpr std::size_t kMaxRows = 10'000;
constexpr double kMaxSeconds = 600;
const char* const kHistoryKey = "sql/history";
const char* const kFirstQuery = "SELECT * FROM v_layer_cost ORDER BY mean_us DESC";

/// Cells that are numbers sort as numbers.
Cell cell_of(const query::SqlCell& cell) {
  switch (cell.type) {
    case store::ValueType::null:
      return {};
    case store::ValueType::integer:
    case store::ValueType::real:
      return cell.real;
    case store::ValueType::text:
    case store::ValueType::blob:
      break;
  }
  return cell.text;
}

struct Outcome {
  DataTable table;
  QString words;
};

Outcome ask(const std::filesystem::path& path,
            const std::string& sql,
            const std::stop_token& stop) {
  const query::SqlLimits limits{.rows = kMaxRows, .seconds = kMaxSeconds, .stop = stop};
  const auto run = [&]() -> Result<query::SqlTable> {
    K3_TRY(const store::SessionReader reader, store::SessionReader::open(path));
    return query::run_sql(reader, sql, limits);
  };
  const Result<query::SqlTable> answer = run();
  Outcome outcome;
  if (!answer) {
    outcome.words = QString::fromStdString(answer.error().text());
    return outcome;
  }
  for (const std::string& column : answer->columns)
    outcome.table.columns.push_back({column, visual::Quantity::plain});
  for (const std::vector<query::SqlCell>& row : answer->rows) {
    std::vector<Cell>& cells = outcome.table.rows.emplace_back();
    for (const query::SqlCell& cell : row)
      cells.push_back(cell_of(cell));
  }
  const auto count = static_cast<qlonglong>(answer->rows.size());
  outcome.words = answer->cut ? SqlPanel::tr("the first %1 rows; there are more").arg(count)
                              : SqlPanel::tr("%1 rows").arg(count);
  return outcome;
}

}  // namespace

SqlPanel::SqlPanel(RunService* runs, QSettings* settings, QWidget* parent)
    : Panel(parent),
      runs_(runs),
      settings_(settings),
      session_(new QComboBox(this)),
      history_(new QComboBox(this)),
      editor_(new QPlainTextEdit(kFirstQuery, this)),
      run_button_(new QPushButton(tr("Run"), this)),
      cancel_(new QPushButton(tr("Cancel"), this)),
      message_(new QLabel(this)),
      view_(new QTableView(this)),
      model_(new DataTableModel(this)) {
  editor_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  editor_->setTabChangesFocus(true);
  editor_->setFixedHeight(editor_->fontMetrics().lineSpacing() * kEditorLines + 12);
  auto* sorted = new QSortFilterProxyModel(this);
  sorted->setSourceModel(model_);
  sorted->setSortRole(Qt::UserRole);
  view_->setModel(sorted);
  view_->setSortingEnabled(true);
  view_->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
  view_->setAlternatingRowColors(true);
  view_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  view_->verticalHeader()->hide();
  view_->verticalHeader()->setDefaultSectionSize(view_->fontMetrics().height() + 6);
  message_->setTextFormat(Qt::PlainText);
  message_->setWordWrap(true);
  message_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  history_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  history_->setMinimumContentsLength(20);
  history_->setToolTip(tr("What was asked before"));

  auto* bar = new QHBoxLayout;
  bar->addWidget(session_);
  bar->addWidget(history_, 1);
  bar->addWidget(run_button_);
  bar->addWidget(cancel_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(4, 4, 4, 4);
  layout->addLayout(bar);
  layout->addWidget(editor_);
  layout->addWidget(message_);
  layout->addWidget(view_, 1);

  auto* key = new QAction(tr("SQL: run the statement"), this);
  key->setShortcut(Qt::CTRL | Qt::Key_Return);
  key->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  addAction(key);
  connect(key, &QAction::triggered, this, &SqlPanel::run);
  connect(run_button_, &QPushButton::clicked, this, &SqlPanel::run);
  connect(cancel_, &QPushButton::clicked, this, [this] {
    task_.cancel();
    set_running(false);
    say(tr("cancelled"));
  });
  connect(history_, &QComboBox::activated, this,
          [this](int) { editor_->setPlainText(history_->currentData().toString()); });
  connect(runs_, &RunService::opened, this, &SqlPanel::show_runs);
  remember({});
  set_running(false);
  show_runs();
}

QString SqlPanel::message() const {
  return message_->text();
}

void SqlPanel::show_runs() {
  task_.cancel();
  set_running(false);
  session_->clear();
  for (const auto& facts : runs_->runs())
    session_->addItem(QString::fromStdString(facts->name));
  session_->setVisible(session_->count() > 1);
  model_->show({});
  say(runs_->runs().empty()
          ? tr("No session is open.")
          : tr("Tables and views: SELECT name FROM sqlite_master. Ctrl+Return runs."));
}

void SqlPanel::say(const QString& words) {
  message_->setText(words);
}

void SqlPanel::set_running(bool running) {
  run_button_->setEnabled(!running);
  cancel_->setEnabled(running);
}

void SqlPanel::run() {
  const QString sql = editor_->toPlainText().trimmed();
  const auto number = static_cast<std::size_t>(std::max(0, session_->currentIndex()));
  if (sql.isEmpty() || number >= runs_->runs().size()) return;
  remember(sql);
  set_running(true);
  say(tr("Running …"));
  task_.ask([this, path = std::filesystem::path(runs_->runs()[number]->summary.path),
             text = sql.toStdString()](const std::stop_token& stop) -> LatestTask::Answer {
    auto outcome = std::make_shared<Outcome>(ask(path, text, stop));
    return [this, outcome] {
      set_running(false);
      say(outcome->words);
      model_->show(std::move(outcome->table));
      view_->resizeColumnsToContents();
    };
  });
}

/// Puts `sql` first in the history, which is shown.
void SqlPanel::remember(const QString& sql) {
  QStringList past = settings_->value(kHistoryKey).toStringList();
  if (!sql.isEmpty()) {
    past.removeAll(sql);
    past.prepend(sql);
    past = past.mid(0, kMaxHistory);
    settings_->setValue(kHistoryKey, past);
  }
  history_->clear();
  for (const QString& text : past)
    history_->addItem(QString(text).simplified(), text);
  history_->setPlaceholderText(tr("History"));
  history_->setCurrentIndex(-1);
}

}  // namespace k3::gui
