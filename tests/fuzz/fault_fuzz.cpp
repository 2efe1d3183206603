// Whatever text a fault is: one that reads the same when written, or an Error in one line; and what
// a machine has of it makes a topology.

#include <cstdint>
#include <string_view>

#include "engine/base/check.h"
#include "engine/hardware/topology.h"
#include "tests/support/tiny_machine.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto fault = k3::parse_fault(text);
  if (!fault) {
    K3_CHECK(fault.error().text().find('\n') == std::string::npos);
    return 0;
  }
  const auto again = k3::parse_fault(fault->text);
  K3_CHECK(again && again->fraction == fault->fraction && again->index == fault->index);
  const auto machine = k3::with_faults(k3::test::tiny_machine(4), std::span(&*fault, 1));
  if (machine) K3_CHECK(k3::build_topology(*machine).num_gpus == 4);
  return 0;
}
