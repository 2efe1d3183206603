#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace k3::test {

/// What a finished program left behind.
struct ProgramResult {
  int exit_code = -1;  ///< −1: ended by a signal
  std::string out;
  std::string err;

  /// Lines of stderr, progress lines included.
  std::vector<std::string> err_lines() const;
};

/// Runs the built `k3rack` with `words` in `folder` and waits for it.
ProgramResult run_k3rack(const std::vector<std::string>& words,
                         const std::filesystem::path& folder);

/// Runs it with stderr on a terminal of `columns` columns, sends Ctrl-C as soon as something is
/// shown, waits for it and gives what the terminal got.
std::string interrupt_on_terminal(const std::vector<std::string>& words,
                                  const std::filesystem::path& folder,
                                  int columns);

/// Starts it without waiting; returns the process id. Output is dropped.
int start_k3rack(const std::vector<std::string>& words, const std::filesystem::path& folder);

/// Whether it has not ended yet.
bool is_running(int process);

/// Kills it as kill -9 does and reaps it; false if it had ended before.
bool kill_program(int process);

}  // namespace k3::test
