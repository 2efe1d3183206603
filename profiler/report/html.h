#pragma once

#include <string>

#include "profiler/report/document.h"

namespace k3::report {

/// One HTML file that needs nothing else: no script, no font, no other file. Readable in dark,
/// light and grey print.
std::string to_html(const Document& document);

}  // namespace k3::report
