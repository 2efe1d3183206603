#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "profiler/query/session_summary.h"
#include "profiler/store/session_reader.h"

namespace k3::gui {

/// What the window knows of an open session; immutable, so that every thread may read it.
struct RunFacts {
  query::SessionSummary summary;
  std::string name;  ///< "measured", "simulated"; of two of a kind "A: measured", "B: measured"
  std::string file;  ///< without folders
  int num_layers = 0;
};

/// The open sessions: none, one, or two to be compared, the measured one first. Used by the thread
/// of RunService only.
struct Runs {
  std::vector<store::SessionReader> readers;
  std::vector<std::shared_ptr<const RunFacts>> facts;  ///< beside readers

  bool empty() const { return readers.empty(); }

  bool pair() const { return readers.size() == 2; }
};

/// Opens one session, or two.
/// Errors: those of SessionReader::open; invalid_input for more than two
Result<Runs> open_runs(const std::vector<std::filesystem::path>& paths);

}  // namespace k3::gui
