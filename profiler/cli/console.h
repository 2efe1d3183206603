#pragma once

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "engine/base/progress.h"
#include "engine/scenario/data_folders.h"

namespace k3 {
class Json;
}

namespace k3::cli {

/// The terminal of a command: results on stdout, notes and progress on stderr, and the data folders
/// that names are looked up in.
class Console {
 public:
  explicit Console(DataFolders folders);

  const DataFolders& folders() const { return folders_; }

  void print(std::string_view text);
  /// Exactly one JSON document.
  void print_json(const Json& json);
  /// One line on stderr, `k3rack: ` before it.
  void note(std::string_view text);

 private:
  DataFolders folders_;
};

/// Shows a Progress on stderr while it lives: a bar with rate and time left on a terminal, else a
/// line every few seconds. Ctrl-C asks the work to stop.
class ProgressDisplay {
 public:
  ProgressDisplay(std::string label, std::string unit, Progress& progress);
  ~ProgressDisplay();
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;
  ProgressDisplay(ProgressDisplay&&) = delete;
  ProgressDisplay& operator=(ProgressDisplay&&) = delete;

 private:
  void watch(const std::stop_token& stop);
  std::string line(double seconds) const;

  std::string label_;
  std::string unit_;
  Progress& progress_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;
};

/// Ctrl-C and SIGTERM set a flag that ProgressDisplay passes on; the second one ends the program at
/// once.
void install_interrupt_handler();
bool interrupted();

}  // namespace k3::cli
