#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "engine/base/atomic_file.h"
#include "engine/base/result.h"

struct gzFile_s;

namespace k3::exporter {

/// A file being written, under a temporary name until `publish`; an object that goes without it
/// leaves nothing behind. Text is appended to `text()` and reaches the file by `flush_if_large`, so
/// that appending costs no check.
class OutputFile {
 public:
  /// A name that ends in `.gz` is compressed.
  static Result<OutputFile> create(const std::filesystem::path& path, Overwrite overwrite);
  static OutputFile standard_output();

  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept = default;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  OutputFile& operator=(OutputFile&&) = delete;

  std::string& text() { return *text_; }

  Result<void> flush_if_large() {
    constexpr std::size_t kLarge = std::size_t{1} << 20;
    return text_->size() < kLarge ? Result<void>() : flush();
  }

  /// Everything to disk, under the name asked for.
  Result<void> publish();

  /// On disk; known after `publish`.
  std::int64_t bytes() const { return bytes_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }

    void operator()(gzFile_s* file) const;
  };

  OutputFile() : text_(std::make_unique<std::string>()) {}

  Result<void> flush();
  Result<void> close();

  std::unique_ptr<std::string> text_;
  std::filesystem::path path_;       ///< empty: the standard output
  std::filesystem::path temporary_;  ///< empty once published
  std::unique_ptr<std::FILE, Close> file_;
  std::unique_ptr<gzFile_s, Close> gzip_;
  std::int64_t bytes_ = 0;
};

}  // namespace k3::exporter
