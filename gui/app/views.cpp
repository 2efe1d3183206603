#include "gui/app/views.h"

#include "gui/models/compare_content.h"
#include "gui/models/experts_content.h"
#include "gui/models/layers_content.h"
#include "gui/models/overview.h"
#include "gui/models/traffic_content.h"
#include "gui/timeline/timeline_view.h"
#include "gui/views/page_view.h"

namespace k3::gui {

std::vector<View*> make_views(const ViewContext& context, QWidget* parent) {
  return {
      new TimelineView(context, parent),
      new PageView(QObject::tr("Traffic"), traffic_content, context, parent),
      new PageView(QObject::tr("Experts"), experts_content, context, parent),
      new PageView(QObject::tr("Layers"), layers_content, context, parent),
      new PageView(QObject::tr("Compare"), compare_content, context, parent),
      new PageView(QObject::tr("Overview"), overview, context, parent),
  };
}

}  // namespace k3::gui
