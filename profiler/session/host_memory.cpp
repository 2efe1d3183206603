#include "profiler/session/host_memory.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>
#include <string>

#include <fmt/core.h>

#include "sim/memory/memory_model.h"

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
  const auto text = [](double amount) {
    constexpr double kMost = 9e18;  // what Bytes can count
    return sim::memory_text({static_cast<std::int64_t>(std::min(amount, kMost))});
  };
  return fail(Code::does_not_fit,
              fmt::format("needs {} for {}, this computer has {} left; {}", text(bytes), what,
                          text(available), remedy),
              "memory");
}

}  // namespace k3::session
