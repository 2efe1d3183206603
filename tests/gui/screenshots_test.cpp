#include "gui/app/screenshots.h"

#include <QImage>
#include <QSettings>
#include <set>

#include <gtest/gtest.h>

#include "gui/app/main_window.h"
#include "gui/views/view.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/profiler_query/small_run.h"

namespace k3::gui {
namespace {

TEST(Screenshots, ShowEveryViewInBothThemes) {
  const test::TempDir folder;
  const std::filesystem::path session = folder.path() / "m.k3r";
  ASSERT_TRUE(
      test::write_run(session, test::small_run(RunKind::measured, 4), test::Ending::finished));
  QSettings settings(QString::fromStdString((folder.path() / "s.ini").string()),
                     QSettings::IniFormat);
  MainWindow window(&settings);
  const auto files = write_screenshots(window, {session}, folder.path() / "new" / "shots",
                                       {visual::Theme::light, visual::Theme::dark});
  ASSERT_TRUE(files) << files.error().text();
  ASSERT_EQ(files->size(), 2 * window.views().size());
  for (const std::filesystem::path& file : *files) {
    const QImage image(QString::fromStdString(file.string()));
    ASSERT_EQ(image.size(), QSize(1600, 1000)) << file;
    std::set<QRgb> colors;
    for (int x = 0; x < image.width(); x += 7) {
      for (int y = 0; y < image.height(); y += 7)
        colors.insert(image.pixel(x, y));
    }
    EXPECT_GT(colors.size(), 3U) << file;
  }
}

TEST(Screenshots, NameASessionThatCannotBeOpened) {
  const test::TempDir folder;
  QSettings settings(QString::fromStdString((folder.path() / "s.ini").string()),
                     QSettings::IniFormat);
  MainWindow window(&settings);
  const auto files = write_screenshots(window, {folder.path() / "absent.k3r"},
                                       folder.path() / "shots", {visual::Theme::light});
  ASSERT_FALSE(files);
  EXPECT_NE(files.error().text().find("absent.k3r"), std::string::npos);
}

}  // namespace
}  // namespace k3::gui
