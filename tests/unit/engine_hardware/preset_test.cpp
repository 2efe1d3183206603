// What every machine that ships is known for.

#include <algorithm>
#include <ostream>

#include <gtest/gtest.h>

#include "engine/hardware/max_flow.h"
#include "engine/hardware/topology.h"
#include "tests/support/shared_data.h"

namespace k3 {
namespace {

struct Preset {
  const char* name;
  int gpus;
  int racks;
  int planes;            ///< of a rack
  std::size_t links;     ///< between GPUs and planes, both directions counted
  double gpu_bandwidth;  ///< B/s, one direction
  double bisection;      ///< B/s, one direction
};

void PrintTo(const Preset& preset, std::ostream* out) {
  *out << preset.name;
}

class Presets : public testing::TestWithParam<Preset> {
 protected:
  static Machine load() {
    const auto path =
        test::source_dir() / "data" / "hardware" / (std::string(GetParam().name) + ".toml");
    auto machine = load_machine(path);
    if (!machine) ADD_FAILURE() << machine.error().text();
    return machine ? *machine : Machine();
  }
};

TEST_P(Presets, HasTheSizeOfItsName) {
  const Machine machine = load();
  EXPECT_EQ(machine.name, GetParam().name);
  EXPECT_FALSE(machine.title.empty());
  EXPECT_EQ(machine.num_gpus, GetParam().gpus);
  EXPECT_EQ(machine.racks, GetParam().racks);
  EXPECT_EQ(machine.planes(), GetParam().planes);
  EXPECT_EQ(machine.gpu_bandwidth().bytes_per_second, GetParam().gpu_bandwidth);
  EXPECT_EQ(machine.gpus_per_rack() % machine.gpus_per_tray, 0);
}

TEST_P(Presets, JoinsEveryGpuToThePlanesOfItsRack) {
  const Topology topology = build_topology(load());
  std::size_t links = 0;
  for (const TopologyLink& link : topology.links) {
    const TopologyNode& from = topology.nodes[static_cast<std::size_t>(link.from)];
    const TopologyNode& to = topology.nodes[static_cast<std::size_t>(link.to)];
    EXPECT_EQ(link.capacity.bytes_per_second, link.nominal.bytes_per_second);
    if (from.kind != NodeKind::plane && to.kind != NodeKind::plane) continue;
    ++links;
    EXPECT_EQ(from.rack, to.rack);
    EXPECT_TRUE(from.kind == NodeKind::gpu || to.kind == NodeKind::gpu);
  }
  EXPECT_EQ(links, GetParam().links);
  EXPECT_EQ(topology.live_gpus().size(), static_cast<std::size_t>(GetParam().gpus));
}

TEST_P(Presets, HasTheBisectionOfHalfOfItsGpus) {
  const Topology topology = build_topology(load());
  EXPECT_EQ(bisection_bandwidth(topology).bytes_per_second, GetParam().bisection);
}

// 72 GPUs × 18 planes × 2 directions = 2,592; 8 × 4 × 2 = 64; 8 × 2 × 2 = 32. Bisection: 36 × 900
// GB/s; between racks half of the NICs, 72 or 288 × 100 GB/s.
INSTANTIATE_TEST_SUITE_P(All,
                         Presets,
                         testing::Values(Preset{"gb200-nvl72", 72, 1, 18, 2592, 900e9, 32.4e12},
                                         Preset{"gb300-nvl72", 72, 1, 18, 2592, 900e9, 32.4e12},
                                         Preset{"supernode-64", 64, 1, 18, 2304, 900e9, 28.8e12},
                                         Preset{"hgx-h100", 8, 1, 4, 64, 450e9, 1.8e12},
                                         Preset{"hgx-h200", 8, 1, 4, 64, 450e9, 1.8e12},
                                         Preset{"hgx-b200", 8, 1, 2, 32, 900e9, 3.6e12},
                                         Preset{"hgx-b300", 8, 1, 2, 32, 900e9, 3.6e12},
                                         Preset{"gb300-nvl72x2", 144, 2, 18, 5184, 900e9, 7.2e12},
                                         Preset{"gb300-nvl72x8", 576, 8, 18, 20736, 900e9,
                                                28.8e12}),
                         [](const testing::TestParamInfo<Preset>& preset) {
                           std::string name = preset.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace k3
