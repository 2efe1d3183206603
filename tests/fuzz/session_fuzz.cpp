// Whatever bytes stand in a session file: an Error, or a run that can be read in full.

#include <cstdint>
#include <filesystem>
#include <fstream>

#include "profiler/query/lanes.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/profiler_store/sample_run.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const k3::test::TempDir folder;  // fresh: opening may leave journal files beside the session
  const std::filesystem::path path = folder / "run.k3r";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  static_cast<void>(k3::test::read_run(path));
  if (const auto session = k3::store::SessionReader::open(path))
    static_cast<void>(k3::query::load_lanes(*session));
  return 0;
}
