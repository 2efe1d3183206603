#include "gui/print/pdf.h"

#include <regex>

#include <gtest/gtest.h>

namespace k3::gui {
namespace {

report::Document document_of(int rows) {
  report::Document document;
  document.title = "small";
  document.headline = "A decode step takes 2 ms";
  document.notices = {{"Interrupted run.", "Its complete steps are shown."}};
  document.runs = {"Measured: 2 ranks."};
  document.verdicts = {"Equal plans."};
  figures::Figure figure;
  figure.question = "Where does it go?";
  visual::DrawList picture{976, 200, "a bar", {}};
  visual::Box bar;
  bar.width = 500;
  bar.height = 40;
  bar.fill = visual::Paint::of(TaskKind::kda);
  bar.hatch = visual::Hatch::light;
  picture.items.emplace_back(bar);
  figure.pictures = {picture, picture};
  document.figures = {figure};
  report::Table table{"table-layers", "Layers", {"layer", "time, ms"}, {}};
  for (int row = 0; row < rows; ++row)
    table.rows.push_back({std::to_string(row), "1.25"});
  document.tables = {table};
  return document;
}

int pages_of(const std::string& pdf) {
  static const std::regex kPage(R"(/Type\s*/Page\b(?!s))");
  return static_cast<int>(
      std::distance(std::sregex_iterator(pdf.begin(), pdf.end(), kPage), std::sregex_iterator()));
}

TEST(Pdf, IsACompleteFileWithATitle) {
  const Result<std::string> pdf = to_pdf(document_of(3));
  ASSERT_TRUE(pdf) << pdf.error().text();
  EXPECT_TRUE(pdf->starts_with("%PDF-"));
  EXPECT_NE(pdf->find("%%EOF"), std::string::npos);
  EXPECT_EQ(pages_of(*pdf), 1);
}

TEST(Pdf, LongTablesGoOnWithFurtherPages) {
  const Result<std::string> pdf = to_pdf(document_of(400));
  ASSERT_TRUE(pdf);
  EXPECT_GE(pages_of(*pdf), 4);
  EXPECT_LE(pages_of(*pdf), 12);
}

TEST(Pdf, PicturesHigherThanAPageAndEmptyDocumentsEndToo) {
  report::Document document = document_of(0);
  document.figures.front().pictures.front().height = 5000;
  EXPECT_TRUE(to_pdf(document));
  EXPECT_TRUE(to_pdf({}));
}

}  // namespace
}  // namespace k3::gui
