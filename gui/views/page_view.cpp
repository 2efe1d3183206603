#include "gui/views/page_view.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QFileDialog>
#include <QLabel>
#include <QMenu>
#include <QScrollArea>
#include <QScrollBar>
#include <QSplitter>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/atomic_file.h"
#include "gui/paint/painter.h"
#include "gui/paint/pictures.h"
#include "gui/views/picture_widget.h"
#include "gui/views/table_panel.h"
#include "profiler/visual/svg.h"

namespace k3::gui {
namespace {

constexpr int kMargin = 12;
constexpr int kGap = 16;
constexpr int kPictureShare = 700;
constexpr int kTableShare = 300;

QLabel* make_label(QWidget* parent) {
  auto* label = new QLabel(parent);
  label->setWordWrap(true);
  label->setTextFormat(Qt::PlainText);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  return label;
}

}  // namespace

PageView::PageView(QString title,
                   ContentBuilder builder,
                   const ViewContext& context,
                   QWidget* parent)
    : View(parent),
      title_(std::move(title)),
      builder_(std::move(builder)),
      context_(context),
      question_(make_label(this)),
      answer_(make_label(this)),
      note_(make_label(this)),
      empty_(make_label(this)),
      scroll_(new QScrollArea(this)),
      canvas_(new QWidget),
      splitter_(new QSplitter(Qt::Vertical, this)),
      tables_(new TablePanel(this)),
      resize_delay_(new QTimer(this)) {
  QFont heading = question_->font();
  heading.setPointSizeF(heading.pointSizeF() * 1.35);
  heading.setWeight(QFont::DemiBold);
  question_->setFont(heading);
  note_->setForegroundRole(QPalette::PlaceholderText);
  empty_->setAlignment(Qt::AlignCenter);
  empty_->hide();
  scroll_->setWidget(canvas_);
  scroll_->setFrameShape(QFrame::NoFrame);
  splitter_->addWidget(scroll_);
  splitter_->addWidget(tables_);
  splitter_->setStretchFactor(0, 3);
  splitter_->setStretchFactor(1, 1);
  splitter_->setChildrenCollapsible(true);
  // Pictures get most of the room whatever size their table would like; proportions, not pixels.
  tables_->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Ignored);
  scroll_->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Ignored);
  splitter_->setSizes({kPictureShare, kTableShare});
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(kMargin, kMargin, kMargin, kMargin);
  layout->addWidget(question_);
  layout->addWidget(answer_);
  layout->addWidget(note_);
  layout->addWidget(empty_, 1);
  layout->addWidget(splitter_, 1);
  resize_delay_->setSingleShot(true);
  resize_delay_->setInterval(120);
  connect(resize_delay_, &QTimer::timeout, this, &PageView::request);
  const auto renew = [this] {
    stale_ = true;
    if (isVisible()) request();
  };
  connect(context_.runs, &RunService::opened, this, renew);
  connect(context_.selection, &SelectionModel::changed, this, renew);
}

Room PageView::room() const {
  // The bar is counted whether it shows or not: its coming must not ask for another width.
  const int bar = scroll_->verticalScrollBar()->sizeHint().width();
  return {std::max(320.0, double(splitter_->width() - bar)), std::max(240.0, double(height()))};
}

bool PageView::settled() const {
  return !stale_ && !waiting_ && !resize_delay_->isActive();
}

void PageView::request() {
  if (!stale_ && room().width == shown_width_) return;
  stale_ = false;
  waiting_ = true;
  shown_width_ = room().width;
  context_.runs->ask(
      this, "content",
      [this, builder = builder_, selection = context_.selection->current(), room = room()](
          Runs& runs, const std::stop_token& stop) -> RunService::Answer {
        if (runs.empty()) {
          return [this] { say_empty(tr("No session is open. File → Open, or drop one here.")); };
        }
        Result<ViewContent> content = builder(runs, selection, room, stop);
        if (!content) {
          return [this, text = content.error().text()] { say_empty(QString::fromStdString(text)); };
        }
        return
            [this, content = *std::move(content)]() mutable { show_content(std::move(content)); };
      });
}

void PageView::say_empty(const QString& reason) {
  waiting_ = false;
  empty_->setText(reason);
  empty_->show();
  splitter_->hide();
  answer_->hide();
  note_->hide();
}

void PageView::show_content(ViewContent content) {
  waiting_ = false;
  question_->setText(QString::fromStdString(content.question));
  if (!content.empty_reason.empty()) {
    say_empty(QString::fromStdString(content.empty_reason));
    return;
  }
  empty_->hide();
  splitter_->show();
  answer_->setText(QString::fromStdString(content.answer));
  note_->setText(QString::fromStdString(content.note));
  answer_->setVisible(!content.answer.empty());
  note_->setVisible(!content.note.empty());
  scroll_->setVisible(!content.pictures.empty());
  tables_->setVisible(!content.tables.empty());
  show_pictures(std::move(content.pictures));
  tables_->show_tables(std::move(content.tables));
  // At once: what is settled may be photographed before the next events.
  layout()->activate();
}

void PageView::show_pictures(std::vector<Picture> pictures) {
  while (pictures_.size() > pictures.size()) {
    pictures_.back()->deleteLater();
    pictures_.pop_back();
  }
  double x = 0;
  double y = 0;
  double row_height = 0;
  double width = 0;
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    if (i == pictures_.size()) {
      auto* widget = new PictureWidget(canvas_);
      connect(widget, &PictureWidget::clicked, context_.selection, &SelectionModel::select);
      pictures_.push_back(widget);
    }
    const visual::DrawList& list = pictures[i].list;
    if (x > 0 && x + list.width > shown_width_) {
      x = 0;
      y += row_height + kGap;
      row_height = 0;
    }
    pictures_[i]->move(static_cast<int>(x), static_cast<int>(y));
    x += list.width;
    width = std::max(width, x);
    x += kGap;
    row_height = std::max(row_height, list.height);
    pictures_[i]->show_picture(std::move(pictures[i]), theme_);
    pictures_[i]->show();
  }
  canvas_->resize(static_cast<int>(std::ceil(width)), static_cast<int>(std::ceil(y + row_height)));
}

void PageView::set_theme(visual::Theme theme) {
  theme_ = theme;
  for (PictureWidget* picture : pictures_)
    picture->set_theme(theme);
}

const PictureWidget* PageView::chosen_picture() const {
  for (const PictureWidget* picture : pictures_) {
    if (picture->underMouse()) return picture;
  }
  return pictures_.empty() ? nullptr : pictures_.front();
}

void PageView::copy_picture() {
  const PictureWidget* chosen = chosen_picture();
  if (chosen == nullptr) {
    Q_EMIT hint(tr("There is no picture to copy."));
    return;
  }
  QApplication::clipboard()->setImage(image_of(chosen->picture().list, theme_, 2));
  Q_EMIT hint(tr("Picture copied."));
}

void PageView::copy_table() {
  const DataTable* table = tables_->current();
  if (table == nullptr) {
    Q_EMIT hint(tr("There is no table to copy."));
    return;
  }
  QApplication::clipboard()->setText(QString::fromStdString(delimited(*table, '\t')));
  Q_EMIT hint(tr("Table copied: %1.").arg(QString::fromStdString(table->title)));
}

void PageView::save_picture() {
  const PictureWidget* chosen = chosen_picture();
  if (chosen == nullptr) {
    Q_EMIT hint(tr("There is no picture to save."));
    return;
  }
  // NOTE: by value: the dialog runs an event loop that may replace the picture.
  const visual::DrawList list = chosen->picture().list;
  const QString path = QFileDialog::getSaveFileName(
      this, tr("Save picture"), title_.toLower() + ".svg", tr("SVG pictures (*.svg)"));
  if (path.isEmpty()) return;
  const std::string svg = visual::to_svg(
      list, {theme_ == visual::Theme::dark ? visual::SvgColors::dark : visual::SvgColors::light});
  // The dialog has asked whether to overwrite.
  const Result<void> written = write_file_atomically(path.toStdString(), svg, Overwrite::yes);
  Q_EMIT hint(written ? tr("Saved: %1").arg(path) : QString::fromStdString(written.error().text()));
}

void PageView::showEvent(QShowEvent* event) {
  View::showEvent(event);
  // After the layout has given the parts their sizes.
  QTimer::singleShot(0, this, &PageView::request);
}

void PageView::resizeEvent(QResizeEvent* event) {
  View::resizeEvent(event);
  if (isVisible()) resize_delay_->start();
}

void PageView::contextMenuEvent(QContextMenuEvent* event) {
  QMenu menu(this);
  menu.addAction(tr("Copy picture"), this, &PageView::copy_picture);
  menu.addAction(tr("Copy table"), this, &PageView::copy_table);
  menu.addAction(tr("Save picture as SVG …"), this, &PageView::save_picture);
  menu.exec(event->globalPos());
}

}  // namespace k3::gui
