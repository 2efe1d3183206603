#include "gui/app/screenshots.h"

#include <QElapsedTimer>
#include <QEventLoop>
#include <QImage>
#include <QPainter>
#include <QTimer>
#include <functional>
#include <optional>
#include <system_error>

#include <fmt/core.h>

#include "gui/app/main_window.h"
#include "gui/views/view.h"

namespace k3::gui {
namespace {

constexpr int kWidth = 1600;
constexpr int kHeight = 1000;
constexpr int kPatienceMs = 300000;

/// Lets the window work until `done`; false: it took too long.
bool wait_until(const std::function<bool()>& done) {
  QElapsedTimer clock;
  clock.start();
  QEventLoop loop;
  QTimer tick;
  QObject::connect(&tick, &QTimer::timeout, &loop, [&] {
    if (done() || clock.elapsed() > kPatienceMs) loop.quit();
  });
  tick.start(20);
  loop.exec();
  return done();
}

Result<void> open_in(MainWindow& window, const std::vector<std::filesystem::path>& sessions) {
  bool opened = false;
  std::optional<std::string> failure;
  const auto on_opened =
      QObject::connect(window.runs(), &RunService::opened, &window, [&opened] { opened = true; });
  const auto on_failed =
      QObject::connect(window.runs(), &RunService::failed, &window,
                       [&failure](const QString& message) { failure = message.toStdString(); });
  window.open(sessions);
  const bool in_time = wait_until([&] { return opened || failure; });
  QObject::disconnect(on_opened);
  QObject::disconnect(on_failed);
  if (failure) return fail(Code::invalid_input, *failure);
  if (!in_time) return fail(Code::internal, "opening took too long", sessions.front().string());
  return {};
}

std::string file_name_of(const View& view, visual::Theme theme, bool only_theme) {
  const std::string name = view.title().toLower().replace(' ', '-').toStdString();
  if (only_theme) return name + ".png";
  return fmt::format("{}-{}.png", name, theme == visual::Theme::dark ? "dark" : "light");
}

}  // namespace

Result<std::vector<std::filesystem::path>> write_screenshots(
    MainWindow& window,
    const std::vector<std::filesystem::path>& sessions,
    const std::filesystem::path& folder,
    const std::vector<visual::Theme>& themes) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) return fail(Code::io, failure.message(), folder.string());
  window.resize(kWidth, kHeight);
  window.show();
  K3_TRY_VOID(open_in(window, sessions));
  std::vector<std::filesystem::path> files;
  for (const visual::Theme theme : themes) {
    window.set_theme(theme == visual::Theme::dark ? ThemeChoice::dark : ThemeChoice::light);
    for (View* view : window.views()) {
      window.show_view(view);
      if (!wait_until([view, &window] { return window.settled(*view); })) {
        return fail(Code::internal, "took too long", view->title().toStdString());
      }
      QImage image(kWidth, kHeight, QImage::Format_RGB32);
      QPainter painter(&image);
      window.render(&painter);
      painter.end();
      const std::filesystem::path file = folder / file_name_of(*view, theme, themes.size() == 1);
      if (!image.save(QString::fromStdString(file.string()), "PNG")) {
        return fail(Code::io, "cannot be written", file.string());
      }
      files.push_back(file);
    }
  }
  return files;
}

}  // namespace k3::gui
