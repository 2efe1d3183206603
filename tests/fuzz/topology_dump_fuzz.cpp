// Whatever text a topology holds (NCCL, nvidia-smi, hwloc): a value that is sound in itself, or an
// Error.

#include <cstdint>
#include <string_view>

#include "engine/base/check.h"
#include "engine/hardware/topology_dump.h"

namespace {

bool is_below(int index, std::size_t size) {
  return index >= 0 && static_cast<std::size_t>(index) < size;
}

void check(const k3::DiscoveredTopology& topology) {
  for (const k3::DiscoveredGpu& gpu : topology.gpus) {
    K3_CHECK(is_below(gpu.host, topology.hosts.size()) && !gpu.name.empty());
    K3_CHECK(gpu.is_whole() || is_below(gpu.part_of, topology.gpus.size()));
    for (const k3::NvlinkRow& row : gpu.nvlinks) {
      if (row.end == k3::LinkEnd::gpu) K3_CHECK(is_below(row.index, topology.gpus.size()));
      if (row.end == k3::LinkEnd::named_switch || row.end == k3::LinkEnd::hidden_switch) {
        K3_CHECK(is_below(row.index, topology.switches.size()));
      }
    }
  }
  for (const k3::DiscoveredNic& nic : topology.nics) {
    K3_CHECK(is_below(nic.host, topology.hosts.size()));
    for (const int gpu : nic.near_gpus)
      K3_CHECK(is_below(gpu, topology.gpus.size()));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto topology = k3::parse_topology_dump(text, "file");
  if (topology) check(*topology);
  return 0;
}
