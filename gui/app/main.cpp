#include <QApplication>
#include <QCommandLineParser>
#include <QLoggingCategory>
#include <QSettings>
#include <QTemporaryDir>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/app/main_window.h"
#include "gui/app/screenshots.h"

namespace k3::gui {
namespace {

struct CommandLine {
  std::vector<std::filesystem::path> sessions;
  std::optional<std::filesystem::path> screenshots;
  std::optional<std::string> theme;  ///< light, dark or both
};

int complain(const std::string& message) {
  std::fputs(("k3rack-gui: error: " + message + "\n").c_str(), stderr);
  return 1;
}

CommandLine parse(const QCoreApplication& application) {
  QCommandLineParser parser;
  parser.setApplicationDescription(
      "K3Rack's desktop: one session, or a measured beside a simulated one.");
  parser.addHelpOption();
  parser.addVersionOption();
  const QCommandLineOption screenshot(
      "screenshot", "Writes a picture of every view into DIR and ends; needs no display.", "DIR");
  const QCommandLineOption theme("theme", "light or dark; with --screenshot also both.", "THEME");
  parser.addOptions({screenshot, theme});
  parser.addPositionalArgument("FILE", "Sessions (.k3r): one, or two to compare.", "[FILE [FILE]]");
  parser.process(application);
  CommandLine line;
  for (const QString& name : parser.positionalArguments())
    line.sessions.emplace_back(name.toStdString());
  if (parser.isSet(screenshot)) line.screenshots = parser.value(screenshot).toStdString();
  if (parser.isSet(theme)) line.theme = parser.value(theme).toStdString();
  return line;
}

int take_screenshots(const CommandLine& line) {
  if (line.sessions.empty())
    return complain("--screenshot: missing session; name one file, or two");
  std::vector<visual::Theme> themes;
  if (line.theme != "dark") themes.push_back(visual::Theme::light);
  if (line.theme == "dark" || line.theme == "both") themes.push_back(visual::Theme::dark);
  // Pictures do not depend on what somebody once set.
  const QTemporaryDir folder;
  QSettings settings(folder.filePath("settings.ini"), QSettings::IniFormat);
  MainWindow window(&settings);
  const auto files = write_screenshots(window, line.sessions, *line.screenshots, themes);
  if (!files) return complain(files.error().text());
  for (const std::filesystem::path& file : *files)
    std::printf("written: %s\n", file.c_str());
  return 0;
}

int run(const QApplication& application) {
  const CommandLine line = parse(application);
  if (line.theme && line.theme != "light" && line.theme != "dark" &&
      !(line.theme == "both" && line.screenshots)) {
    return complain("--theme " + *line.theme + ": no such theme; light or dark");
  }
  if (line.sessions.size() > 2) {
    return complain(std::to_string(line.sessions.size()) +
                    " sessions; name one, or two to compare them");
  }
  if (line.screenshots) return take_screenshots(line);
  QSettings settings("K3Rack", "k3rack-gui");
  MainWindow window(&settings);
  if (line.theme) {
    window.set_theme(*line.theme == "dark" ? ThemeChoice::dark : ThemeChoice::light);
  }
  window.show();
  window.open(line.sessions);
  return QApplication::exec();
}

bool wants_screenshots(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]).starts_with("--screenshot")) return true;
  }
  return false;
}

}  // namespace
}  // namespace k3::gui

int main(int argc, char** argv) {
  // Pictures need no display; which platform paints them is up to the user all the same.
  if (k3::gui::wants_screenshots(argc, argv)) {
    setenv("QT_QPA_PLATFORM", "offscreen", 0);
    // What Qt says about a desktop that is not there concerns nobody.
    QLoggingCategory::setFilterRules("default.warning=false\nqt.qpa.*=false");
  }
  const QApplication application(argc, argv);
  QApplication::setApplicationName("k3rack-gui");
  QApplication::setApplicationVersion(K3_VERSION);
  return k3::gui::run(application);
}
