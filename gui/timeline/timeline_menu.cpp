#include "gui/timeline/timeline_menu.h"

#include <QAction>
#include <QMenu>
#include <utility>

#include "gui/timeline/canvas.h"

namespace k3::gui {
namespace {

void add_rank_actions(QMenu* menu, TimelineCanvas* canvas, int rank) {
  menu->addAction(QObject::tr("Hide rank %1").arg(rank), canvas, [canvas, rank] {
    LayoutOptions options = canvas->options();
    options.hidden.insert(rank);
    canvas->set_options(std::move(options));
  });
  menu->addAction(QObject::tr("Show only rank %1").arg(rank), canvas, [canvas, rank] {
    LayoutOptions options = canvas->options();
    for (const LaneRow& row : canvas->layout_of_rows().rows) {
      if (row.rank >= 0 && row.rank != rank) options.hidden.insert(row.rank);
    }
    canvas->set_options(std::move(options));
  });
}

}  // namespace

QMenu* make_timeline_menu(TimelineCanvas* canvas, const Hit& hit, QWidget* parent) {
  auto* menu = new QMenu(parent);
  if (hit.span) {
    const SpanRef span = *hit.span;
    menu->addAction(QObject::tr("Zoom to this span"), canvas, [canvas, span] {
      canvas->select_span(span);
      canvas->zoom_to_selection();
    });
    menu->addAction(QObject::tr("Mark or unmark it"), canvas, [canvas, span] {
      canvas->select_span(span);
      canvas->mark_selected();
    });
    menu->addAction(QObject::tr("All views: its rank and layer"), canvas, [canvas, span] {
      canvas->select_span(span);
      canvas->share_selected();
    });
    menu->addSeparator();
  }
  if (hit.row != nullptr && hit.row->rank >= 0) add_rank_actions(menu, canvas, hit.row->rank);
  QAction* all = menu->addAction(QObject::tr("Show all ranks"), canvas, [canvas] {
    LayoutOptions options = canvas->options();
    options.hidden.clear();
    canvas->set_options(std::move(options));
  });
  all->setEnabled(!canvas->options().hidden.empty());
  QMenu* keys = menu->addMenu(QObject::tr("Keys"));
  keys->addActions(canvas->actions());
  return menu;
}

}  // namespace k3::gui
