#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/base/rng.h"
#include "tests/unit/profiler_export/exported.h"

namespace k3::exporter {
namespace {

/// Counts an export that failed; its error must be one line and not blame the program.
int failed(const store::SessionReader& session, const ExportRequest& request) {
  Progress progress;
  const auto summary = export_session(session, request, progress);
  if (summary) return 0;
  EXPECT_THAT(summary.error().text(), Not(testing::HasSubstr("\n")));
  EXPECT_NE(summary.error().code, Code::internal);
  return 1;
}

TEST(DamagedSession, IsExportedOrRefused) {
  const test::TempDir dir;
  ASSERT_TRUE(test::write_run(dir / "a.k3r", test::small_run(RunKind::simulated, 2),
                              test::Ending::finished));
  const std::string bytes = test::file_text(dir / "a.k3r");
  std::vector<std::size_t> used;  // most of the small file is zeros
  for (std::size_t i = 100; i < bytes.size(); ++i) {
    if (bytes[i] != 0) used.push_back(i);
  }
  Rng rng(5);
  int opened = 0;
  int failures = 0;
  for (int i = 0; i < 40; ++i) {
    std::string broken = bytes;
    for (std::size_t k = 0; k <= rng.next() % 3; ++k)
      broken[used[rng.next() % used.size()]] = static_cast<char>(rng.next());
    std::ofstream(dir / "broken.k3r", std::ios::binary) << broken;
    const auto session = store::SessionReader::open(dir / "broken.k3r");
    if (!session) continue;
    ++opened;
    for (const Format format : {Format::perfetto, Format::chrome, Format::csv}) {
      failures += failed(*session, {.format = format,
                                    .output = dir / (format == Format::csv ? "folder" : "file"),
                                    .overwrite = Overwrite::yes});
    }
  }
  EXPECT_GT(opened, 10);
  EXPECT_GT(failures, 10);
}

}  // namespace
}  // namespace k3::exporter
