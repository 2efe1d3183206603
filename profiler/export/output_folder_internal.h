#pragma once

#include <filesystem>

#include "engine/base/atomic_file.h"
#include "engine/base/result.h"

namespace k3::exporter {

/// A folder of files being written, under a temporary name until `publish`; an object that goes
/// without it leaves nothing behind.
class OutputFolder {
 public:
  /// Errors: invalid_input if `path` is a file, or a folder that is not empty without
  /// Overwrite::yes
  static Result<OutputFolder> create(const std::filesystem::path& path, Overwrite overwrite);

  ~OutputFolder();
  OutputFolder(OutputFolder&& other) noexcept = default;
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;
  OutputFolder& operator=(OutputFolder&&) = delete;

  /// Where files are to be written.
  const std::filesystem::path& path() const { return temporary_; }

  /// Gives the folder its name. In a folder that is there already, files of the same name are
  /// replaced and others stay.
  Result<void> publish();

 private:
  OutputFolder(std::filesystem::path path, std::filesystem::path temporary)
      : path_(std::move(path)), temporary_(std::move(temporary)) {}

  std::filesystem::path path_;
  std::filesystem::path temporary_;  ///< empty once published
};

}  // namespace k3::exporter
