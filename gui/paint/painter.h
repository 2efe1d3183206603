#pragma once

#include <QColor>
#include <QString>
#include <string>
#include <string_view>

#include "profiler/visual/draw_list.h"
#include "profiler/visual/palette.h"

class QPainter;

namespace k3::gui {

QColor color_of(const visual::Paint& paint, visual::Theme theme);

/// Text from draw lists and queries: UTF-8, broken bytes become U+FFFD.
QString text_of(std::string_view text);

/// Paints the items of `list` from first to last, one unit of the list per unit of the painter, in
/// the look that SVG pictures have. The background is not painted. Works on widgets, images and
/// printers.
void paint(QPainter& painter, const visual::DrawList& list, visual::Theme theme);

/// The tip of the topmost item below `point` that has one; empty: none.
std::string tip_at(const visual::DrawList& list, visual::Point point);

}  // namespace k3::gui
