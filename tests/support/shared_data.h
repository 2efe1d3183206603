#pragma once

#include <filesystem>
#include <optional>

namespace k3::test {

/// Root of the source tree (for data/, scenarios/).
std::filesystem::path source_dir();

/// Folder with the reference material (golden/, k3/, oracle/ …): $K3_SHARED, else `../shared`
/// beside the source tree; nothing when absent, then a test skips with a message.
std::optional<std::filesystem::path> shared_dir();

}  // namespace k3::test

/// Defines `variable` as the reference folder or skips the running test.
#define K3_SHARED_OR_SKIP(variable)                                              \
  const auto variable##_found = ::k3::test::shared_dir();                        \
  if (!variable##_found) GTEST_SKIP() << "reference folder ../shared is absent"; \
  const std::filesystem::path variable = *variable##_found
