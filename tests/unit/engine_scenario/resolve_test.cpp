#include <fstream>
#include <ostream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/scenario/scenario.h"
#include "tests/support/shared_data.h"
#include "tests/support/temp_dir.h"

namespace k3 {
namespace {

DataFolders source_folders() {
  return DataFolders({test::source_dir()});
}

Result<Setup> resolved(std::string_view toml, const std::vector<std::string>& overrides = {}) {
  K3_TRY(const Scenario scenario, scenario_from_text(toml, "s.toml", overrides));
  return resolve(scenario, source_folders());
}

std::string error_of(std::string_view toml, const std::vector<std::string>& overrides = {}) {
  const auto setup = resolved(toml, overrides);
  return setup ? "no error" : setup.error().text();
}

constexpr std::string_view kMini = "[model]\npreset = \"mini\"\n";

Setup mini(const std::vector<std::string>& overrides) {
  const auto setup = resolved(kMini, overrides);
  EXPECT_TRUE(setup) << setup.error().text();
  return *setup;
}

TEST(Resolve, GivesDefaultsForWhatIsNotWritten) {
  const auto setup = mini({});
  EXPECT_EQ(setup.parallel.ranks, 1);
  EXPECT_EQ(setup.workload.phase, Phase::decode);
  EXPECT_EQ(setup.workload.tokens_per_sequence, 1);
  EXPECT_EQ(setup.routing.source, RoutingSourceKind::uniform);
  EXPECT_EQ(setup.precision.mode, PrecisionMode::serving);
  EXPECT_EQ(setup.execution.combine_reduce, CombineReduce::rank);
  EXPECT_FALSE(setup.machine);
  EXPECT_FALSE(setup.checkpoint);
  EXPECT_EQ(setup.executor.backend, "auto");
}

TEST(Resolve, TakesOverridesOfAnyKey) {
  const auto setup = mini({"parallel.ranks=8", "workload.context=128 Ki",
                           "machine.preset=gb200-nvl72", "routing.source=zipf",
                           "routing.exponent=1", "dispatch.dedup=false", "title=two words"});
  EXPECT_EQ(setup.parallel.ranks, 8);
  EXPECT_EQ(setup.workload.context, 131072);
  EXPECT_EQ(setup.machine->name, "gb200-nvl72");
  EXPECT_EQ(setup.routing.exponent, 1.0);
  EXPECT_FALSE(setup.execution.dispatch_dedup);
  EXPECT_EQ(setup.title, "two words");
}

TEST(Resolve, LocalIsAMachineWithoutAFile) {
  const auto setup = mini({"machine.preset=local", "parallel.ranks=100"});
  ASSERT_TRUE(setup.machine);
  EXPECT_EQ(setup.machine->name, kLocalMachine);
  EXPECT_FALSE(setup.calibration);
  EXPECT_EQ(resolved(setup.resolved_toml)->resolved_toml, setup.resolved_toml);
  EXPECT_FALSE(resolved(kMini, {"machine.preset=local", "machine.calibration=absent.toml"}));
  const auto other =
      resolved(kMini, {"machine.preset=gb200-nvl72", "machine.calibration=absent.toml"});
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().text(), ::testing::HasSubstr("only preset = \"local\""));
}

TEST(Resolve, Float32ModeMeansEverywhere) {
  const auto setup = mini({"precision.mode=float32"});
  EXPECT_EQ(setup.precision.activations, NumberFormat::float32);
  EXPECT_EQ(setup.precision.dispatch, NumberFormat::float32);
  EXPECT_EQ(setup.precision.kv, NumberFormat::float32);
  EXPECT_EQ(setup.precision.expert_weights, NumberFormat::mxfp4);  // as stored, decoded exactly
  EXPECT_EQ(setup.execution.combine_reduce, CombineReduce::none);
}

TEST(Resolve, SingleKeysOverrideTheMode) {
  const auto setup = mini({"precision.mode=float32", "precision.kv=bf16", "combine.reduce=rank"});
  EXPECT_EQ(setup.precision.kv, NumberFormat::bf16);
  EXPECT_EQ(setup.precision.combine, NumberFormat::float32);
  EXPECT_EQ(setup.execution.combine_reduce, CombineReduce::rank);
  EXPECT_EQ(resolved(setup.resolved_toml)->resolved_toml, setup.resolved_toml);
}

TEST(Resolve, PrefillTakesTokensOfARankOrOfASequence) {
  const std::vector<std::string> prefill{"workload.phase=prefill", "workload.sequences_per_rank=4"};
  const auto with = [&](const std::string& more) {
    auto overrides = prefill;
    overrides.push_back(more);
    return overrides;
  };
  EXPECT_EQ(mini(with("workload.tokens_per_rank=8 Ki")).workload.tokens_per_sequence, 2048);
  EXPECT_EQ(mini(with("workload.tokens_per_sequence=100")).workload.tokens_per_sequence, 100);
  EXPECT_EQ(error_of(kMini, with("workload.tokens_per_rank=10")),
            "workload.tokens_per_rank: is 10; must be a multiple of sequences_per_rank = 4");
  EXPECT_EQ(error_of(kMini, prefill),
            "workload: has no size of the prompt; give tokens_per_sequence or tokens_per_rank");
}

TEST(Resolve, FindsPathsBesideTheFileThatNamesThem) {
  const test::TempDir folder;
  std::filesystem::copy(test::source_dir() / "data/model/mini.json", folder / "m.json");
  std::ofstream(folder / "s.toml") << "[model]\nconfig = \"m.json\"\n[routing]\nsource = \"file\"\n"
                                      "file = \"load.json\"\n";
  const auto scenario = load_scenario(folder / "s.toml");
  ASSERT_TRUE(scenario) << scenario.error().text();
  const auto absent = resolve(*scenario, source_folders());
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().code, Code::not_found);
  EXPECT_EQ(absent.error().text(),
            (folder / "s.toml").string() +
                ":5:8: routing.file: `load.json` does not exist; looked in " +
                folder.path().string() + ", " + test::source_dir().string());
  std::ofstream(folder / "load.json") << "{}";
  const auto setup = resolve(*scenario, source_folders());
  ASSERT_TRUE(setup) << setup.error().text();
  EXPECT_EQ(setup->model_source, folder / "m.json");
  EXPECT_EQ(setup->routing.path, folder / "load.json");
  EXPECT_EQ(setup->title, "s");
}

TEST(Resolve, FindsPathsInTheDataFolders) {
  const auto setup = resolved("[model]\nconfig = \"data/model/mini.json\"\n");
  ASSERT_TRUE(setup) << setup.error().text();
  EXPECT_EQ(setup->model.name, "kimi_k3");
  EXPECT_EQ(resolved(setup->resolved_toml)->resolved_toml, setup->resolved_toml);
}

TEST(Resolve, ReadsTheConfigOfACheckpoint) {
  const test::TempDir folder;
  std::filesystem::create_directories(folder / "ckpt");
  std::filesystem::copy(test::source_dir() / "data/model/mini.json", folder / "ckpt/config.json");
  const auto setup = resolved("", {"model.checkpoint=" + (folder / "ckpt").string()});
  ASSERT_TRUE(setup) << setup.error().text();
  EXPECT_EQ(setup->checkpoint, folder / "ckpt");
  EXPECT_EQ(setup->model_source, folder / "ckpt");
  EXPECT_EQ(setup->model.num_layers(), 93);
}

TEST(Resolve, PassesOnTheErrorOfAFileThatItReads) {
  const test::TempDir folder;
  std::ofstream(folder / "bad.toml") << "name = \"m\"\ntitel = \"t\"\n";
  const std::string path = (folder / "bad.toml").string();
  EXPECT_EQ(error_of(kMini, {"machine.file=" + path}),
            "machine.file: " + path + ":2:1: titel: unknown key `titel`; did you mean `title`?");
}

struct Slip {
  const char* name;
  const char* more;  ///< after kMini's two lines
  const char* error;
};

void PrintTo(const Slip& slip, std::ostream* out) {
  *out << slip.name;
}

TEST(Resolve, AddsFaultsToTheMachine) {
  const auto setup = resolved(
      "[model]\npreset = \"mini\"\n[machine]\npreset = \"gb300-nvl72\"\n"
      "faults = [\"gpu3:plane7 = 0.5\", \"tray2=gone\"]\n[parallel]\nranks = 68\n");
  ASSERT_TRUE(setup) << setup.error().text();
  ASSERT_EQ(setup->machine->faults.size(), 2u);
  EXPECT_EQ(setup->machine->faults[0].fraction, 0.5);
  EXPECT_EQ(setup->machine->faults[1].text, "tray2=gone");
  EXPECT_NE(setup->resolved_toml.find("\"gpu3:plane7=0.5\""), std::string::npos);
  const auto again = resolved(setup->resolved_toml);
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(again->machine->faults.size(), 2u);
  EXPECT_EQ(again->resolved_toml, setup->resolved_toml);
}

TEST(Resolve, TakesFaultsAsAnOverride) {
  const auto setup = mini({"machine.preset=hgx-h100", "machine.faults=[\"gpu1=gone\"]"});
  ASSERT_EQ(setup.machine->faults.size(), 1u);
  EXPECT_EQ(setup.machine->faults[0].text, "gpu1=gone");
}

class ScenarioSlip : public testing::TestWithParam<Slip> {};

TEST_P(ScenarioSlip, GivesOneLineWithPlaceAndKey) {
  EXPECT_EQ(error_of(std::string(kMini) + GetParam().more), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    All,
    ScenarioSlip,
    testing::Values(
        Slip{"zero", "[parallel]\nranks = 0\n",
             "s.toml:4:9: parallel.ranks: is 0; must be at least 1"},
        Slip{"negative", "[parallel]\nranks = -3\n",
             "s.toml:4:9: parallel.ranks: is -3; must be at least 1"},
        Slip{"type", "[parallel]\nranks = 2.5\n",
             "s.toml:4:9: parallel.ranks: is a number with a point; must be an integer"},
        Slip{"huge", "[parallel]\nranks = 100000\n",
             "s.toml:4:9: parallel.ranks: is 100000; must be at most 65536"},
        Slip{"machine", "[machine]\npreset = \"gb300-nvl72\"\n[parallel]\nranks = 73\n",
             "s.toml:6:9: parallel.ranks: is 73; gb300-nvl72 has 72 GPUs"},
        Slip{"unknown_key", "[parallel]\nrank = 2\n",
             "s.toml:4:1: parallel.rank: unknown key `rank`; did you mean `ranks`?"},
        Slip{"unknown_section", "[paralel]\nranks = 2\n",
             "s.toml:3:2: paralel: unknown key `paralel`; did you mean `parallel`?"},
        Slip{
            "unit", "[workload]\ncontext = \"128 Kb\"\n",
            "s.toml:4:11: workload.context: `128 Kb` has the unknown unit `Kb` (known: Ki, Mi, Gi, "
            "k, M, G); write a count like \"128 Ki\""},
        Slip{"no_table", "routing = 3\n",
             "s.toml:3:1: model.routing: unknown key `routing`; known: config, checkpoint, preset, "
             "weights_seed"},
        Slip{"section_no_table", "[workload]\n[workload.phase]\n",
             "s.toml:4:1: workload.phase: is a table of keys; must be a string"},
        Slip{"attention", "[parallel]\nattention = \"tp\"\n",
             "s.toml:4:13: parallel.attention: `tp` is not supported yet; supported: dp"},
        Slip{"expert", "[parallel]\nranks = 4\nexpert = 2\n",
             "s.toml:5:10: parallel.expert: is 2 and ranks is 4, which is not supported yet; must "
             "be "
             "equal"},
        Slip{"overlap", "[execution]\noverlap = \"two-batch\"\n",
             "s.toml:4:11: execution.overlap: `two-batch` is not supported yet; supported: none, "
             "shared-expert"},
        Slip{"network", "[simulation]\nnetwork = \"exakt\"\n",
             "s.toml:4:11: simulation.network: unknown value `exakt`; did you mean `exact`?"},
        Slip{"placement", "[placement]\npolicy = \"eplb\"\n",
             "s.toml:4:10: placement.policy: `eplb` is not supported yet; supported: contiguous, "
             "file"},
        Slip{"redundant", "[placement]\nredundant = 40\n",
             "s.toml:4:13: placement.redundant: is not supported yet; remove the key"},
        Slip{"faults_no_list", "[machine]\npreset = \"gb300-nvl72\"\nfaults = \"gpu9=gone\"\n",
             "s.toml:5:10: machine.faults: is a string; must be an array"},
        Slip{"faults_form", "[machine]\npreset = \"gb300-nvl72\"\nfaults = [\"gpu9=0\"]\n",
             "s.toml:5:11: machine.faults[0]: `gpu9=0` must be gpu9=gone"},
        Slip{"faults_part",
             "[machine]\npreset = \"gb300-nvl72\"\nfaults = [\"gpu9=gone\", \"plane18=0\"]\n",
             "s.toml:5:24: machine.faults[1]: `plane18=0`: gb300-nvl72 has plane0 to plane17"},
        Slip{"faults_ranks",
             "[machine]\npreset = \"gb300-nvl72\"\nfaults = [\"gpu9=gone\", \"plane1=0\", "
             "\"tray2=gone\"]\n[parallel]\nranks = 69\n",
             "s.toml:7:9: parallel.ranks: is 69; gb300-nvl72 has 68 GPUs left after gpu9=gone, "
             "tray2=gone"},
        Slip{"transport", "[executor]\ntransport = \"mpi\"\n",
             "s.toml:4:13: executor.transport: `mpi` is not supported yet; supported: threads"},
        Slip{"preset", "[machine]\npreset = \"gb300nvl72\"\n",
             "s.toml:4:10: machine.preset: there is no preset `gb300nvl72`; did you mean "
             "`gb300-nvl72`?"},
        Slip{"two_machines", "[machine]\npreset = \"gb300-nvl72\"\nfile = \"x\"\n",
             "s.toml:5:8: machine.file: contradicts machine.preset; give only one"},
        Slip{"no_machine", "[machine]\n",
             "s.toml:3:1: machine: names nothing; give preset | file = …"},
        Slip{"routing_file", "[routing]\nsource = \"file\"\n",
             "s.toml:4:10: routing.source: needs a file; give file = \"PATH\" beside it"},
        Slip{"sigma", "[routing]\nsigma = -1\n",
             "s.toml:4:9: routing.sigma: is -1; must be from 0 to 10"},
        Slip{"weights", "[precision]\nexpert_weights = \"bf16\"\n",
             "s.toml:4:18: precision.expert_weights: is bf16; the model's experts are stored as "
             "mxfp4"},
        Slip{"format", "[precision]\nkv = \"fp4\"\n",
             "s.toml:4:6: precision.kv: unknown value `fp4`; did you mean `fp8`?"},
        Slip{"decode_tokens", "[workload]\ntokens_per_sequence = 4\n",
             "s.toml:4:23: workload.tokens_per_sequence: is 4; a decode step computes 1 token per "
             "sequence"},
        Slip{"context", "[workload]\ncontext = \"2 Mi\"\n",
             "s.toml:4:11: workload.context: leads to 2097152 tokens per sequence; the model takes "
             "at most 1048576"},
        Slip{"many", "[workload]\nsequences_per_rank = \"3 G\"\n",
             "s.toml:4:22: workload.sequences_per_rank: is 3000000000; must be at most 2147483647"},
        Slip{"syntax_checkpoint_seed", "checkpoint = \"x\"\n",
             "s.toml:2:10: model.preset: contradicts model.checkpoint; give only one"}));

TEST(Resolve, NeedsAModel) {
  EXPECT_EQ(error_of("[parallel]\nranks = 2\n"),
            "s.toml:1:1: model: missing; give config | checkpoint | preset = …");
  EXPECT_EQ(error_of("[model]\npreset = \"minni\"\n"),
            "s.toml:2:10: model.preset: there is no preset `minni`; did you mean `mini`?");
}

TEST(Resolve, NamesOverridesByTheirKey) {
  EXPECT_EQ(error_of(kMini, {"parallel.rnks=2"}),
            "parallel.rnks: unknown key `rnks`; did you mean `ranks`?");
  EXPECT_EQ(error_of(kMini, {"parallel.ranks=two"}),
            "parallel.ranks: `two` has no number; write a "
            "count like \"128 Ki\"");
}

TEST(LoadScenario, GivesTheSystemsReason) {
  EXPECT_EQ(load_scenario("no/such.toml").error().text(),
            "no/such.toml: cannot read: No such file or directory");
}

}  // namespace
}  // namespace k3
