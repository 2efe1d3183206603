#include "gui/print/pdf.h"
#include "profiler/cli/pdf_writer.h"

namespace k3::cli {

PdfWriter pdf_writer() {
  return gui::to_pdf;
}

}  // namespace k3::cli
