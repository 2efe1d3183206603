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

/// Help, version and mistakes need no window system: read before there is one. Ends the program for
/// --help and --version.
Result<CommandLine> parse(int argc, char** argv) {
  const QCoreApplication application(argc, argv);
  QCommandLineParser parser;
  parser.setApplicationDescription(
      "K3Rack's desktop: one session, or a measured beside a simulated one.");
  const QCommandLineOption help = parser.addHelpOption();
  const QCommandLineOption version = parser.addVersionOption();
  const QCommandLineOption screenshot(
      "screenshot", "Writes a picture of every view into DIR and ends; needs no display.", "DIR");
  const QCommandLineOption theme("theme", "light or dark; with --screenshot also both.", "THEME");
  parser.addOptions({screenshot, theme});
  parser.addPositionalArgument("FILE", "Sessions (.k3r): one, or two to compare.", "[FILE [FILE]]");
  if (!parser.parse(QCoreApplication::arguments())) {
    return fail(Code::invalid_input, parser.errorText().toStdString() + " See --help");
  }
  if (parser.isSet(help)) parser.showHelp();
  if (parser.isSet(version)) parser.showVersion();
  CommandLine line;
  for (const QString& name : parser.positionalArguments())
    line.sessions.emplace_back(name.toStdString());
  if (parser.isSet(screenshot)) line.screenshots = parser.value(screenshot).toStdString();
  if (parser.isSet(theme)) line.theme = parser.value(theme).toStdString();
  return line;
}

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

/// What can be told from the words alone, and where the pictures are to be painted.
Result<void> check(const CommandLine& line) {
  if (line.theme && line.theme != "light" && line.theme != "dark" &&
      !(line.theme == "both" && line.screenshots)) {
    return fail(Code::invalid_input, "no such theme; light or dark", "--theme " + *line.theme);
  }
  if (line.sessions.size() > 2) {
    return fail(Code::invalid_input, std::to_string(line.sessions.size()) +
                                         " sessions; name one, or two to compare them");
  }
  if (line.screenshots && line.sessions.empty()) {
    return fail(Code::invalid_input, "missing session; name one file, or two", "--screenshot");
  }
  if (!line.screenshots && !is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY") &&
      !is_set("QT_QPA_PLATFORM")) {
    return fail(
        Code::unsupported,
        "no display: neither DISPLAY nor WAYLAND_DISPLAY is set; --screenshot DIR needs none");
  }
  return {};
}

int take_screenshots(const CommandLine& line) {
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

int show_window(const CommandLine& line) {
  QSettings settings("K3Rack", "k3rack-gui");
  MainWindow window(&settings);
  if (line.theme) {
    window.set_theme(*line.theme == "dark" ? ThemeChoice::dark : ThemeChoice::light);
  }
  window.show();
  window.open(line.sessions);
  return QApplication::exec();
}

int run(int argc, char** argv) {
  const Result<CommandLine> line = parse(argc, argv);
  if (!line) return complain(line.error().text());
  if (const Result<void> checked = check(*line); !checked) return complain(checked.error().text());
  if (line->screenshots) {
    // Pictures need no display; which platform paints them is up to the user all the same.
    setenv("QT_QPA_PLATFORM", "offscreen", 0);
    // What Qt says about a desktop that is not there concerns nobody.
    QLoggingCategory::setFilterRules("default.warning=false\nqt.qpa.*=false");
  }
  const QApplication application(argc, argv);
  return line->screenshots ? take_screenshots(*line) : show_window(*line);
}

}  // namespace
}  // namespace k3::gui

int main(int argc, char** argv) {
  QCoreApplication::setApplicationName("k3rack-gui");
  QCoreApplication::setApplicationVersion(K3_VERSION);
  return k3::gui::run(argc, argv);
}
