#include "engine/base/atomic_file.h"

#include <cerrno>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

namespace k3 {
namespace fs = std::filesystem;

namespace {

std::string system_reason() {
  return std::generic_category().message(errno);
}

}  // namespace

fs::path temporary_name(const fs::path& path) {
  return path.string() + fmt::format(".tmp{}", getpid());
}

Result<void> check_output(const fs::path& path, Overwrite overwrite) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    return fail(Code::invalid_input, "is a folder; name a file to write", path.string());
  }
  if (path.empty()) return fail(Code::invalid_input, "is empty; name a file to write", "output");
  const fs::file_status status = fs::symlink_status(path, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    return fail(Code::invalid_input,
                "is no regular file, which a new one would replace; choose another name",
                path.string());
  }
  if (overwrite == Overwrite::no && fs::exists(path, ignored)) {
    return fail(Code::invalid_input, "exists already; choose another name or add --force",
                path.string());
  }
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, ignored)) {
    return fail(Code::invalid_input, "folder does not exist; create it first", folder.string());
  }
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    return fail(Code::invalid_input,
                fmt::format("folder cannot be written ({}); choose another", system_reason()),
                folder.string());
  }
  return {};
}

Result<void> publish_file(const fs::path& temporary, const fs::path& path) {
  const int file = open(temporary.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0 || fsync(file) != 0) {
    const std::string reason = system_reason();
    if (file >= 0) close(file);
    return fail(Code::io, reason, temporary.string());
  }
  close(file);
  if (std::rename(temporary.c_str(), path.c_str()) != 0) {
    return fail(Code::io, system_reason(), path.string());
  }
  return {};
}

Result<void> write_file_atomically(const fs::path& path,
                                   std::string_view content,
                                   Overwrite overwrite) {
  K3_TRY_VOID(check_output(path, overwrite));
  const fs::path temporary = temporary_name(path);
  std::FILE* file = std::fopen(temporary.c_str(), "wb");
  if (file == nullptr) return fail(Code::io, system_reason(), temporary.string());
  const bool written = std::fwrite(content.data(), 1, content.size(), file) == content.size();
  const bool closed = std::fclose(file) == 0;
  if (!written || !closed) {
    const std::string reason = system_reason();
    std::error_code ignored;
    fs::remove(temporary, ignored);
    return fail(Code::io, reason, path.string());
  }
  return publish_file(temporary, path);
}

}  // namespace k3
