#include "sim/calibration/local_machine.h"

#include <algorithm>

#include <fmt/core.h>

#include "sim/compute/operator_calls.h"

namespace k3::sim {
namespace {

Result<const Table*> demand(const Calibration& calibration, std::string_view name) {
  const Table* table = calibration.set.find(name);
  if (table != nullptr) return table;
  return fail(Code::invalid_input, "missing; measure again with `k3rack calibrate --local`",
              fmt::format("table.{}", name));
}

/// FLOPs per second of the fastest measured product.
double best_product_rate(const Table& table) {
  double best = 0;
  std::size_t at = 0;
  for (const double tokens : table.axes[0].points) {
    for (const double in : table.axes[1].points) {
      for (const double out : table.axes[2].points) {
        best = std::max(best, 2 * tokens * in * out / (table.values[at++] * 1e-6));
      }
    }
  }
  return best;
}

}  // namespace

Result<Machine> local_machine(const Calibration& calibration, int ranks) {
  if (calibration.machine != "local") {
    return fail(
        Code::invalid_input,
        fmt::format("describes `{:.80}`; must be a calibration of `local`", calibration.machine),
        "machine");
  }
  K3_TRY(const Table* product, demand(calibration, name_of(Operator::product)));
  K3_TRY(const Table* read, demand(calibration, "read_bandwidth"));
  K3_TRY(const Table* copy, demand(calibration, "copy_bandwidth"));
  if (product->axes.size() != 3 || read->axes.size() != 1 || copy->axes.size() != 1) {
    return fail(Code::invalid_input,
                "product, read_bandwidth and copy_bandwidth have 3, 1 and 1 axes in this build; "
                "measure again with `k3rack calibrate --local`",
                "table");
  }
  const double busy = std::min(ranks, calibration.host.cores);
  const double share = busy / ranks;  // of a core, for every rank
  const FlopRate rate{best_product_rate(*product) * share};
  Machine machine;
  machine.name = "local";
  machine.title =
      fmt::format("this computer: {}, {} cores", calibration.host.cpu, calibration.host.cores);
  machine.gpu.name = calibration.host.cpu;
  machine.gpu.bf16 = machine.gpu.fp8 = machine.gpu.fp32 = rate;
  machine.gpu.memory = {calibration.host.memory.count / ranks};
  machine.gpu.memory_bandwidth = {look_up(*read, {{busy}}).value * 1e9 / ranks};
  machine.num_gpus = ranks;
  machine.gpus_per_tray = ranks;
  machine.plane_links = {1};
  machine.link_bandwidth = {look_up(*copy, {{busy}}).value * 1e9 / ranks};
  for (const Table* table : {product, read, copy}) {
    machine.sources.push_back({table->name, table->about, table->source, table->date});
  }
  return machine;
}

}  // namespace k3::sim
