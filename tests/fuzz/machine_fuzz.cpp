// Whatever text a machine file holds: a Machine or an Error.

#include <cstdint>
#include <string_view>

#include "engine/base/check.h"
#include "engine/hardware/machine.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto machine = k3::parse_machine(text, "machine.toml");
  if (machine) K3_CHECK(machine->num_gpus > 0 && !machine->sources.empty());
  return 0;
}
