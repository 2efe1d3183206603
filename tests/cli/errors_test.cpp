#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/program_test.h"
#include "tests/support/shared_data.h"

namespace k3 {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

/// Every wrong input ends with exit code 1 and one line on stderr that names place and remedy.
class Errors : public test::ProgramTest {
 protected:
  /// A copy of the smallest golden checkpoint that a test may damage.
  void copy_checkpoint(const fs::path& shared) {
    fs::create_directories(dir / "ck");
    for (const char* name : {"config.json", "model.safetensors"}) {
      fs::copy_file(shared / "golden/a_tiny" / name, dir.path() / "ck" / name);
    }
    fs::permissions(dir.path() / "ck" / "model.safetensors", fs::perms::owner_all);
    write("p.txt", "1 2 3\n");
  }

  std::vector<std::string> run_checkpoint() {
    return {"run",         "--checkpoint", "ck", "--prompt-ids", "p.txt",
            "--precision", "float32",      "-o", "s.k3r"};
  }
};

constexpr const char* kScenario =
    "[model]\npreset = \"mini\"\n[machine]\npreset = \"gb300-nvl72\"\n"
    "[parallel]\nranks = 2\n[workload]\nphase = \"decode\"\ncontext = 4\n";

TEST_F(Errors, UnknownSubcommandAndOptionNameTheNearest) {
  EXPECT_THAT(error_of({"simulat"}), HasSubstr("did you mean `simulate`?"));
  EXPECT_THAT(error_of({"simulate", "x.toml", "--jsn"}), HasSubstr("did you mean `--json`?"));
}

TEST_F(Errors, WrongScenarioKeyNamesPlaceAndNearestKey) {
  write("s.toml", std::string(kScenario) + "contxt = 4\n");
  const std::string error = error_of({"simulate", "s.toml"});
  EXPECT_THAT(error, HasSubstr("s.toml:10:1"));
  EXPECT_THAT(error, HasSubstr("did you mean `context`?"));
}

TEST_F(Errors, MissingFileIsNamed) {
  EXPECT_THAT(error_of({"simulate", "no.toml"}), HasSubstr("no.toml"));
  EXPECT_THAT(error_of({"inspect", "no.k3r"}), HasSubstr("no.k3r"));
  EXPECT_THAT(error_of({"compare", "no.k3r", "no2.k3r"}), HasSubstr("no.k3r"));
  EXPECT_THAT(error_of({"model", "no.json"}), HasSubstr("no.json"));
}

TEST_F(Errors, ZeroRanks) {
  write("s.toml", kScenario);
  EXPECT_THAT(error_of({"simulate", "s.toml", "--set", "parallel.ranks=0"}),
              HasSubstr("parallel.ranks"));
  EXPECT_THAT(error_of({"run", "s.toml", "--ranks", "0", "-o", "s.k3r"}),
              HasSubstr("parallel.ranks"));
}

TEST_F(Errors, OverridesAreNamedByTheirOption) {
  write("s.toml", kScenario);
  const auto error = [&](const std::vector<std::string>& words) {
    std::vector<std::string> all{"simulate", "s.toml"};
    all.insert(all.end(), words.begin(), words.end());
    return error_of(all);
  };
  EXPECT_THAT(error({"--set", "routing.sigma=abc"}),
              HasSubstr("error: --set routing.sigma: is a s"));
  EXPECT_THAT(error({"--set", " routing.sigma = -1"}),
              HasSubstr("error: --set routing.sigma: is -1"));
  EXPECT_THAT(error({"--set", "routing.sigm=1"}), HasSubstr("error: --set routing.sigm: unknown"));
  EXPECT_THAT(error({"--set", "machine.faults=[\"gpu3=gone\", \"gpu99=gone\"]"}),
              HasSubstr("error: --set machine.faults[1]: `gpu99=gone`"));
  EXPECT_THAT(error({"--set", "machine.file=no.toml"}), HasSubstr("error: --set machine.file: "));
  EXPECT_THAT(error({"--set", "routing"}), HasSubstr("error: --set routing: no value; write"));
  EXPECT_THAT(error({"--set", "model=3"}), HasSubstr("error: --set model: is an integer"));
  EXPECT_THAT(error_of({"run", "s.toml", "--ranks", "0", "-o", "s.k3r"}),
              HasSubstr("error: --ranks (parallel.ranks): is 0"));
  EXPECT_THAT(
      error({"--set", "workload.phase=prefill", "--set", "workload.tokens_per_rank=\"2 Mi\""}),
      HasSubstr("error: --set workload.tokens_per_rank: leads to 2097156 tokens"));
  // What the file says keeps its place.
  write("s.toml", std::string(kScenario) + "steps = 0\n");
  EXPECT_THAT(error({"--set", "workload.context=5"}), HasSubstr("error: s.toml:10:"));
}

TEST_F(Errors, UnitMissing) {
  write("m.toml", read(test::source_dir() / "data/hardware/gb300-nvl72.toml"));
  std::string text = read(dir / "m.toml");
  const std::size_t unit = text.find("\"8 TB/s\"");
  ASSERT_NE(unit, std::string::npos);
  text.replace(unit, 8, "\"8\"");
  write("m.toml", text);
  write("s.toml", "[model]\npreset = \"mini\"\n[machine]\nfile = \"m.toml\"\n");
  const std::string error = error_of({"simulate", "s.toml"});
  EXPECT_THAT(error, HasSubstr("m.toml:"));
  EXPECT_THAT(error, HasSubstr("has no unit; write a bandwidth like \"900 GB/s\""));
}

TEST_F(Errors, OutputFolderThatCannotBeWritten) {
  write("s.toml", kScenario);
  EXPECT_THAT(error_of({"simulate", "s.toml", "-o", "no/s.k3r"}), HasSubstr("no: folder"));
  write("file", "x");
  EXPECT_THAT(error_of({"simulate", "s.toml", "-o", "file/s.k3r"}), HasSubstr("file"));
  EXPECT_THAT(error_of({"simulate", "s.toml", "-o", "file"}), HasSubstr("--force"));
}

TEST_F(Errors, AModelLargerThanThisComputerIsRefusedBeforeItStarts) {
  const std::string error =
      error_of({"run", "nvl72/k3-decode-72", "--precision", "float32", "--set",
                "execution.overlap=none", "--set", "workload.context=1", "-o", "s.k3r"});
  EXPECT_THAT(error, HasSubstr("GiB"));
  EXPECT_THAT(error, HasSubstr("mini"));
}

TEST_F(Errors, TruncatedSafetensors) {
  K3_SHARED_OR_SKIP(shared);
  copy_checkpoint(shared);
  fs::resize_file(dir.path() / "ck" / "model.safetensors", 100000);
  EXPECT_THAT(error_of(run_checkpoint()), HasSubstr("model.safetensors"));
  fs::resize_file(dir.path() / "ck" / "model.safetensors", 4);
  EXPECT_THAT(error_of(run_checkpoint()), HasSubstr("model.safetensors"));
}

TEST_F(Errors, WrongDtype) {
  K3_SHARED_OR_SKIP(shared);
  copy_checkpoint(shared);
  // NOTE: same size, other type: BF16 [64] of the final norm becomes I16-like U8 [128].
  std::string text = read(dir / "ck/model.safetensors");
  const std::string name =
      "\"language_model.model.norm.weight\":{\"dtype\":\"BF16\",\"shape\":[64]";
  const std::size_t at = text.find(name);
  ASSERT_NE(at, std::string::npos);
  std::string other = "\"language_model.model.norm.weight\":{\"dtype\":\"U8\",\"shape\":[128]";
  other.resize(name.size(), ' ');
  text.replace(at, name.size(), other);
  write("ck/model.safetensors", text);
  EXPECT_THAT(error_of(run_checkpoint()), HasSubstr("language_model.model.norm.weight"));
}

TEST_F(Errors, WrongTokenIds) {
  K3_SHARED_OR_SKIP(shared);
  copy_checkpoint(shared);
  write("p.txt", "1 2\n\n3\n");
  EXPECT_THAT(error_of(run_checkpoint()), HasSubstr("p.txt:2"));
  write("p.txt", "1 257\n");
  EXPECT_THAT(error_of(run_checkpoint()), HasSubstr("p.txt:1:3"));
}

TEST_F(Errors, FilesThatAreNoSessions) {
  write("text.k3r", "hello");
  write("empty.k3r", "");
  EXPECT_THAT(error_of({"inspect", "text.k3r"}), HasSubstr("text.k3r"));
  EXPECT_THAT(error_of({"inspect", "empty.k3r"}), HasSubstr("empty.k3r"));
  EXPECT_THAT(error_of({"inspect", "."}), HasSubstr("folder"));
}

}  // namespace
}  // namespace k3
