#include "tests/support/shared_data.h"

#include <cstdlib>

namespace k3::test {

std::filesystem::path source_dir() {
  return K3_SOURCE_DIR;
}

std::optional<std::filesystem::path> shared_dir() {
  const char* chosen = std::getenv("K3_SHARED");
  const std::filesystem::path path = chosen != nullptr ? chosen : K3_SHARED_DIR;
  if (std::filesystem::is_directory(path)) return path;
  return std::nullopt;
}

}  // namespace k3::test
