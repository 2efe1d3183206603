#include <QFontMetricsF>
#include <QTextLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/paint/painter.h"
#include "gui/print/pdf_page_internal.h"

namespace k3::gui {
namespace {

constexpr double kFooterHeight = 30;
constexpr double kFooterSize = 11;
constexpr double kLineGap = 1.3;  ///< line height over font size

QColor ink(visual::Role role) {
  return color_of(visual::Paint::of(role), visual::Theme::light);
}

/// Breaks text into lines and calls `line(layout line)` for each.
template <class Visit>
void for_each_line(const QString& text, const QFont& font, double width, const Visit& visit) {
  for (const QString& paragraph : text.split('\n')) {
    QTextLayout layout(paragraph, font);
    QTextOption option;
    option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    layout.setTextOption(option);
    layout.beginLayout();
    for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
      line.setLineWidth(width);
      visit(paragraph.mid(line.textStart(), line.textLength()));
    }
    layout.endLayout();
  }
}

double line_height(const QFont& font) {
  return font.pixelSize() * kLineGap;
}

}  // namespace

PdfPage::PdfPage(QPdfWriter& writer, double width, QString footer)
    : writer_(writer), painter_(&writer), footer_(std::move(footer)), width_(width) {
  const double scale = writer.width() / width;
  painter_.scale(scale, scale);
  height_ = writer.height() / scale - kFooterHeight;
  write_footer();
}

void PdfPage::write_footer() {
  painter_.setFont(font(kFooterSize, QFont::Normal));
  painter_.setPen(ink(visual::Role::muted));
  const QRectF area(0, height_ + kFooterHeight / 2, width_, kFooterHeight / 2);
  painter_.drawText(
      area, Qt::AlignLeft | Qt::AlignBottom,
      painter_.fontMetrics().elidedText(footer_, Qt::ElideRight, static_cast<int>(width_ * 0.9)));
  painter_.drawText(area, Qt::AlignRight | Qt::AlignBottom, QString::number(number_));
}

void PdfPage::next_page() {
  writer_.newPage();
  ++number_;
  y_ = 0;
  write_footer();
}

void PdfPage::add_space(double space) {
  if (!at_top()) y_ += space;
}

QFont PdfPage::font(double size, QFont::Weight weight) {
  QFont font("DejaVu Sans");
  font.setStyleHint(QFont::SansSerif);
  font.setPixelSize(static_cast<int>(std::lround(size)));
  font.setWeight(weight);
  return font;
}

double PdfPage::text_height(const QString& text, const QFont& font, double width) const {
  double height = 0;
  for_each_line(text, font, width, [&](const QString&) { height += line_height(font); });
  return height;
}

void PdfPage::add_text(const QString& text, const QFont& font, visual::Role role) {
  for_each_line(text, font, width_, [&](const QString& line) {
    const QRectF area = take(line_height(font));
    painter_.setFont(font);
    painter_.setPen(ink(role));
    painter_.drawText(area, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, line);
  });
}

QRectF PdfPage::take(double height) {
  if (height > left() && !at_top()) next_page();
  const QRectF area(0, y_, width_, height);
  y_ += height;
  return area;
}

void PdfPage::add_picture(const visual::DrawList& list, const QRectF& area) {
  painter_.save();
  painter_.translate(area.topLeft());
  const double scale = std::min(area.width() / list.width, area.height() / list.height);
  painter_.scale(scale, scale);
  painter_.setFont(font(12, QFont::Normal));
  paint(painter_, list, visual::Theme::light);
  painter_.restore();
}

}  // namespace k3::gui
