#include "sim/calibration/calibration.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/calibration/local_machine.h"

namespace k3::sim {
namespace {

using ::testing::HasSubstr;

Table table(std::string name, std::vector<TableAxis> axes, std::vector<double> values) {
  return {.name = std::move(name),
          .about = "what is \"measured\"",
          .unit = "us",
          .source = "this test",
          .date = "2026-11-30",
          .spread = 0.125,
          .axes = std::move(axes),
          .values = std::move(values)};
}

Calibration two_cores() {
  Calibration calibration{
      .machine = "local",
      .backend = "reference",
      .source = "this test",
      .date = "2026-11-30",
      .host = {.cpu = "A CPU", .cores = 2, .memory = {8'000'000'000}, .cache = {32 << 20}},
      .set = {},
      .step_factor = {}};
  std::vector<Table>& tables = calibration.set.tables;
  // 2 · 4 · 8 · 16 = 1024 FLOPs in 0.5 us: 2.048 GFLOP/s; half of it with one token.
  tables.push_back(table("product", {{"tokens", {1, 4}}, {"in", {8}}, {"out", {16}}}, {0.25, 0.5}));
  tables.push_back(table("read_bandwidth", {{"cores", {1, 2}}}, {10, 16}));
  tables.push_back(table("copy_bandwidth", {{"cores", {1, 2}}}, {4, 6}));
  tables.push_back(table("task", {}, {0.075}));
  return calibration;
}

TEST(Calibration, TextReadsBackToTheSameValues) {
  const Calibration written = two_cores();
  const auto read = parse_calibration(calibration_toml(written), "t.toml");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->machine, "local");
  EXPECT_EQ(read->backend, "reference");
  EXPECT_EQ(read->date, "2026-11-30");
  EXPECT_EQ(read->host.cpu, "A CPU");
  EXPECT_EQ(read->host.cores, 2);
  EXPECT_EQ(read->host.memory, written.host.memory);
  EXPECT_EQ(read->host.cache, written.host.cache);
  ASSERT_EQ(read->set.tables.size(), written.set.tables.size());
  for (std::size_t i = 0; i < read->set.tables.size(); ++i) {
    const Table& a = written.set.tables[i];
    const Table& b = read->set.tables[i];
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.about, b.about);
    EXPECT_EQ(a.unit, b.unit);
    EXPECT_EQ(a.source, b.source);
    EXPECT_EQ(a.date, b.date);
    EXPECT_EQ(a.spread, b.spread);
    EXPECT_EQ(a.values, b.values);
    ASSERT_EQ(a.axes.size(), b.axes.size());
    for (std::size_t k = 0; k < a.axes.size(); ++k) {
      EXPECT_EQ(a.axes[k].name, b.axes[k].name);
      EXPECT_EQ(a.axes[k].points, b.axes[k].points);
    }
  }
  EXPECT_EQ(calibration_toml(*read), calibration_toml(written));
}

Calibration with_factor() {
  Calibration calibration = two_cores();
  calibration.step_factor = StepFactor{.value = 1.125,
                                       .least = 0.875,
                                       .most = 1.5,
                                       .points = 4,
                                       .source = "this test",
                                       .date = "2026-12-01",
                                       .scenarios = {"0123456789abcdef", "fedcba9876543210"}};
  return calibration;
}

TEST(Calibration, TheStepFactorReadsBackAndIsOneWithout) {
  const auto without = parse_calibration(calibration_toml(two_cores()), "t.toml");
  ASSERT_TRUE(without) << without.error().text();
  EXPECT_FALSE(without->step_factor);
  EXPECT_EQ(without->factor(), 1);
  const Calibration written = with_factor();
  const auto read = parse_calibration(calibration_toml(written), "t.toml");
  ASSERT_TRUE(read) << read.error().text();
  ASSERT_TRUE(read->step_factor);
  EXPECT_EQ(read->factor(), 1.125);
  EXPECT_EQ(read->step_factor->least, 0.875);
  EXPECT_EQ(read->step_factor->most, 1.5);
  EXPECT_EQ(read->step_factor->points, 4);
  EXPECT_EQ(read->step_factor->source, "this test");
  EXPECT_EQ(read->step_factor->date, "2026-12-01");
  EXPECT_EQ(read->step_factor->scenarios, written.step_factor->scenarios);
  EXPECT_EQ(calibration_toml(*read), calibration_toml(written));
}

/// The error of the text of a calibration with one part replaced.
std::string error_with(const std::string& from, const std::string& to) {
  std::string text = calibration_toml(with_factor());
  const std::size_t at = text.find(from);
  if (at == std::string::npos) return "no such text: " + from;
  text.replace(at, from.size(), to);
  const auto read = parse_calibration(text, "t.toml");
  return read ? "no error" : read.error().text();
}

TEST(Calibration, BadInputSaysWhereAndWhatWouldBeRight) {
  EXPECT_THAT(error_with("cores = 2", "cores = 0"), HasSubstr("host.cores: is 0"));
  EXPECT_THAT(error_with("memory = \"", "memory = \"x"), HasSubstr("host.memory"));
  EXPECT_THAT(error_with("backend", "backed"), HasSubstr("backed"));
  EXPECT_THAT(error_with("unit = \"us\"", "unit = \"ns\""), HasSubstr("unit"));
  EXPECT_THAT(error_with("[10.0, 16.0]", "[10.0]"), HasSubstr("1 values; the axes make 2 points"));
  EXPECT_THAT(error_with("[10.0, 16.0]", "[10.0, -1.0]"), HasSubstr("is -1; must lie between"));
  EXPECT_THAT(error_with("[10.0, 16.0]", "[10.0, nan]"), HasSubstr("t.toml:"));
  EXPECT_THAT(error_with("[10.0, 16.0]", "[10.0, 1e300]"), HasSubstr("is 1e+300; must lie"));
  EXPECT_THAT(error_with("[1.0, 4.0]", "[4.0, 1.0]"), HasSubstr("points ascend"));
  EXPECT_THAT(error_with("[\"cores\"]", "[]"), HasSubstr("2 values; the axes make 1 points"));
  EXPECT_THAT(error_with("[\"cores\"]", "[\"cores\", \"b\"]"), HasSubstr("1 lists for 2 axes"));
  EXPECT_THAT(error_with("spread = 0.125", "spread = -1"), HasSubstr("is negative"));
  EXPECT_THAT(error_with("date", "dates"), HasSubstr("t.toml:"));
  EXPECT_THAT(error_with("value = 1.125", "value = 0"), HasSubstr("step_factor.value: is 0; must"));
  EXPECT_THAT(error_with("value = 1.125", "value = 1.75"),
              HasSubstr("1.75 does not lie between least = 0.875 and most = 1.5"));
  EXPECT_THAT(error_with("value = 1.125\n", ""), HasSubstr("step_factor.value: missing"));
  EXPECT_THAT(error_with("points = 4", "points = 0"), HasSubstr("step_factor.points: is 0"));
  EXPECT_FALSE(parse_calibration("", "t.toml"));
  EXPECT_FALSE(parse_calibration("machine = [", "t.toml"));
  EXPECT_FALSE(load_calibration("no/such/file.toml"));
}

TEST(LocalMachine, SharesCoresAndBandwidthBetweenRanks) {
  const auto machine = local_machine(two_cores(), 4);
  ASSERT_TRUE(machine) << machine.error().text();
  EXPECT_EQ(machine->name, "local");
  EXPECT_EQ(machine->num_gpus, 4);
  // Two cores for four ranks: half of a core each.
  EXPECT_DOUBLE_EQ(machine->gpu.bf16.per_second, 2.048e9 / 2);
  EXPECT_DOUBLE_EQ(machine->gpu.memory_bandwidth.bytes_per_second, 16e9 / 4);
  EXPECT_DOUBLE_EQ(machine->gpu_bandwidth().bytes_per_second, 6e9 / 4);
  EXPECT_EQ(machine->gpu.memory.count, 2'000'000'000);
  EXPECT_EQ(machine->sources.size(), 3u);
}

TEST(LocalMachine, RefusesWhatIsNoCalibrationOfAHost) {
  Calibration other = two_cores();
  other.machine = "gb300-nvl72";
  EXPECT_THAT(local_machine(other, 1).error().text(),
              HasSubstr("must be a calibration of `local`"));
  Calibration empty = two_cores();
  empty.set.tables.clear();
  EXPECT_THAT(local_machine(empty, 1).error().text(), HasSubstr("table.product"));
  Calibration flat = two_cores();
  flat.set.tables[0] = table("product", {}, {1});
  EXPECT_FALSE(local_machine(flat, 1));
}

}  // namespace
}  // namespace k3::sim
