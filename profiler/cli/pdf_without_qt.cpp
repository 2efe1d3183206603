#include "profiler/cli/pdf_writer.h"

namespace k3::cli {

PdfWriter pdf_writer() {
  return nullptr;
}

}  // namespace k3::cli
