#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/device/backend.h"
#include "profiler/calibrate/sampler.h"
#include "sim/compute/operator_calls.h"
#include "sim/compute/table.h"

namespace k3::calibrate {

using Point = std::span<const double>;
using MlaKernel = void (*)(const ops::MlaArgs&, Stream&);

inline std::int64_t whole(double value) {
  return static_cast<std::int64_t>(value);
}

/// One operator's grid and how a point of it is measured.
struct Bench {
  sim::Operator op;
  std::string about;
  std::vector<sim::TableAxis> axes;
  std::function<Sample(Point)> sample;
};

/// One method per operator: makes the arguments of a point and measures calls with them.
class OperatorBench {
 public:
  OperatorBench(const KernelTable& kernels, std::unique_ptr<Stream> stream)
      : kernels_(kernels), stream_(std::move(stream)) {}

  /// Seconds that the next points may take.
  void set_budget(double seconds) { budget_ = seconds; }

  std::vector<Bench> all() {
    std::vector<Bench> benches = dense();
    for (auto&& more : {values(), attention(), experts()})
      benches.insert(benches.end(), more.begin(), more.end());
    return benches;
  }

 private:
  template <class Args>
  Sample time(void (*kernel)(const Args&, Stream&), const Args& args) {
    return measure([&] { kernel(args, *stream_); }, budget_);
  }

  std::vector<Bench> dense();
  std::vector<Bench> values();
  std::vector<Bench> attention();
  std::vector<Bench> experts();

  Sample product(Point at);
  Sample norm(Point at);
  Sample mix(Point at);
  Sample gather(Point at);
  Sample embed(Point at);
  Sample argmax(Point at);
  Sample conv(Point at);
  Sample kda_gate(Point at);
  Sample recurrence(Point at);
  Sample kda_output(Point at);
  Sample cache(Point at);
  Sample attend(MlaKernel kernel, std::int64_t tokens, Point at);
  Sample route(Point at);
  Sample expert(Point at);
  Sample combine(Point at);
  Sample pack(Point at);
  Sample order(Point at);

  const KernelTable& kernels_;
  std::unique_ptr<Stream> stream_;
  double budget_ = 0;
};

}  // namespace k3::calibrate
