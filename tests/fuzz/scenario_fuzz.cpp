// Whatever text a scenario holds: a Setup whose resolved text gives the same setup, or an Error.

#include <cstdint>
#include <string_view>

#include "engine/base/check.h"
#include "engine/scenario/scenario.h"
#include "tests/support/shared_data.h"

namespace {

k3::Result<k3::Setup> resolve_text(std::string_view text) {
  static const k3::DataFolders kShipped({k3::test::source_dir()});
  K3_TRY(const k3::Scenario scenario, k3::scenario_from_text(text, "scenario.toml"));
  return k3::resolve(scenario, kShipped);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto setup = resolve_text({reinterpret_cast<const char*>(data), size});
  if (!setup) return 0;
  const auto again = resolve_text(setup->resolved_toml);
  K3_CHECK(again && again->resolved_toml == setup->resolved_toml);
  return 0;
}
