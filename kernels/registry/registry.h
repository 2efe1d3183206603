#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/device/backend.h"

namespace k3 {

/// One backend that this build holds.
struct BackendEntry {
  std::string_view name;
  std::unique_ptr<Backend> (*make)();
};

/// Every backend of this build, fastest first. The list is written by CMake and is the only place
/// that knows which backends there are.
std::span<const BackendEntry> backend_registry();

/// The backend of that name; "auto" is the first that finds a device.
/// Errors: unknown name (lists those of this build), no device
Result<std::unique_ptr<Backend>> make_backend(std::string_view name);

}  // namespace k3
