#include "gui/models/view_content.h"

namespace k3::gui {

const Target* target_at(const Picture& picture, visual::Point point) {
  for (auto target = picture.targets.rbegin(); target != picture.targets.rend(); ++target) {
    if (point.x >= target->x && point.x < target->x + target->width && point.y >= target->y &&
        point.y < target->y + target->height) {
      return &*target;
    }
  }
  return nullptr;
}

std::string to_text(const ViewContent& content) {
  std::string out = content.question + "\n" + content.answer + "\n" + content.note + "\n";
  if (!content.empty_reason.empty()) out += "empty: " + content.empty_reason + "\n";
  for (const Picture& picture : content.pictures)
    out += visual::to_text(picture.list);
  for (const DataTable& table : content.tables)
    out += table.title + "\n" + delimited(table, '\t');
  return out;
}

}  // namespace k3::gui
