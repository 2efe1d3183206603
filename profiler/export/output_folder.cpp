#include <system_error>

#include "profiler/export/output_folder_internal.h"

namespace k3::exporter {
namespace fs = std::filesystem;

namespace {

/// `a/b/` is the folder `a/b`.
fs::path without_trailing_slash(const fs::path& path) {
  return path.has_filename() || !path.has_parent_path() ? path : path.parent_path();
}

}  // namespace

Result<OutputFolder> OutputFolder::create(const fs::path& given, Overwrite overwrite) {
  const fs::path path = without_trailing_slash(given);
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    if (fs::exists(path, error)) {
      return fail(Code::invalid_input, "is a file; name a folder, or one table with --table NAME",
                  path.string());
    }
    // A file of that name could be written exactly if the folder could be made.
    K3_TRY_VOID(check_output(path, overwrite));
  } else if (overwrite == Overwrite::no && !fs::is_empty(path, error)) {
    return fail(Code::invalid_input,
                "is a folder with files in it; choose another name or add --force", path.string());
  }
  OutputFolder folder(path, temporary_name(path));
  if (!fs::create_directory(folder.temporary_, error)) {
    return fail(Code::io, error ? error.message() : "exists already", folder.temporary_.string());
  }
  return folder;
}

OutputFolder::~OutputFolder() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
}

Result<void> OutputFolder::publish() {
  std::error_code error;
  fs::rename(temporary_, path_, error);
  if (!error) {
    temporary_.clear();
    return {};
  }
  // It exists and has files.
  for (const fs::directory_entry& file : fs::directory_iterator(temporary_, error)) {
    std::error_code failed;
    fs::rename(file.path(), path_ / file.path().filename(), failed);
    if (failed) return fail(Code::io, failed.message(), path_.string());
  }
  if (error) return fail(Code::io, error.message(), path_.string());
  return {};
}

}  // namespace k3::exporter
