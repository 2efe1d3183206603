#include <gtest/gtest.h>

#include "engine/scenario/scenario.h"
#include "engine/text/file.h"
#include "tests/support/shared_data.h"

namespace k3 {
namespace {

DataFolders source_folders() {
  return DataFolders({test::source_dir()});
}

Setup shipped(const std::string& name) {
  const auto path = source_folders().preset(PresetKind::scenario, name);
  EXPECT_TRUE(path) << name;
  const auto scenario = load_scenario(*path);
  EXPECT_TRUE(scenario) << scenario.error().text();
  auto setup = resolve(*scenario, source_folders());
  EXPECT_TRUE(setup) << setup.error().text();
  return *setup;
}

TEST(ShippedScenarios, AllResolveAndSayWhatTheyShow) {
  const auto names = source_folders().presets(PresetKind::scenario);
  EXPECT_GE(names.size(), 7u);
  for (const std::string& name : names) {
    const auto setup = shipped(name);
    EXPECT_FALSE(setup.title.empty()) << name;
    const auto text = read_text_file(*source_folders().preset(PresetKind::scenario, name));
    EXPECT_TRUE(text->starts_with("# ")) << name;
  }
}

TEST(ShippedScenarios, ResolvedTextGivesTheSameSetup) {
  for (const std::string& name : source_folders().presets(PresetKind::scenario)) {
    const auto setup = shipped(name);
    const auto again = scenario_from_text(setup.resolved_toml, "resolved");
    ASSERT_TRUE(again) << again.error().text();
    const auto same = resolve(*again, source_folders());
    ASSERT_TRUE(same) << same.error().text();
    EXPECT_EQ(same->resolved_toml, setup.resolved_toml);
    EXPECT_EQ(same->model_source, setup.model_source);
    EXPECT_EQ(same->workload.context, setup.workload.context);
    EXPECT_EQ(same->workload.tokens_per_sequence, setup.workload.tokens_per_sequence);
    EXPECT_EQ(same->execution.combine_reduce, setup.execution.combine_reduce);
    EXPECT_EQ(same->machine.has_value(), setup.machine.has_value());
  }
}

TEST(ShippedScenarios, DecodeOfTheWholeRack) {
  const auto setup = shipped("nvl72/k3-decode-72");
  EXPECT_EQ(setup.parallel.ranks, 72);
  EXPECT_EQ(setup.model.moe.experts, 896);
  EXPECT_EQ(setup.model.name, "kimi-k3");
  EXPECT_EQ(setup.workload.phase, Phase::decode);
  EXPECT_EQ(setup.workload.context, 131072);
  EXPECT_EQ(setup.workload.steps, 3);
  EXPECT_EQ(setup.machine->name, "gb300-nvl72");
  EXPECT_EQ(setup.precision.dispatch, NumberFormat::mxfp8);
  EXPECT_EQ(setup.execution.overlap, Overlap::shared_expert);
}

TEST(ShippedScenarios, PrefillSplitsARanksTokensOverItsSequences) {
  const auto setup = shipped("smoke/mini-prefill");
  EXPECT_EQ(setup.workload.phase, Phase::prefill);
  EXPECT_EQ(setup.workload.sequences_per_rank, 2);
  EXPECT_EQ(setup.workload.tokens_per_sequence, 8);
}

}  // namespace
}  // namespace k3
