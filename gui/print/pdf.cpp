#include "gui/print/pdf.h"

#include <QBuffer>
#include <QFontMetricsF>
#include <QGuiApplication>
#include <QLoggingCategory>
#include <QMarginsF>
#include <QPageSize>
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include <fmt/core.h>

#include "gui/paint/painter.h"
#include "gui/print/pdf_page_internal.h"

namespace k3::gui {
namespace {

using visual::Role;

constexpr double kTitleSize = 25;
constexpr double kHeadingSize = 18;
constexpr double kTextSize = 14;
constexpr double kSmallSize = 12;
constexpr double kTableSize = 11;
constexpr double kGap = 14;
constexpr double kCellPadding = 6;

QFont text_font(double size = kTextSize, QFont::Weight weight = QFont::Normal) {
  return PdfPage::font(size, weight);
}

/// Fonts need an application; the command line has none.
class FontAccess {
 public:
  FontAccess() {
    if (QCoreApplication::instance() != nullptr) return;
    setenv("QT_QPA_PLATFORM", "offscreen", 1);
    // What Qt says about a desktop that is not there concerns nobody.
    QLoggingCategory::setFilterRules("default.warning=false");
    application_ = std::make_unique<QGuiApplication>(argc_, argv_);
  }

 private:
  int argc_ = 1;
  char name_[7] = "k3rack";
  char* argv_[2] = {name_, nullptr};
  std::unique_ptr<QGuiApplication> application_;
};

void add_opening(PdfPage& page, const report::Document& document) {
  page.add_text(
      text_of(document.title.empty() ? "K3Rack report" : "K3Rack report: " + document.title),
      text_font(kSmallSize), Role::muted);
  page.add_text(text_of(document.headline), text_font(kTitleSize, QFont::DemiBold), Role::text);
  page.add_space(kGap);
  for (const report::Notice& notice : document.notices) {
    page.add_text(text_of("⚠ " + notice.title), text_font(kTextSize, QFont::DemiBold), Role::fault);
    page.add_text(text_of(notice.text), text_font(), Role::text);
    page.add_space(kGap / 2);
  }
  for (const std::string& run : document.runs)
    page.add_text(text_of(run), text_font(), Role::text);
  page.add_space(kGap / 2);
  page.add_text(text_of(document.legend), text_font(kSmallSize), Role::muted);
  page.add_space(kGap / 2);
  for (const std::string& verdict : document.verdicts)
    page.add_text(text_of("• " + verdict), text_font(), Role::text);
}

/// Pictures that stand side by side: those that fit into the width together.
std::vector<std::span<const visual::DrawList>> rows_of(std::span<const visual::DrawList> pictures,
                                                       double width) {
  std::vector<std::span<const visual::DrawList>> rows;
  std::size_t first = 0;
  double x = 0;
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    if (i > first && x + pictures[i].width > width) {
      rows.push_back(pictures.subspan(first, i - first));
      first = i;
      x = 0;
    }
    x += pictures[i].width + kGap;
  }
  if (first < pictures.size()) rows.push_back(pictures.subspan(first));
  return rows;
}

double height_of(std::span<const visual::DrawList> row) {
  double height = 0;
  for (const visual::DrawList& picture : row)
    height = std::max(height, picture.height);
  return height;
}

void add_figure(PdfPage& page,
                const figures::Figure& figure,
                int number,
                const std::string& source) {
  const QString heading = text_of(fmt::format("{}. {}", number, figure.question));
  const QString answer = text_of(figure.answer);
  const QFont heading_font = text_font(kHeadingSize, QFont::DemiBold);
  const auto rows = rows_of(figure.pictures, page.width());
  // The question stands on the page of its first picture.
  const double together = page.text_height(heading, heading_font, page.width()) +
                          page.text_height(answer, text_font(), page.width()) + kGap +
                          (rows.empty() ? 0 : height_of(rows.front()));
  page.add_space(2 * kGap);
  if (together > page.left() && together <= page.height()) page.next_page();
  page.add_text(heading, heading_font, Role::text);
  page.add_text(answer, text_font(), Role::text);
  page.add_space(kGap / 2);
  for (const std::span<const visual::DrawList> row : rows) {
    const QRectF area = page.take(std::min(height_of(row), page.height()));
    double x = 0;
    for (const visual::DrawList& picture : row) {
      const double width = std::min(picture.width, page.width());
      page.add_picture(picture, {x, area.top(), width, std::min(picture.height, area.height())});
      x += picture.width + kGap;
    }
    page.add_space(kGap / 2);
  }
  page.add_text(text_of(figure.note), text_font(kSmallSize), Role::muted);
  page.add_text(text_of(fmt::format("Figure {}. Source: {}.", number, source)),
                text_font(kSmallSize), Role::muted);
}

/// Widths that the cells ask for, made narrower together where the page is.
std::vector<double> column_widths(const report::Table& table, double room) {
  const QFontMetricsF cells(text_font(kTableSize));
  const QFontMetricsF heads(text_font(kTableSize, QFont::DemiBold));
  // Letters of printers are a little wider than the screen's.
  constexpr double kAllowance = 1.06;
  std::vector<double> widths(table.header.size(), 0);
  for (const std::vector<std::string>& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(
          widths[i], cells.horizontalAdvance(text_of(row[i])) * kAllowance + 2 * kCellPadding);
  }
  for (std::size_t i = 0; i < widths.size(); ++i) {
    // Headers wrap between words.
    for (const QString& word : text_of(table.header[i]).split(' '))
      widths[i] =
          std::max(widths[i], heads.horizontalAdvance(word) * kAllowance + 2 * kCellPadding);
  }
  const double sum = std::accumulate(widths.begin(), widths.end(), 0.0);
  if (sum > room) {
    for (double& width : widths)
      width *= room / sum;
  }
  return widths;
}

class TablePrinter {
 public:
  TablePrinter(PdfPage& page, const report::Table& table)
      : page_(page), table_(table), widths_(column_widths(table, page.width())) {}

  void print() {
    const QFont caption = text_font(kTextSize, QFont::DemiBold);
    const double opening = page_.text_height(text_of(table_.caption), caption, page_.width()) +
                           row_height(table_.header, bold()) +
                           3 * row_height(table_.rows.front(), plain());
    page_.add_space(2 * kGap);
    if (opening > page_.left() && !page_.at_top()) page_.next_page();
    page_.add_text(text_of(table_.caption), caption, Role::text);
    add_row(table_.header, bold(), Role::axis);
    for (const std::vector<std::string>& row : table_.rows) {
      if (row_height(row, plain()) > page_.left()) {
        page_.next_page();
        add_row(table_.header, bold(), Role::axis);
      }
      add_row(row, plain(), Role::grid);
    }
  }

 private:
  static QFont plain() { return text_font(kTableSize); }

  static QFont bold() { return text_font(kTableSize, QFont::DemiBold); }

  double row_height(const std::vector<std::string>& row, const QFont& font) const {
    double height = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      height =
          std::max(height, page_.text_height(text_of(row[i]), font, widths_[i] - 2 * kCellPadding));
    }
    return height + kCellPadding / 2;
  }

  void add_row(const std::vector<std::string>& row, const QFont& font, Role line) {
    const QRectF area = page_.take(std::min(row_height(row, font), page_.height()));
    QPainter& painter = page_.painter();
    painter.setFont(font);
    painter.setPen(color_of(visual::Paint::of(Role::text), visual::Theme::light));
    double x = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool left = i == 0 || table_.cells == report::Table::Cells::words;
      const QRectF cell(x + kCellPadding, area.top(), widths_[i] - 2 * kCellPadding, area.height());
      painter.drawText(cell,
                       (left ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignBottom |
                           Qt::TextWordWrap | Qt::TextWrapAnywhere,
                       text_of(row[i]));
      x += widths_[i];
    }
    painter.setPen(QPen(color_of(visual::Paint::of(line), visual::Theme::light), 0.7));
    painter.drawLine(QPointF(0, area.bottom()), QPointF(x, area.bottom()));
  }

  PdfPage& page_;
  const report::Table& table_;
  std::vector<double> widths_;
};

Result<void> print(const report::Document& document, QPdfWriter& writer) {
  const std::string& title = document.title.empty() ? document.headline : document.title;
  PdfPage page(writer, report::kDocumentWidth, text_of("K3Rack · " + title));
  if (!page.painter().isActive()) return fail(Code::internal, "Qt cannot paint PDF", "report");
  add_opening(page, document);
  int number = 0;
  for (const figures::Figure& figure : document.figures)
    add_figure(page, figure, ++number, document.source);
  for (const report::Table& table : document.tables) {
    if (!table.rows.empty()) TablePrinter(page, table).print();
  }
  return {};
}

}  // namespace

Result<std::string> to_pdf(const report::Document& document) {
  const FontAccess fonts;
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  {
    QPdfWriter writer(&buffer);
    writer.setTitle(text_of(document.headline));
    writer.setCreator("K3Rack");
    writer.setPageSize(QPageSize(QPageSize::A4));
    writer.setPageMargins(QMarginsF(14, 14, 14, 14), QPageLayout::Millimeter);
    writer.setResolution(600);
    K3_TRY_VOID(print(document, writer));
  }
  return bytes.toStdString();
}

}  // namespace k3::gui
