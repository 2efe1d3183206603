// Damaged topologies give a value or an Error, never a crash or a hang.

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "engine/base/rng.h"
#include "engine/hardware/topology_dump.h"
#include "engine/text/file.h"
#include "tests/support/mutate.h"
#include "tests/support/shared_data.h"

namespace k3 {
namespace {

TEST(TopologyMutation, DamagedFilesAreReadOrRefused) {
  Rng rng(7);
  int num_read = 0;
  int num_refused = 0;
  const auto corpus = test::source_dir() / "tests/fuzz/corpus/topology_dump";
  for (const auto& entry : std::filesystem::directory_iterator(corpus)) {
    SCOPED_TRACE(entry.path().string());
    const auto text = read_text_file(entry.path());
    ASSERT_TRUE(text);
    ASSERT_TRUE(parse_topology_dump(*text, "t"));
    for (int i = 0; i < 300; ++i) {
      const auto topology = parse_topology_dump(test::mutated(*text, rng), "t");
      ++(topology ? num_read : num_refused);
      const std::string error = topology ? "" : topology.error().text();
      EXPECT_EQ(error.find('\n'), std::string::npos) << error;
    }
  }
  EXPECT_GT(num_read, 100);
  EXPECT_GT(num_refused, 100);
}

}  // namespace
}  // namespace k3
