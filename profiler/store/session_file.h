#pragma once

#include <cstdint>
#include <filesystem>
#include <utility>

#include "engine/base/atomic_file.h"
#include "engine/base/result.h"

namespace k3::store {

/// What the first 100 bytes of a session file say.
struct FileHeader {
  int user_version = 0;
  bool is_wal = false;  ///< not closed by its writer: being written, or the writer was killed
  std::uint64_t stated_bytes = 0;  ///< size that the file should at least have
};

/// Errors: not_found, io; invalid_input for anything that is no session file; unsupported if newer;
/// corrupt if empty or cut off inside the header
Result<FileHeader> read_file_header(const std::filesystem::path& path);

/// The companions that SQLite keeps beside a database in WAL mode.
std::filesystem::path wal_path(const std::filesystem::path& path);
std::filesystem::path shm_path(const std::filesystem::path& path);

/// Moves what a killed writer left in the -wal file into the database and makes it one plain file.
/// Fails, changing nothing, while another program has the file open or if it cannot be written.
Result<void> fold_wal(const std::filesystem::path& path);

/// The right to a session file among runs: one holder at a time, gone with the process that held
/// it. Keeps a lock on the file itself, so that nothing is left beside it. Readers do not ask.
class WriteClaim {
 public:
  WriteClaim() = default;
  ~WriteClaim();

  WriteClaim(WriteClaim&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

  WriteClaim& operator=(WriteClaim&& other) noexcept;
  WriteClaim(const WriteClaim&) = delete;
  WriteClaim& operator=(const WriteClaim&) = delete;

  /// Of an existing file, without waiting. Errors: not_found, io; invalid_input if another run has
  /// it
  static Result<WriteClaim> take(const std::filesystem::path& path);

  /// Whether `path` still names the file that was claimed.
  bool is_of(const std::filesystem::path& path) const;

 private:
  explicit WriteClaim(int file) : file_(file) {}

  int file_ = -1;
};

/// Renames a finished `temporary` to `path`: without Overwrite::yes only if that name is still
/// free, with it only if no run is writing to the old file. Gives the claim to the new file, which
/// its writer keeps until it is complete.
Result<WriteClaim> publish_session(const std::filesystem::path& temporary,
                                   const std::filesystem::path& path,
                                   Overwrite overwrite);

}  // namespace k3::store
