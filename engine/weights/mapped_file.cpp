#include "engine/weights/mapped_file.h"

#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace k3 {
namespace {

tl::unexpected<Error> system_error(const std::filesystem::path& path) {
  const int reason = errno;
  return fail(reason == ENOENT ? Code::not_found : Code::io,
              std::generic_category().message(reason), path.string());
}

/// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(const std::filesystem::path& path)
      : number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}

  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }

  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor(Descriptor&&) = delete;
  Descriptor& operator=(Descriptor&&) = delete;

  int number() const { return number_; }

 private:
  int number_;
};

void unmap(std::span<const std::byte> bytes) {
  // NOTE: munmap takes a pointer to non-const; the mapping stays read-only.
  if (!bytes.empty()) ::munmap(const_cast<std::byte*>(bytes.data()), bytes.size());
}

}  // namespace

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  const Descriptor file(path);
  struct stat status{};
  if (file.number() < 0 || ::fstat(file.number(), &status) != 0) return system_error(path);
  if (!S_ISREG(status.st_mode))
    return fail(Code::invalid_input, "is no regular file", path.string());
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return MappedFile({});
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);
  if (data == MAP_FAILED) return system_error(path);
  return MappedFile({static_cast<const std::byte*>(data), size});
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

MappedFile::~MappedFile() {
  unmap(bytes_);
}

}  // namespace k3
