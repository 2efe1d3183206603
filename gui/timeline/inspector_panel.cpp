#include "gui/timeline/inspector_panel.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <optional>
#include <utility>

#include "gui/paint/painter.h"

namespace k3::gui {
namespace {

/// What is in the file about span, pair and layer; an error becomes a line of its group.
std::vector<FactGroup> groups_from_file(const Runs& runs, const Selection& selection) {
  std::vector<FactGroup> groups;
  for (Result<FactGroup> group : {pair_facts(runs, selection), layer_facts(runs, selection)}) {
    if (group) {
      groups.push_back(*std::move(group));
    } else {
      groups.push_back({"Cannot be read", {{"reason", group.error().text(), ""}}});
    }
  }
  return groups;
}

}  // namespace

InspectorPanel::InspectorPanel(RunService* runs,
                               TimelineFocus* focus,
                               SelectionModel* selection,
                               QWidget* parent)
    : Panel(parent),
      runs_(runs),
      focus_(focus),
      selection_(selection),
      empty_(new QLabel(tr("Click a span of the timeline, or select a layer or a pair of ranks."),
                        this)),
      tree_(new QTreeWidget(this)) {
  empty_->setWordWrap(true);
  empty_->setAlignment(Qt::AlignCenter);
  tree_->setHeaderLabels({tr("What"), tr("Value"), tr("Source")});
  tree_->setRootIsDecorated(false);
  tree_->setIndentation(10);
  tree_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(4, 4, 4, 4);
  layout->addWidget(empty_, 1);
  layout->addWidget(tree_, 1);
  auto* copy_action = new QAction(tr("Copy everything shown"), tree_);
  connect(copy_action, &QAction::triggered, this, &InspectorPanel::copy);
  tree_->addAction(copy_action);
  tree_->setContextMenuPolicy(Qt::ActionsContextMenu);
  connect(focus_, &TimelineFocus::span_changed, this, &InspectorPanel::request);
  connect(focus_, &TimelineFocus::runs_changed, this, &InspectorPanel::request);
  connect(selection_, &SelectionModel::changed, this, &InspectorPanel::request);
  show_facts({});
}

void InspectorPanel::request() {
  const Selection selection = selection_->current();
  const std::optional<SpanRef> span = focus_->span();
  std::vector<FactGroup> at_once;
  std::optional<std::int64_t> id;
  if (span) {
    at_once = {span_facts(*focus_, *span, std::nullopt), task_facts(*focus_, *span)};
    id = focus_->runs()[span->run].lanes->span(span->span).span_id;
  }
  const bool asks_file = id || selection.layer || selection.destination;
  if (!asks_file || runs_->runs().empty()) {
    runs_->ask(this, "facts", [](Runs&, const std::stop_token&) { return RunService::Answer(); });
    show_facts(std::move(at_once));
    return;
  }
  if (span) show_facts(std::move(at_once));
  runs_->ask(this, "facts",
             [this, selection, span, id](Runs& runs, const std::stop_token&) -> RunService::Answer {
               std::optional<SpanValues> values;
               if (id && span->run < runs.readers.size()) {
                 const auto read = span_values(runs.readers[span->run], *id);
                 if (read) values = *read;
               }
               return [this, span, values, more = groups_from_file(runs, selection)]() mutable {
                 std::vector<FactGroup> groups;
                 if (span && focus_->span() == span)
                   groups = {span_facts(*focus_, *span, values), task_facts(*focus_, *span)};
                 for (FactGroup& group : more)
                   groups.push_back(std::move(group));
                 show_facts(std::move(groups));
               };
             });
}

void InspectorPanel::show_facts(std::vector<FactGroup> groups) {
  std::erase_if(groups, [](const FactGroup& group) { return group.facts.empty(); });
  shown_ = std::move(groups);
  tree_->clear();
  for (const FactGroup& group : shown_) {
    auto* top = new QTreeWidgetItem(tree_, {text_of(group.title)});
    top->setFirstColumnSpanned(true);
    QFont bold = tree_->font();
    bold.setBold(true);
    top->setFont(0, bold);
    for (const Fact& fact : group.facts) {
      auto* item =
          new QTreeWidgetItem(top, {text_of(fact.what), text_of(fact.value), text_of(fact.source)});
      for (int column = 0; column < 3; ++column)
        item->setToolTip(column, item->text(column));
    }
  }
  tree_->expandAll();
  for (int column = 0; column < 2; ++column)
    tree_->resizeColumnToContents(column);
  tree_->setVisible(!shown_.empty());
  empty_->setVisible(shown_.empty());
}

void InspectorPanel::copy() const {
  QGuiApplication::clipboard()->setText(QString::fromStdString(to_text(shown_)));
}

}  // namespace k3::gui
