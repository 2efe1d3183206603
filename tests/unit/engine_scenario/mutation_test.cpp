#include <gtest/gtest.h>

#include "engine/scenario/scenario.h"
#include "engine/text/file.h"
#include "tests/support/mutate.h"
#include "tests/support/shared_data.h"

namespace k3 {
namespace {

TEST(ScenarioMutations, NeverCrashAndResolveAgainToTheSame) {
  const DataFolders folders({test::source_dir()});
  // The mini model keeps this quick; every section is written out to be hit.
  const auto full = resolve(*scenario_from_text("[model]\npreset = \"mini\"\n"
                                                "[machine]\npreset = \"gb300-nvl72\"\n",
                                                "s", {}),
                            folders);
  ASSERT_TRUE(full) << full.error().text();
  Rng rng(5);
  int accepted = 0;
  for (int i = 0; i < 800; ++i) {
    const auto scenario = scenario_from_text(test::mutated(full->resolved_toml, rng), "m");
    const auto setup =
        scenario ? resolve(*scenario, folders) : tl::make_unexpected(scenario.error());
    if (!setup) {
      EXPECT_EQ(setup.error().text().find('\n'), std::string::npos);
      continue;
    }
    ++accepted;
    const auto again = resolve(*scenario_from_text(setup->resolved_toml, "m"), folders);
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_EQ(again->resolved_toml, setup->resolved_toml);
  }
  EXPECT_GT(accepted, 10);
}

}  // namespace
}  // namespace k3
