#pragma once

#include <QFont>
#include <QPainter>
#include <QPdfWriter>
#include <QRectF>
#include <QString>

#include "profiler/visual/draw_list.h"
#include "profiler/visual/palette.h"

namespace k3::gui {

/// A sequence of pages that is filled from top to bottom in units of the document: `width` units
/// from margin to margin. What does not fit on the rest of a page begins the next one.
class PdfPage {
 public:
  /// `writer` is open and has its margins; `footer` stands below every page, before its number.
  PdfPage(QPdfWriter& writer, double width, QString footer);

  double width() const { return width_; }

  /// Height between the margins, and what is left of it below what was added.
  double height() const { return height_; }

  double left() const { return height_ - y_; }

  bool at_top() const { return y_ == 0; }

  void next_page();

  /// Nothing at the top of a page.
  void add_space(double space);

  static QFont font(double size, QFont::Weight weight);

  /// Height that wrapped text takes.
  double text_height(const QString& text, const QFont& font, double width) const;

  /// Wrapped text at the full width; goes on with the next page where it must.
  void add_text(const QString& text, const QFont& font, visual::Role role);

  /// `height` units for the caller to paint into; they must fit on a page.
  QRectF take(double height);

  void add_picture(const visual::DrawList& list, const QRectF& area);

  QPainter& painter() { return painter_; }

 private:
  void write_footer();

  QPdfWriter& writer_;
  QPainter painter_;
  QString footer_;
  double width_;
  double height_ = 0;
  double y_ = 0;
  int number_ = 1;
};

}  // namespace k3::gui
