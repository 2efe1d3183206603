#pragma once

class QTableView;

namespace k3::gui {

/// The look of all tables of the panels: whole rows, sortable, a menu that copies what is selected.
void prepare_table(QTableView* view);

}  // namespace k3::gui
