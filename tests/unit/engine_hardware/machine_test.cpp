#include "engine/hardware/machine.h"

#include <ostream>

#include <gtest/gtest.h>

#include "engine/text/file.h"
#include "tests/support/mutate.h"
#include "tests/support/shared_data.h"

namespace k3 {
namespace {

std::filesystem::path shipped(const std::string& name) {
  return test::source_dir() / "data" / "hardware" / (name + ".toml");
}

TEST(Machine, ReadsGb300Nvl72) {
  const auto machine = load_machine(shipped("gb300-nvl72"));
  ASSERT_TRUE(machine) << machine.error().text();
  EXPECT_EQ(machine->name, "gb300-nvl72");
  EXPECT_EQ(machine->num_gpus, 72);
  EXPECT_EQ(machine->planes(), 18);
  EXPECT_EQ(machine->gpu.fp8.per_second, 5e15);
  EXPECT_EQ(machine->gpu.memory.count, std::int64_t{284208} << 20);
  EXPECT_EQ(machine->link_bandwidth.bytes_per_second, 50e9);
  EXPECT_EQ(machine->gpu_bandwidth().bytes_per_second, 900e9);
  EXPECT_EQ(machine->roofline.launch.ps, 5'000'000);
}

TEST(Machine, KeepsTheSourceOfEveryValue) {
  const auto machine = load_machine(shipped("gb200-nvl72"));
  ASSERT_TRUE(machine) << machine.error().text();
  EXPECT_EQ(machine->sources.size(), 17u);
  EXPECT_EQ(machine->sources.front().key, "gpu.bf16");
  EXPECT_EQ(machine->sources.front().value, "2.5 PFLOP/s");
}

TEST(Machine, ReadsOneCountOfLinksPerPlane) {
  const auto machine = load_machine(shipped("hgx-h100"));
  ASSERT_TRUE(machine) << machine.error().text();
  EXPECT_EQ(machine->plane_links, (std::vector<int>{5, 4, 4, 5}));
  EXPECT_FALSE(machine->scale_out);
}

TEST(Machine, ReadsRacksAndWhatJoinsThem) {
  const auto machine = load_machine(shipped("gb300-nvl72x8"));
  ASSERT_TRUE(machine) << machine.error().text();
  EXPECT_EQ(machine->racks, 8);
  EXPECT_EQ(machine->gpus_per_rack(), 72);
  ASSERT_TRUE(machine->scale_out);
  EXPECT_EQ(machine->scale_out->nic_bandwidth.bytes_per_second, 100e9);
  EXPECT_EQ(machine->scale_out->latency.ps, 5'000'000);
  EXPECT_EQ(machine->scale_out->leaf_down_links, 72);
  EXPECT_EQ(machine->scale_out->spines, 4);
  EXPECT_EQ(machine->scale_out->links_per_spine, 18);
}

struct Slip {
  const char* before;
  const char* after;
  const char* error;
};

void PrintTo(const Slip& /*slip*/, std::ostream* out) {
  *out << "slip";
}

class MachineSlip : public testing::TestWithParam<Slip> {};

TEST_P(MachineSlip, NamesFilePlaceKeyAndWhatWouldBeRight) {
  std::string text =
      "name = \"m\"\ntitle = \"t\"\n"
      "[gpu]\nname = \"g\"\n"
      "bf16 = { value = \"1 TFLOP/s\", source = \"s\", date = \"2026-01-01\" }\n"
      "fp8 = { value = \"2 TFLOP/s\", source = \"s\", date = \"2026-01-01\" }\n"
      "fp32 = { value = \"1 TFLOP/s\", source = \"s\", date = \"2026-01-01\" }\n"
      "memory = { value = \"1 GiB\", source = \"s\", date = \"2026-01-01\" }\n"
      "memory_bandwidth = { value = \"1 TB/s\", source = \"s\", date = \"2026-01-01\" }\n"
      "[size]\ngpus = { value = 8, source = \"s\", date = \"2026-01-01\" }\n"
      "gpus_per_tray = { value = 8, source = \"s\", date = \"2026-01-01\" }\n"
      "[fabric]\nplanes = { value = 4, source = \"s\", date = \"2026-01-01\" }\n"
      "links_per_plane = { value = 1, source = \"s\", date = \"2026-01-01\" }\n"
      "link_bandwidth = { value = \"50 GB/s\", source = \"s\", date = \"2026-01-01\" }\n"
      "link_latency = { value = \"0\", source = \"s\", date = \"2026-01-01\" }\n"
      "[roofline]\nmemory_efficiency = { value = 0.8, source = \"s\", date = \"2026-01-01\" }\n"
      "compute_efficiency = { value = 0.7, source = \"s\", date = \"2026-01-01\" }\n"
      "network_efficiency = { value = 1, source = \"s\", date = \"2026-01-01\" }\n"
      "kernel_floor = { value = \"3 us\", source = \"s\", date = \"2026-01-01\" }\n"
      "launch = { value = \"5 us\", source = \"s\", date = \"2026-01-01\" }\n"
      "transfer_start = { value = \"15 us\", source = \"s\", date = \"2026-01-01\" }\n";
  const std::string before = GetParam().before;
  const auto at = text.find(before);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, before.size(), GetParam().after);
  const auto machine = parse_machine(text, "m.toml");
  EXPECT_EQ(machine ? "no error" : machine.error().text(), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    All,
    MachineSlip,
    testing::Values(
        Slip{"title", "title", "no error"},
        Slip{"fp8 =", "fp9 =", "m.toml:6:1: gpu.fp9: unknown key `fp9`; did you mean `fp8`?"},
        Slip{"\"1 TB/s\"", "\"1\"",
             "m.toml:9:30: gpu.memory_bandwidth.value: `1` has no unit; write a bandwidth like "
             "\"900 GB/s\""},
        Slip{"\"1 TB/s\"", "8",
             "m.toml:9:30: gpu.memory_bandwidth.value: `8` has no unit; write a bandwidth like "
             "\"900 GB/s\""},
        Slip{"value = 8, source = \"s\", ", "value = 8, ",
             "m.toml:11:8: size.gpus.source: missing; a sentence that says where it is from"},
        Slip{"value = 8, source = \"s\", date = \"2026-01-01\"", "value = 8, source = \"s\"",
             "m.toml:11:8: size.gpus.date: missing; the day it was looked up, \"YYYY-MM-DD\""},
        Slip{"date = \"2026-01-01\"", "date = \"yesterday\"",
             "m.toml:5:52: gpu.bf16.date: `yesterday` is no date; write \"YYYY-MM-DD\""},
        Slip{"value = 8", "value = 0", "m.toml:11:18: size.gpus.value: is 0; must be at least 1"},
        Slip{"value = 0.8", "value = 1.5",
             "m.toml:19:31: roofline.memory_efficiency.value: is 1.5; must be above 0 and at most "
             "1"},
        Slip{"{ value = 4, source = \"s\", date = \"2026-01-01\" }", "4",
             "m.toml:14:10: fabric.planes: is an integer without a source; write { value = …, "
             "source = \"…\", date = \"YYYY-MM-DD\" }"},
        Slip{"\"50 GB/s\"", "\"0 GB/s\"",
             "m.toml:16:18: fabric.link_bandwidth: is 0; must be positive"},
        Slip{"[fabric]", "[size.x]",
             "m.toml:13:7: size.x: unknown key `x`; known: gpus, gpus_per_tray, racks"},
        Slip{"links_per_plane = { value = 1", "links_per_plane = { value = [5, 4, 4, 5]",
             "no error"},
        Slip{"links_per_plane = { value = 1", "links_per_plane = { value = [5, 4, 4]",
             "m.toml:15:29: fabric.links_per_plane.value: lists 3 counts; must be 4"},
        Slip{"links_per_plane = { value = 1", "links_per_plane = { value = [5, 4, 4, 0]",
             "m.toml:15:39: fabric.links_per_plane.value[3]: is 0; must be at least 1"},
        Slip{"gpus_per_tray = { value = 8",
             "racks = { value = 3, source = \"s\", date = "
             "\"2026-01-01\" }\ngpus_per_tray = { value = 2",
             "m.toml:12:9: size.racks: is 3; 8 GPUs do not spread evenly over them"},
        Slip{"gpus_per_tray = { value = 8",
             "racks = { value = 2, source = \"s\", date = "
             "\"2026-01-01\" }\ngpus_per_tray = { value = 2",
             "m.toml:10:1: size: has several racks that nothing joins; add a section [scale_out]"},
        Slip{"gpus_per_tray = { value = 8",
             "racks = { value = 2, source = \"s\", date = "
             "\"2026-01-01\" }\ngpus_per_tray = { value = 8",
             "m.toml:13:27: size.gpus_per_tray.value: is 8; must be at most 4"},
        Slip{"[roofline]", "[scale_out]\n[roofline]",
             "m.toml:18:1: scale_out.nic_bandwidth: missing; write nic_bandwidth = { value = …, "
             "source = \"…\", date = \"YYYY-MM-DD\" }"},
        Slip{"[size]\ngpus = { value = 8", "[size]\ngpus = { value = 16384", "no error"},
        Slip{"\"50 GB/s\"", "\"1e300 GB/s\"",
             "m.toml:16:18: fabric.link_bandwidth: must be at most 1000 PB/s"},
        Slip{"[roofline]", "[rooline]",
             "m.toml:18:2: rooline: unknown key `rooline`; did you mean `roofline`?"}));

TEST(Machine, SurvivesMutations) {
  const std::string valid = *read_text_file(shipped("gb300-nvl72"));
  Rng rng(4);
  int accepted = 0;
  for (int i = 0; i < 1500; ++i) {
    const auto machine = parse_machine(test::mutated(valid, rng), "m");
    if (machine) {
      ++accepted;
    } else {
      EXPECT_EQ(machine.error().text().find('\n'), std::string::npos);
    }
  }
  EXPECT_GT(accepted, 50);
}

}  // namespace
}  // namespace k3
