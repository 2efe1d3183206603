#pragma once

#include <functional>
#include <vector>

#include "engine/base/result.h"
#include "gui/models/view_content.h"
#include "profiler/figures/collect.h"
#include "profiler/figures/figures.h"

namespace k3::gui {

// What the views made of figures have in common.

/// What the selection asks of the open runs.
Result<figures::Input> collect(const Runs& runs,
                               const Selection& selection,
                               std::vector<figures::Part> parts);

/// Adds answer, note and pictures of a figure; the question is the first one's.
void add_figure(ViewContent& content, figures::Figure figure);

/// "Source: measured: a.k3r (local)" at the end of the note.
void add_source(ViewContent& content, const figures::RunsView& view);

/// The whole selection after a click on a cell, given its row and column in the data.
using CellSelection = std::function<Selection(int row, int column)>;

/// Makes every cell of the picture's grid a target.
void add_targets(Picture& picture, const CellSelection& select);

/// A frame around cells of the picture's grid; −1 stands for all rows or columns.
void mark(Picture& picture, int row, int column);

/// The selection with another layer; the one it has: without.
Selection with_layer(const Selection& selection, int layer);

}  // namespace k3::gui
