#include "gui/app/theme.h"

#include <QApplication>
#include <QPalette>
#include <QStyle>
#include <QStyleFactory>

#include "gui/paint/painter.h"

namespace k3::gui {
namespace {

QColor mixed(const QColor& a, const QColor& b, double share_of_b) {
  const auto mix = [share_of_b](int x, int y) {
    return static_cast<int>(x + (y - x) * share_of_b);
  };
  return {mix(a.red(), b.red()), mix(a.green(), b.green()), mix(a.blue(), b.blue())};
}

}  // namespace

visual::Theme theme_of(ThemeChoice choice) {
  if (choice == ThemeChoice::light) return visual::Theme::light;
  if (choice == ThemeChoice::dark) return visual::Theme::dark;
  // The palette that the desktop gave the program, before any theme was applied.
  static const bool desktop_is_dark = QPalette().color(QPalette::WindowText).lightness() >
                                      QPalette().color(QPalette::Window).lightness();
  return desktop_is_dark ? visual::Theme::dark : visual::Theme::light;
}

void apply_theme(QApplication& application, visual::Theme theme) {
  using visual::Paint;
  using visual::Role;
  const auto color = [theme](Role role) { return color_of(Paint::of(role), theme); };
  const QColor background = color(Role::background);
  const QColor text = color(Role::text);
  const QColor muted = color(Role::muted);
  const QColor panel = color(Role::panel);
  const QColor accent = color_of(Paint::of(TaskKind::kda), theme);

  application.setStyle(QStyleFactory::create("Fusion"));
  QPalette palette;
  palette.setColor(QPalette::Window, background);
  palette.setColor(QPalette::WindowText, text);
  palette.setColor(QPalette::Base, background);
  palette.setColor(QPalette::AlternateBase, panel);
  palette.setColor(QPalette::Text, text);
  palette.setColor(QPalette::Button, panel);
  palette.setColor(QPalette::ButtonText, text);
  palette.setColor(QPalette::ToolTipBase, panel);
  palette.setColor(QPalette::ToolTipText, text);
  palette.setColor(QPalette::PlaceholderText, muted);
  palette.setColor(QPalette::BrightText, color(Role::fault));
  palette.setColor(QPalette::Highlight, accent);
  palette.setColor(QPalette::HighlightedText, Qt::white);
  palette.setColor(QPalette::Link, theme == visual::Theme::dark ? accent.lighter(160) : accent);
  palette.setColor(QPalette::Light, mixed(panel, text, 0.05));
  palette.setColor(QPalette::Midlight, mixed(panel, text, 0.1));
  palette.setColor(QPalette::Mid, mixed(panel, text, 0.25));
  palette.setColor(QPalette::Dark, mixed(panel, text, 0.35));
  palette.setColor(QPalette::Shadow, mixed(background, Qt::black, 0.5));
  for (const QPalette::ColorRole role :
       {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
    palette.setColor(QPalette::Disabled, role, mixed(muted, background, 0.3));
  }
  application.setPalette(palette);
}

}  // namespace k3::gui
