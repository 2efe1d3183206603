#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/text/json.h"
#include "tests/support/program.h"
#include "tests/support/temp_dir.h"

namespace k3::test {

/// Tests that run the built program in a folder of their own.
class ProgramTest : public ::testing::Test {
 protected:
  ProgramResult run(const std::vector<std::string>& words) const {
    return run_k3rack(words, dir.path());
  }

  /// The document that the command prints with --json.
  Json json_of(std::vector<std::string> words) const {
    words.emplace_back("--json");
    const ProgramResult result = run(words);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const Result<Json> json = Json::parse(result.out, words[0]);
    EXPECT_TRUE(json) << result.out;
    return json ? *json : Json::object();
  }

  /// The one line that a wrong request gets.
  std::string error_of(const std::vector<std::string>& words) const {
    const ProgramResult result = run(words);
    EXPECT_EQ(result.exit_code, 1) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err_lines().size(), 1U) << result.err;
    EXPECT_THAT(result.err, ::testing::StartsWith("k3rack: error: "));
    return result.err;
  }

  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((dir / name).parent_path());
    std::ofstream(dir / name, std::ios::binary) << text;
  }

  std::string read(const std::filesystem::path& name) const {
    std::ifstream file(dir.path() / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  TempDir dir;
};

}  // namespace k3::test
