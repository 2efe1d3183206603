#pragma once

#include <string>

#include "engine/base/result.h"
#include "profiler/report/document.h"

namespace k3::gui {

/// The bytes of a PDF file: the document on pages of A4 in the light theme, its pictures as
/// vectors, tables with their header on every page. Works without a display and without a running
/// application.
Result<std::string> to_pdf(const report::Document& document);

}  // namespace k3::gui
