#pragma once

#include <string>

#include "engine/base/result.h"
#include "profiler/report/document.h"

namespace k3::cli {

/// Gives the bytes of a document's PDF file.
using PdfWriter = Result<std::string> (*)(const report::Document&);

/// The writer of this build; nullptr if it was built without Qt.
PdfWriter pdf_writer();

}  // namespace k3::cli
