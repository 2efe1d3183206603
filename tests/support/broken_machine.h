#pragma once

#include <initializer_list>
#include <utility>
#include <vector>

#include "engine/hardware/topology.h"

namespace k3::test {

/// The machine after faults that it has parts for.
inline Machine broken(Machine machine, std::initializer_list<const char*> faults) {
  std::vector<Fault> parsed;
  for (const char* text : faults)
    parsed.push_back(*parse_fault(text));
  return *with_faults(std::move(machine), parsed);
}

}  // namespace k3::test
