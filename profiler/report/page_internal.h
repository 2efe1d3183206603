#pragma once

#include <string>
#include <vector>

#include "profiler/figures/figures.h"

namespace k3::report {

/// Tables in HTML, each with its caption.
std::string kind_table(const figures::RunsView& view);
std::string layer_table(const figures::RunsView& view);
std::string run_table(const figures::RunsView& view);
std::string memory_table(const figures::RunsView& view);

/// The whole page from its parts.
std::string page(const figures::RunsView& view, const std::vector<figures::Figure>& figures);

}  // namespace k3::report
