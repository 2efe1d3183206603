#pragma once

#include <string>

#include "engine/base/result.h"
#include "profiler/figures/run_detail.h"

namespace k3::report {

/// One HTML file that needs nothing else: no script, no font, no other file. It answers in its
/// headline, then shows where the step goes, what layers cost, who sends how much to whom, how even
/// the experts are loaded and how far prediction and measurement are apart, then the tables.
/// Readable in dark, light and grey print. Host names and folders are left out. Errors:
/// invalid_input for numbers that contradict each other (a matrix that is not square)
Result<std::string> render_report(const figures::Input& input);

}  // namespace k3::report
