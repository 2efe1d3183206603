#pragma once

#include "profiler/figures/view.h"
#include "profiler/report/document.h"

namespace k3::report {

// The tables of a document; without rows where the session has nothing for them.

Table kind_table(const figures::RunsView& view);
Table layer_table(const figures::RunsView& view);
Table run_table(const figures::RunsView& view);
Table memory_table(const figures::RunsView& view);

}  // namespace k3::report
