#include "kernels/reference/reference_backend.h"

#include <chrono>
#include <cstring>
#include <fstream>
#include <limits>
#include <new>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <unistd.h>

#include "kernels/reference/operators.h"

namespace k3 {
namespace {

/// A cache line, and the widest vector.
constexpr std::align_val_t kAlignment{64};

std::size_t physical_bytes() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return std::numeric_limits<std::size_t>::max();
  return static_cast<std::size_t>(pages) * static_cast<std::size_t>(page);
}

class HostBuffer final : public Buffer {
 public:
  HostBuffer(void* data, std::size_t size) : data_(data), size_(size) {}

  ~HostBuffer() override { ::operator delete(data_, kAlignment); }

  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;
  HostBuffer(HostBuffer&&) = delete;
  HostBuffer& operator=(HostBuffer&&) = delete;

  void* data() override { return data_; }

  std::size_t size() const override { return size_; }

 private:
  void* data_;
  std::size_t size_;
};

class HostStream final : public Stream {
 public:
  void copy_to_device(void* device, const void* host, std::size_t bytes) override {
    if (bytes > 0) std::memcpy(device, host, bytes);
  }

  void copy_to_host(void* host, const void* device, std::size_t bytes) override {
    if (bytes > 0) std::memcpy(host, device, bytes);
  }

  void fill_zero(void* device, std::size_t bytes) override {
    if (bytes > 0) std::memset(device, 0, bytes);
  }

  void synchronize() override {}

  int mark() override {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    marks_.push_back(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
    return static_cast<int>(marks_.size()) - 1;
  }

  std::int64_t time_ns(int mark) const override {
    return marks_.at(static_cast<std::size_t>(mark));
  }

  void clear_marks() override { marks_.clear(); }

 private:
  std::vector<std::int64_t> marks_;
};

/// "model name" of the first processor, or "CPU" where the system does not tell.
std::string cpu_title() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with("model name")) continue;
    const std::size_t begin = line.find_first_not_of(" \t", line.find(':') + 1);
    if (begin != std::string::npos) return line.substr(begin);
  }
  return "CPU";
}

constexpr KernelTable kKernels{.embed = reference::embed,
                               .linear = reference::linear,
                               .rms_norm = reference::rms_norm,
                               .situ = reference::situ,
                               .add = reference::add,
                               .sigmoid = reference::sigmoid,
                               .sigmoid_gate = reference::sigmoid_gate,
                               .gather_rows = reference::gather_rows,
                               .argmax = reference::argmax,
                               .attn_res_mix = reference::attn_res_mix,
                               .short_conv = reference::short_conv,
                               .kda_gate = reference::kda_gate,
                               .kda_recurrence = reference::kda_recurrence,
                               .kda_output = reference::kda_output,
                               .mla_cache = reference::mla_cache,
                               .mla_absorbed = reference::mla_absorbed,
                               .mla_expanded = reference::mla_expanded,
                               .route = reference::route,
                               .expert_mlp = reference::expert_mlp,
                               .combine = reference::combine};

class ReferenceBackend final : public Backend {
 public:
  std::string_view name() const override { return "reference"; }

  int num_devices() const override { return 1; }

  std::string device_title(int) const override { return cpu_title(); }

  Result<std::unique_ptr<Buffer>> allocate(int, std::size_t bytes) override {
    // NOTE: Linux grants more than there is and ends the program when it is used.
    void* data =
        bytes > physical_bytes() ? nullptr : ::operator new(bytes, kAlignment, std::nothrow);
    if (data == nullptr) {
      return fail(Code::does_not_fit,
                  fmt::format("host memory cannot hold {} more bytes; run fewer ranks, a smaller "
                              "model or fewer tokens",
                              bytes));
    }
    return std::make_unique<HostBuffer>(data, bytes);
  }

  Result<std::unique_ptr<Stream>> make_stream(int) override {
    return std::make_unique<HostStream>();
  }

  bool uses_host_memory() const override { return true; }

  const KernelTable& kernels() const override { return kKernels; }
};

}  // namespace

std::unique_ptr<Backend> make_reference_backend() {
  return std::make_unique<ReferenceBackend>();
}

}  // namespace k3
