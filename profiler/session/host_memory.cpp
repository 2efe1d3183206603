#include "profiler/session/host_memory.h"

#include <fstream>
#include <limits>
#include <string>

#include <fmt/core.h>

namespace k3::session {
namespace {

/// Infinite where the system does not say.
double available_bytes() {
  std::ifstream info("/proc/meminfo");
  for (std::string line; std::getline(info, line);) {
    constexpr std::string_view kKey = "MemAvailable:";
    if (line.starts_with(kKey)) return std::stod(line.substr(kKey.size())) * 1024;
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace

Result<void> check_host_memory(double bytes, std::string_view what, std::string_view remedy) {
  const double available = available_bytes();
  if (bytes <= available) return {};
  constexpr double kGiB = 1024.0 * 1024 * 1024;
  return fail(Code::does_not_fit,
              fmt::format("needs {:.1f} GiB for {}, this computer has {:.1f} GiB left; {}",
                          bytes / kGiB, what, available / kGiB, remedy),
              "memory");
}

}  // namespace k3::session
