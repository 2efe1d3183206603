#include "profiler/cli/console.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "engine/text/json.h"

namespace k3::cli {
namespace {

// NOTE: the one mutable static of the program: a signal handler can reach nothing else.
std::atomic<int> interrupts{0};

extern "C" void on_interrupt(int signal) {
  if (interrupts.fetch_add(1) > 0) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

/// Of the terminal that stderr is.
int terminal_columns() {
  constexpr int kUsual = 80;
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return known ? size.ws_col : kUsual;
}

void write_all(std::FILE* stream, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stream);
}

}  // namespace

void install_interrupt_handler() {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
}

bool interrupted() {
  return interrupts.load() > 0;
}

Console::Console(DataFolders folders) : folders_(std::move(folders)) {}

void Console::print(std::string_view text) {
  write_all(stdout, text);
}

void Console::print_json(const Json& json) {
  write_all(stdout, json.dump(2) + "\n");
}

void Console::note(std::string_view text) {
  write_all(stderr, fmt::format("k3rack: {}\n", text));
}

ProgressDisplay::ProgressDisplay(std::string label, std::string unit, Progress& progress)
    : label_(std::move(label)),
      unit_(std::move(unit)),
      progress_(progress),
      thread_([this](const std::stop_token& stop) { watch(stop); }) {}

ProgressDisplay::~ProgressDisplay() {
  thread_.request_stop();
  thread_.join();
}

std::string ProgressDisplay::line(double seconds) const {
  const auto done = static_cast<double>(progress_.done.load());
  const auto total = static_cast<double>(progress_.total.load());
  const double rate = seconds > 0 ? done / seconds : 0;
  if (total <= 0) return fmt::format("{}: {:.0f} {}, {:.3g}/s", label_, done, unit_, rate);
  constexpr int kBarWidth = 24;
  const double share = std::clamp(done / total, 0.0, 1.0);
  const auto filled = static_cast<std::size_t>(share * kBarWidth);
  std::string text = fmt::format("{}: [{}{}] {:.0f}/{:.0f} {}", label_, std::string(filled, '#'),
                                 std::string(kBarWidth - filled, '.'), done, total, unit_);
  if (rate > 0 && done < total) {
    text += fmt::format(", {:.3g}/s, {:.0f} s left", rate, (total - done) / rate);
  }
  return text;
}

void ProgressDisplay::watch(const std::stop_token& stop) {
  using std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kPoll{100};
  constexpr double kShowAfter = 0.3;  // seconds: short work stays silent
  constexpr double kLineEvery = 3;    // seconds between lines when stderr is not a terminal
  const bool terminal = isatty(STDERR_FILENO) != 0;
  const auto begin = steady_clock::now();
  double last_line = 0;
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    wake_.wait_for(lock, stop, kPoll, [] { return false; });
    if (interrupted()) progress_.cancelled = true;
    const double seconds = std::chrono::duration<double>(steady_clock::now() - begin).count();
    if (terminal && seconds > kShowAfter) {
      // NOTE: a line that the terminal breaks could not be taken back as a whole.
      write_all(stderr, fmt::format("\r\x1b[K{:.{}}", line(seconds), terminal_columns() - 1));
    } else if (!terminal && seconds - last_line >= kLineEvery) {
      write_all(stderr, line(seconds) + "\n");
      last_line = seconds;
    }
  }
  if (terminal) write_all(stderr, "\r\x1b[K");
}

}  // namespace k3::cli
