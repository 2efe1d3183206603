// The program as `cmake --install` leaves it, run from elsewhere, finds what it needs under its own
// prefix.

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>

#include <gtest/gtest.h>

#include "engine/text/json.h"
#include "tests/support/temp_dir.h"

namespace k3 {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Installed : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_.emplace();
    const std::string command = "'" K3_CMAKE "' --install '" K3_BUILD_DIR "' --prefix '" +
                                prefix().string() + "' > '" + (*folder_ / "log").string() + "'";
    ASSERT_EQ(std::system(command.c_str()), 0) << content(*folder_ / "log");
  }

  static void TearDownTestSuite() { folder_.reset(); }

  static fs::path prefix() { return *folder_ / "usr"; }

  /// What the program prints, with nothing of the user's own settings around.
  static std::string output(const std::string& words) {
    const std::string out = (*folder_ / "out").string();
    const std::string command = "cd / && env -i HOME='" + (*folder_ / "home").string() + "' '" +
                                (prefix() / K3_BIN / "k3rack").string() + "' " + words + " > '" +
                                out + "'";
    EXPECT_EQ(std::system(command.c_str()), 0) << words;
    return content(out);
  }

 private:
  static inline std::optional<test::TempDir> folder_;
};

TEST_F(Installed, SaysItsVersion) {
  EXPECT_TRUE(output("--version").starts_with("k3rack "));
}

TEST_F(Installed, ListsThePresetsOfItsOwnPrefix) {
  const auto presets = Json::parse(output("presets --json"), "presets");
  ASSERT_TRUE(presets) << presets.error().text();
  for (const char* kind : {"machines", "models", "scenarios"}) {
    const Json* list = presets->find(kind);
    ASSERT_NE(list, nullptr) << kind;
    EXPECT_FALSE(list->items().empty()) << kind;
    for (const Json& preset : list->items()) {
      if (preset.find("name")->string() == "local") continue;  // this computer has no file
      const std::string& path = preset.find("path")->string();
      EXPECT_TRUE(path.starts_with(prefix().string())) << path;
    }
  }
}

TEST_F(Installed, CountsTheShippedModel) {
  const auto model = Json::parse(output("model kimi-k3 --json"), "model");
  ASSERT_TRUE(model) << model.error().text();
  EXPECT_EQ(model->find("parameters")->find("active")->integer(), 104'189'614'848);
}

TEST_F(Installed, HasItsCompletionsAndManualPage) {
  const fs::path data = prefix() / K3_DATA;
  const std::string bash = content(data / "bash-completion/completions/k3rack");
  EXPECT_NE(bash.find("-F _k3rack k3rack"), std::string::npos);
  EXPECT_NE(bash.find("simulate"), std::string::npos);
  EXPECT_TRUE(content(data / "zsh/site-functions/_k3rack").starts_with("#compdef k3rack"));
  EXPECT_NE(content(prefix() / K3_MAN / "man1/k3rack.1").find(".TH K3RACK 1"), std::string::npos);
}

}  // namespace
}  // namespace k3
