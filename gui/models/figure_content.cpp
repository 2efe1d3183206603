#include "gui/models/figure_content.h"

#include <algorithm>
#include <utility>

namespace k3::gui {

Result<figures::Input> collect(const Runs& runs,
                               const Selection& selection,
                               std::vector<figures::Part> parts) {
  const figures::Question question{
      .scope = {.phase = selection.phase, .step = selection.step, .layer = selection.layer},
      .direction = selection.direction,
      .parts = std::move(parts)};
  return figures::collect(runs.readers.front(), runs.pair() ? &runs.readers.back() : nullptr,
                          question);
}

void add_figure(ViewContent& content, figures::Figure figure) {
  if (content.question.empty()) content.question = std::move(figure.question);
  content.answer += figure.answer;
  if (!figure.note.empty()) content.note += (content.note.empty() ? "" : " ") + figure.note;
  for (visual::DrawList& list : figure.pictures)
    content.pictures.push_back({std::move(list), {}});
}

void add_source(ViewContent& content, const figures::RunsView& view) {
  content.note += " Source: " + figures::provenance_line(view) + ".";
}

void add_targets(Picture& picture, const CellSelection& select) {
  if (!picture.list.grid) return;
  const visual::CellGrid& grid = *picture.list.grid;
  for (int row = 0; row < grid.rows; ++row) {
    for (int column = 0; column < grid.columns; ++column) {
      picture.targets.push_back({grid.x + column * grid.cell_width, grid.y + row * grid.cell_height,
                                 grid.cell_width, grid.cell_height,
                                 select(row * grid.row_step, column * grid.column_step)});
    }
  }
}

void mark(Picture& picture, int row, int column) {
  if (!picture.list.grid) return;
  const visual::CellGrid& grid = *picture.list.grid;
  const int shown_row = row < 0 ? 0 : row / grid.row_step;
  const int shown_column = column < 0 ? 0 : column / grid.column_step;
  if (shown_row >= grid.rows || shown_column >= grid.columns) return;
  visual::Box box;
  box.x = grid.x + shown_column * grid.cell_width - 1;
  box.y = grid.y + shown_row * grid.cell_height - 1;
  box.width = grid.cell_width * (column < 0 ? grid.columns : 1) + 2;
  box.height = grid.cell_height * (row < 0 ? grid.rows : 1) + 2;
  box.outline = visual::Paint::of(visual::Role::text);
  picture.list.items.emplace_back(std::move(box));
}

Selection with_layer(const Selection& selection, int layer) {
  Selection out = selection;
  if (out.layer == layer) {
    out.layer.reset();
  } else {
    out.layer = layer;
  }
  return out;
}

}  // namespace k3::gui
