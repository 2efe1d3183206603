#include "gui/app/selection_bar.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QToolButton>
#include <algorithm>
#include <set>

namespace k3::gui {
namespace {

/// Items carry what they select as data; the first one, without data, selects all.
void fill(QComboBox* box, const QString& all, const std::vector<std::pair<QString, int>>& items) {
  const QSignalBlocker quiet(box);
  box->clear();
  box->addItem(all);
  for (const auto& [text, value] : items)
    box->addItem(text, value);
  box->setEnabled(!items.empty());
}

std::optional<int> chosen(const QComboBox* box) {
  const QVariant data = box->currentData();
  return data.isValid() ? std::optional(data.toInt()) : std::nullopt;
}

void choose_item(QComboBox* box, std::optional<int> value) {
  const QSignalBlocker quiet(box);
  const int index = value ? box->findData(*value) : 0;
  box->setCurrentIndex(std::max(0, index));
}

}  // namespace

SelectionBar::SelectionBar(RunService* runs, SelectionModel* selection, QWidget* parent)
    : QToolBar(tr("Selection"), parent),
      runs_(runs),
      selection_(selection),
      names_(new QLabel(this)),
      phase_(new QComboBox(this)),
      step_(new QComboBox(this)),
      layer_(new QComboBox(this)),
      direction_(new QComboBox(this)),
      chips_(new QWidget(this)),
      chip_row_(new QHBoxLayout(chips_)) {
  setObjectName("selection_bar");
  setMovable(false);
  names_->setContentsMargins(6, 0, 12, 0);
  names_->setTextFormat(Qt::PlainText);
  phase_->setAccessibleName(tr("phase"));
  step_->setAccessibleName(tr("step"));
  layer_->setAccessibleName(tr("layer"));
  direction_->setAccessibleName(tr("direction"));
  for (QComboBox* box : {phase_, step_, layer_, direction_}) {
    box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    box->setMaxVisibleItems(24);
    connect(box, &QComboBox::activated, this, &SelectionBar::choose);
  }
  chip_row_->setContentsMargins(8, 0, 0, 0);
  chip_row_->addStretch(1);
  chips_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  addWidget(names_);
  addWidget(phase_);
  addWidget(step_);
  addWidget(layer_);
  addWidget(direction_);
  addWidget(chips_);
  connect(runs_, &RunService::opened, this, &SelectionBar::show_runs);
  connect(selection_, &SelectionModel::changed, this, &SelectionBar::show_selection);
  show_runs();
}

void SelectionBar::show_runs() {
  QStringList names;
  std::set<Phase> phases;
  std::vector<std::pair<QString, int>> steps;
  int layers = 0;
  for (const auto& facts : runs_->runs()) {
    names << QString::fromStdString(facts->name + " " + facts->file);
    for (const query::StepSummary& step : facts->summary.steps) {
      phases.insert(step.phase);
      if (facts == runs_->runs().front()) {
        steps.emplace_back(
            tr("step %1 (%2)").arg(step.step).arg(QString::fromUtf8(name_of(step.phase).data())),
            step.step);
      }
    }
    layers = std::max(layers, facts->num_layers);
  }
  names_->setText(names.isEmpty() ? tr("no session open") : names.join(tr("  vs  ")));
  std::vector<std::pair<QString, int>> phase_items;
  for (const Phase phase : phases) {
    phase_items.emplace_back(QString::fromUtf8(name_of(phase).data()), static_cast<int>(phase));
  }
  std::vector<std::pair<QString, int>> layer_items;
  for (int layer = 0; layer < layers; ++layer)
    layer_items.emplace_back(tr("layer %1").arg(layer), layer);
  fill(phase_, tr("all phases"), phase_items);
  fill(step_, tr("all steps"), steps);
  fill(layer_, tr("all layers"), layer_items);
  std::vector<std::pair<QString, int>> directions;
  for (const Direction direction : {Direction::dispatch, Direction::combine}) {
    directions.emplace_back(QString::fromUtf8(name_of(direction).data()),
                            static_cast<int>(direction));
  }
  if (names.isEmpty()) directions.clear();
  fill(direction_, tr("dispatch and combine"), directions);
  show_selection(selection_->current());
}

void SelectionBar::show_selection(const Selection& selection) {
  choose_item(phase_,
              selection.phase ? std::optional(static_cast<int>(*selection.phase)) : std::nullopt);
  choose_item(step_, selection.step);
  choose_item(layer_, selection.layer);
  choose_item(direction_, selection.direction
                              ? std::optional(static_cast<int>(*selection.direction))
                              : std::nullopt);
  while (chip_row_->count() > 1) {
    const QLayoutItem* item = chip_row_->takeAt(0);
    item->widget()->deleteLater();
    delete item;
  }
  for (const Chip& chip : chips_of(selection)) {
    auto* button = new QToolButton(chips_);
    button->setText(QString::fromStdString(chip.text) + QStringLiteral("  ✕"));
    button->setToolTip(tr("Remove this restriction"));
    connect(button, &QToolButton::clicked, this,
            [this, part = chip.part] { selection_->remove(part); });
    chip_row_->insertWidget(chip_row_->count() - 1, button);
  }
}

void SelectionBar::choose() {
  Selection selection = selection_->current();
  const std::optional<int> phase = chosen(phase_);
  selection.phase = phase ? std::optional(static_cast<Phase>(*phase)) : std::nullopt;
  selection.step = chosen(step_);
  selection.layer = chosen(layer_);
  const std::optional<int> direction = chosen(direction_);
  selection.direction =
      direction ? std::optional(static_cast<Direction>(*direction)) : std::nullopt;
  selection_->select(selection);
}

}  // namespace k3::gui
