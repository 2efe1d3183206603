#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/base/rng.h"
#include "profiler/query/comparison.h"
#include "profiler/query/conservation.h"
#include "profiler/query/costs.h"
#include "profiler/query/expert_load.h"
#include "profiler/query/lanes.h"
#include "profiler/query/recorded_routing.h"
#include "profiler/query/session_summary.h"
#include "profiler/query/sql.h"
#include "profiler/query/traffic.h"
#include "tests/unit/profiler_query/small_run.h"

namespace k3::query {
namespace {

/// Counts a result; an error must be one line and not blame the program.
template <class T>
int failed(const Result<T>& result) {
  if (result) return 0;
  EXPECT_THAT(result.error().text(), Not(testing::HasSubstr("\n")));
  EXPECT_NE(result.error().code, Code::internal);
  return 1;
}

int failures_of_all_queries(const store::SessionReader& session) {
  TrafficFilter one_step;
  one_step.step = 1;
  return failed(summarize(session)) + failed(layer_costs(session)) +
         failed(step_breakdown(session)) + failed(rank_times(session)) +
         failed(traffic_matrix(session, {})) + failed(traffic_matrix(session, one_step)) +
         failed(transfer_times(session, {})) + failed(expert_loads(session)) +
         failed(read_routing(session)) + failed(conservation(session)) +
         failed(load_lanes(session)) + failed(compare(session, session)) +
         failed(run_sql(session, "SELECT * FROM v_layer_cost"));
}

TEST(DamagedFile, MakesQueriesFailOrAnswer) {
  const test::TempDir dir;
  ASSERT_TRUE(test::write_run(dir / "a.k3r", test::small_run(RunKind::measured, 2),
                              test::Ending::finished));
  std::ifstream file(dir / "a.k3r", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::size_t> used;  // most of the small file is zeros
  for (std::size_t i = 100; i < bytes.size(); ++i) {
    if (bytes[i] != 0) used.push_back(i);
  }
  Rng rng(21);
  int opened = 0;
  int failures = 0;
  for (int i = 0; i < 300; ++i) {
    std::string broken = bytes;
    for (std::size_t k = 0; k <= rng.next() % 3; ++k) {
      broken[used[rng.next() % used.size()]] = static_cast<char>(rng.next());
    }
    std::ofstream(dir / "broken.k3r", std::ios::binary) << broken;
    const auto session = store::SessionReader::open(dir / "broken.k3r");
    if (failed(session) == 1) continue;
    ++opened;
    failures += failures_of_all_queries(*session);
  }
  EXPECT_GT(opened, 50);
  EXPECT_GT(failures, 50);
}

}  // namespace
}  // namespace k3::query
