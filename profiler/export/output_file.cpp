#include <cerrno>
#include <system_error>

#include <zlib.h>

#include "profiler/export/output_file_internal.h"

namespace k3::exporter {
namespace fs = std::filesystem;

namespace {

std::string system_reason() {
  return std::generic_category().message(errno != 0 ? errno : EIO);
}

}  // namespace

void OutputFile::Close::operator()(gzFile_s* file) const {
  gzclose(file);
}

Result<OutputFile> OutputFile::create(const fs::path& path, Overwrite overwrite) {
  K3_TRY_VOID(check_output(path, overwrite));
  OutputFile out;
  out.path_ = path;
  out.temporary_ = temporary_name(path);
  errno = 0;
  if (path.extension() == ".gz") {
    out.gzip_.reset(gzopen(out.temporary_.c_str(), "wb6"));
  } else {
    out.file_.reset(std::fopen(out.temporary_.c_str(), "wb"));
  }
  if (!out.gzip_ && !out.file_) return fail(Code::io, system_reason(), path.string());
  return out;
}

OutputFile OutputFile::standard_output() {
  return {};
}

OutputFile::~OutputFile() {
  file_.reset();
  gzip_.reset();
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove(temporary_, ignored);
}

Result<void> OutputFile::flush() {
  errno = 0;
  std::FILE* const plain = path_.empty() ? stdout : file_.get();
  const std::size_t written = gzip_ ? gzfwrite(text_->data(), 1, text_->size(), gzip_.get())
                                    : std::fwrite(text_->data(), 1, text_->size(), plain);
  if (written != text_->size()) {
    return fail(Code::io, system_reason(), path_.empty() ? "standard output" : path_.string());
  }
  if (path_.empty()) bytes_ += static_cast<std::int64_t>(written);
  text_->clear();
  return {};
}

Result<void> OutputFile::close() {
  errno = 0;
  const bool closed = gzip_ ? gzclose(gzip_.release()) == Z_OK : std::fclose(file_.release()) == 0;
  if (!closed) return fail(Code::io, system_reason(), path_.string());
  return {};
}

Result<void> OutputFile::publish() {
  K3_TRY_VOID(flush());
  if (path_.empty()) return {};
  K3_TRY_VOID(close());
  std::error_code error;
  bytes_ = static_cast<std::int64_t>(fs::file_size(temporary_, error));
  K3_TRY_VOID(publish_file(temporary_, path_));
  temporary_.clear();
  return {};
}

}  // namespace k3::exporter
