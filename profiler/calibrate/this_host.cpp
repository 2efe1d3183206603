#include "profiler/calibrate/this_host.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>
#include <thread>

#include <fmt/core.h>
#include <sched.h>
#include <unistd.h>

#include "kernels/registry/registry.h"

namespace k3::calibrate {
namespace {

constexpr const char* kSource = "measured by k3rack calibrate --local";

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(CPU_COUNT(&set), 1);
  return std::max(static_cast<int>(std::thread::hardware_concurrency()), 1);
}

std::int64_t positive(long value, std::int64_t otherwise) {
  return value > 0 ? value : otherwise;
}

/// Size of the last-level cache that this processor sees.
/// NOTE: sysconf adds up the caches of a whole package on some processors.
std::int64_t cache_bytes() {
  constexpr std::int64_t kUnknown = 32 << 20;
  std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index3/size");
  std::int64_t kib = 0;
  if (file >> kib && kib > 0) return kib * 1024;
  return positive(sysconf(_SC_LEVEL3_CACHE_SIZE), kUnknown);
}

}  // namespace

sim::HostDescription describe_host(const Backend& backend) {
  sim::HostDescription host;
  host.cpu = backend.device_title(0);
  host.cores = usable_cores();
  host.memory = {positive(sysconf(_SC_PHYS_PAGES), 1) * positive(sysconf(_SC_PAGESIZE), 4096)};
  host.cache = {cache_bytes()};
  return host;
}

std::string today() {
  const auto days = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  const std::chrono::year_month_day date(days);
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

Result<sim::Calibration> describe_local(const std::string& backend_name) {
  K3_TRY(const std::unique_ptr<Backend> backend, make_backend(backend_name));
  if (!backend->uses_host_memory()) {
    return fail(Code::unsupported,
                fmt::format("backend {} computes on a device; `local` is the host's own cores: "
                            "write --backend reference",
                            backend->name()),
                "--backend");
  }
  sim::Calibration calibration;
  calibration.machine = "local";
  calibration.backend = backend->name();
  calibration.source = kSource;
  calibration.date = today();
  calibration.host = describe_host(*backend);
  return calibration;
}

}  // namespace k3::calibrate
