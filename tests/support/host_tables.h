#pragma once

#include <string_view>
#include <utility>

#include "sim/compute/host_costs.h"
#include "sim/compute/table.h"

namespace k3::test {

/// Every operator takes 1 us at 1 on all axes and grows in proportion to each; the host's tables
/// are written below.
inline sim::TableSet unit_tables() {
  sim::TableSet set;
  const auto add = [&](std::string_view name, int axes, double value) -> sim::Table& {
    sim::Table table;
    table.name = name;
    table.unit = "us";
    for (int i = 0; i < axes; ++i)
      table.axes.push_back({"x", {1}});
    table.values = {value};
    set.tables.push_back(std::move(table));
    return set.tables.back();
  };
  for (std::size_t i = 0; i < sim::kNumOperators; ++i)
    add(sim::kOperatorNames[i], sim::kOperatorAxes[i], 1);
  for (const sim::HostTable& table : sim::kHostTables)
    add(table.name, table.axes, 1);
  return set;
}

}  // namespace k3::test
