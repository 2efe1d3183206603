#include "gui/app/views.h"

#include "gui/models/overview.h"
#include "gui/views/page_view.h"

namespace k3::gui {

std::vector<View*> make_views(const ViewContext& context, QWidget* parent) {
  return {
      new PageView(QObject::tr("Overview"), overview, context, parent),
  };
}

}  // namespace k3::gui
