#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "engine/base/result.h"
#include "engine/device/kernel_table.h"

namespace k3 {

/// Memory on one device; freed with the object.
class Buffer {
 public:
  Buffer() = default;
  virtual ~Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  Buffer(Buffer&&) = delete;
  Buffer& operator=(Buffer&&) = delete;

  virtual void* data() = 0;
  virtual std::size_t size() const = 0;
};

/// An ordered queue of work on one device, used by one rank thread. Work may be done when a call
/// returns (CPU) or later (GPU); `synchronize` waits for all of it.
class Stream {
 public:
  Stream() = default;
  virtual ~Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  Stream(Stream&&) = delete;
  Stream& operator=(Stream&&) = delete;

  virtual void copy_to_device(void* device, const void* host, std::size_t bytes) = 0;
  virtual void copy_to_host(void* host, const void* device, std::size_t bytes) = 0;
  virtual void fill_zero(void* device, std::size_t bytes) = 0;
  virtual void synchronize() = 0;

  /// A point in the queue whose time can be asked after `synchronize`, in nanoseconds of the host's
  /// steady clock. Marks are dropped by `clear_marks`.
  virtual int mark() = 0;
  virtual std::int64_t time_ns(int mark) const = 0;
  virtual void clear_marks() = 0;
};

/// One kind of device and its operators. Ranks share a backend; thread-safe.
class Backend {
 public:
  Backend() = default;
  virtual ~Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  Backend(Backend&&) = delete;
  Backend& operator=(Backend&&) = delete;

  virtual std::string_view name() const = 0;
  virtual int num_devices() const = 0;
  /// Description for people, e.g. the CPU's name.
  virtual std::string device_title(int device) const = 0;
  /// Errors: does_not_fit
  virtual Result<std::unique_ptr<Buffer>> allocate(int device, std::size_t bytes) = 0;
  virtual Result<std::unique_ptr<Stream>> make_stream(int device) = 0;
  /// Whether host memory can be used by kernels as it is (weights are then never copied).
  virtual bool uses_host_memory() const = 0;
  virtual const KernelTable& kernels() const = 0;
};

}  // namespace k3
