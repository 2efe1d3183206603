#include "profiler/store/session_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profiler/store/database.h"
#include "profiler/store/schema.h"

namespace k3::store {
namespace fs = std::filesystem;

namespace {

// Offsets in the header of an SQLite database.
// Source: sqlite.org/fileformat2.html, section 1.3
constexpr std::size_t kHeaderBytes = 100;
constexpr std::string_view kMagic{"SQLite format 3\0", 16};
constexpr std::size_t kPageSizeAt = 16;
constexpr std::size_t kReadVersionAt = 19;
constexpr std::size_t kChangeCounterAt = 24;
constexpr std::size_t kPageCountAt = 28;
constexpr std::size_t kUserVersionAt = 60;
constexpr std::size_t kApplicationIdAt = 68;
constexpr std::size_t kValidForAt = 92;
constexpr std::uint8_t kReadVersionWal = 2;

using HeaderBytes = std::array<std::uint8_t, kHeaderBytes>;

std::uint32_t big_endian(const HeaderBytes& bytes, std::size_t at, std::size_t num_bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < num_bytes; ++i)
    value = value << 8 | bytes[at + i];
  return value;
}

std::string system_reason() {
  return std::generic_category().message(errno);
}

Result<HeaderBytes> first_bytes(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) {
    return fail(Code::not_found, "no such file", path.string());
  }
  if (fs::is_directory(status)) {
    return fail(Code::invalid_input, "is a folder; name a session file (.k3r)", path.string());
  }
  if (!fs::is_regular_file(status)) {
    return fail(Code::invalid_input, "is not a regular file; name a session file (.k3r)",
                path.string());
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail(Code::io, system_reason(), path.string());
  HeaderBytes bytes{};
  file.read(reinterpret_cast<char*>(bytes.data()), bytes.size());
  const auto got = static_cast<std::size_t>(file.gcount());
  if (got == 0)
    return fail(Code::corrupt, "is empty; a run writes sessions with -o", path.string());
  const std::size_t compared = std::min(got, kMagic.size());
  if (std::memcmp(bytes.data(), kMagic.data(), compared) != 0) {
    return fail(Code::invalid_input,
                "is not a session file; name one that k3rack run or simulate wrote (-o S.k3r)",
                path.string());
  }
  if (got < kHeaderBytes) {
    return fail(Code::corrupt, fmt::format("is cut off after {} bytes", got), path.string());
  }
  return bytes;
}

}  // namespace

Result<FileHeader> read_file_header(const fs::path& path) {
  K3_TRY(const HeaderBytes bytes, first_bytes(path));
  if (big_endian(bytes, kApplicationIdAt, 4) != static_cast<std::uint32_t>(kApplicationId)) {
    return fail(Code::invalid_input,
                "is an SQLite database of another program, not a K3Rack session", path.string());
  }
  FileHeader header;
  header.user_version = static_cast<std::int32_t>(big_endian(bytes, kUserVersionAt, 4));
  if (header.user_version > kUserVersion) {
    return fail(
        Code::unsupported,
        fmt::format("was written by a newer K3Rack (format {}); this one reads formats up to {}",
                    header.user_version, kUserVersion),
        path.string());
  }
  if (header.user_version < 1) {
    return fail(Code::corrupt,
                fmt::format("file is damaged (format {} does not exist)", header.user_version),
                path.string());
  }
  header.is_wal = bytes[kReadVersionAt] == kReadVersionWal;
  // The stated page count holds only if the last writer also updated the counter beside it.
  if (big_endian(bytes, kChangeCounterAt, 4) == big_endian(bytes, kValidForAt, 4)) {
    const std::uint32_t stated = big_endian(bytes, kPageSizeAt, 2);
    const std::uint64_t page_size = stated == 1 ? 65536 : stated;
    header.stated_bytes = page_size * big_endian(bytes, kPageCountAt, 4);
  }
  return header;
}

fs::path wal_path(const fs::path& path) {
  return path.string() + "-wal";
}

fs::path shm_path(const fs::path& path) {
  return path.string() + "-shm";
}

Result<void> fold_wal(const fs::path& path) {
  if (access(path.c_str(), W_OK) != 0) return fail(Code::io, system_reason(), path.string());
  K3_TRY(const Database database, Database::open(path, OpenMode::write));
  // The pragma answers with the mode in force; another connection makes it an error or keeps WAL.
  K3_TRY(Statement pragma, database.prepare("PRAGMA journal_mode = DELETE"));
  K3_TRY(const bool answered, pragma.next());
  if (answered && pragma.text(0) == "delete") return {};
  return fail(Code::io, "another program has the file open", path.string());
}

WriteClaim::~WriteClaim() {
  if (file_ >= 0) close(file_);
}

WriteClaim& WriteClaim::operator=(WriteClaim&& other) noexcept {
  std::swap(file_, other.file_);
  return *this;
}

Result<WriteClaim> WriteClaim::take(const fs::path& path) {
  WriteClaim claim(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (claim.file_ < 0) {
    return fail(errno == ENOENT ? Code::not_found : Code::io, system_reason(), path.string());
  }
  // NOTE: a lock of another kind than SQLite's, which readers and the writer itself need. A file
  // system without it has no claims: there, as before, SQLite tells only writers that overlap.
  if (flock(claim.file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    return fail(Code::invalid_input,
                "is being written by another run; choose another name or wait for its end",
                path.string());
  }
  return claim;
}

bool WriteClaim::is_of(const fs::path& path) const {
  struct stat claimed{};
  struct stat named{};
  return fstat(file_, &claimed) == 0 && stat(path.c_str(), &named) == 0 &&
         claimed.st_dev == named.st_dev && claimed.st_ino == named.st_ino;
}

namespace {

/// The claim to the file of that name: a new empty one, or with Overwrite::yes an old one.
Result<WriteClaim> claim_name(const fs::path& path, Overwrite overwrite, bool& created) {
  constexpr int kTries = 100;  // each one lost to a run that published in between
  for (int i = 0; i < kTries; ++i) {
    const int file = open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    if (file < 0 && errno != EEXIST) return fail(Code::io, system_reason(), path.string());
    if (file < 0 && overwrite == Overwrite::no) {
      return fail(Code::invalid_input, "exists already; choose another name or add --force",
                  path.string());
    }
    created = file >= 0;
    if (created) close(file);
    Result<WriteClaim> claim = WriteClaim::take(path);
    if (!claim && claim.error().code != Code::not_found) return claim;
    if (claim && claim->is_of(path)) return claim;
  }
  return fail(Code::invalid_input, "is written by too many runs at once; choose another name",
              path.string());
}

/// Makes sure that nothing of an old session gets into the one that takes its name.
Result<void> clear_old(const fs::path& path) {
  if (const Result<FileHeader> old = read_file_header(path); old && old->is_wal) {
    // NOTE: a -wal file left beside the new database would be replayed into it.
    if (const Result<void> folded = fold_wal(path); !folded && folded.error().code == Code::io) {
      return fail(Code::invalid_input,
                  "is in use by another program; choose another name or close that first",
                  path.string());
    }
  }
  std::error_code ignored;
  fs::remove(wal_path(path), ignored);
  fs::remove(shm_path(path), ignored);
  return {};
}

}  // namespace

Result<WriteClaim> publish_session(const fs::path& temporary,
                                   const fs::path& path,
                                   Overwrite overwrite) {
  bool created = false;
  K3_TRY(const WriteClaim name, claim_name(path, overwrite, created));
  K3_TRY(WriteClaim claim, WriteClaim::take(temporary));
  Result<void> published = clear_old(path);
  if (published) published = publish_file(temporary, path);
  if (published) return claim;
  std::error_code ignored;
  if (created) fs::remove(path, ignored);
  return tl::unexpected(std::move(published).error());
}

}  // namespace k3::store
