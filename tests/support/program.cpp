#include "tests/support/program.h"

#include <array>
#include <csignal>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <fcntl.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/temp_dir.h"

namespace k3::test {
namespace {

std::string read_all(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

int start(const std::vector<std::string>& words,
          const std::filesystem::path& folder,
          const std::string& out,
          const std::string& err) {
  std::vector<std::string> all{K3_PROGRAM};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> argv;
  for (std::string& word : all)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  const int process = fork();
  if (process < 0) throw std::runtime_error("fork failed");
  if (process > 0) return process;
  const int out_file = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int err_file = open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int no_input = open("/dev/null", O_RDONLY);
  if (chdir(folder.c_str()) != 0) _exit(127);
  dup2(no_input, STDIN_FILENO);
  dup2(out_file, STDOUT_FILENO);
  dup2(err_file, STDERR_FILENO);
  execv(argv[0], argv.data());
  _exit(127);
}

}  // namespace

std::vector<std::string> ProgramResult::err_lines() const {
  std::vector<std::string> lines;
  std::istringstream stream(err);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

ProgramResult run_k3rack(const std::vector<std::string>& words,
                         const std::filesystem::path& folder) {
  const TempDir dir;
  const int process = start(words, folder, dir / "out", dir / "err");
  int status = 0;
  waitpid(process, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_all(dir / "out"),
          read_all(dir / "err")};
}

std::string interrupt_on_terminal(const std::vector<std::string>& words,
                                  const std::filesystem::path& folder,
                                  int columns) {
  winsize size{};
  size.ws_row = 24;
  size.ws_col = static_cast<unsigned short>(columns);
  int terminal = -1;
  int inner = -1;
  std::array<char, 256> name{};
  if (openpty(&terminal, &inner, name.data(), nullptr, &size) != 0) {
    throw std::runtime_error("no terminal");
  }
  const int process = start(words, folder, "/dev/null", name.data());
  std::string text;
  std::array<char, 4096> part{};
  bool interrupted = false;
  // The program holds the only other end once this one is closed, so reading ends with it.
  while (true) {
    const ssize_t count = read(terminal, part.data(), part.size());
    if (count <= 0) break;
    text.append(part.data(), static_cast<std::size_t>(count));
    if (!interrupted) {
      kill(process, SIGINT);
      close(inner);
    }
    interrupted = true;
  }
  close(terminal);
  waitpid(process, nullptr, 0);
  return text;
}

int start_k3rack(const std::vector<std::string>& words, const std::filesystem::path& folder) {
  return start(words, folder, "/dev/null", "/dev/null");
}

bool is_running(int process) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == 0;
}

bool kill_program(int process) {
  kill(process, SIGKILL);
  int status = 0;
  waitpid(process, &status, 0);
  return WIFSIGNALED(status);
}

}  // namespace k3::test
