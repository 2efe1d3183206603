#include <fmt/core.h>

#include "kernels/registry/registry.h"

namespace k3 {

Result<std::unique_ptr<Backend>> make_backend(std::string_view name) {
  std::string known = "auto";
  for (const BackendEntry& entry : backend_registry()) {
    known.append(", ").append(entry.name);
    if (name != "auto" && name != entry.name) continue;
    std::unique_ptr<Backend> backend = entry.make();
    if (backend->num_devices() > 0) return backend;
    if (name == entry.name) {
      return fail(Code::unsupported, fmt::format("backend `{}` finds no device here", name),
                  "executor.backend");
    }
  }
  return fail(Code::unsupported,
              fmt::format("backend `{}` is not in this build; it has {}", name, known),
              "executor.backend");
}

}  // namespace k3
