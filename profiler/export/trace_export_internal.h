#pragma once

#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "profiler/export/export.h"
#include "profiler/store/session_reader.h"

namespace k3::exporter {

/// Formats that are traces: perfetto and chrome.
Result<ExportSummary> export_trace(const store::SessionReader& session,
                                   const ExportRequest& request,
                                   Progress& progress);

/// Format csv.
Result<ExportSummary> export_csv(const store::SessionReader& session,
                                 const ExportRequest& request,
                                 Progress& progress);

}  // namespace k3::exporter
