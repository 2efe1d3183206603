#pragma once

#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/hardware/discovered_topology.h"

namespace k3 {

/// Reads the matrix of `nvidia-smi topo -m`: text as it comes out of terminals, logs and pages,
/// with colours, a wrapped header, lines around it, rows in any order, tabs or blanks. What leads
/// through switches is told from counts: a GPU has no more than 18 links, so more over all pairs
/// means that every pair shares the same ones. Errors: FILE:LINE:COLUMN; no header, a row without
/// enough cells, an unknown cell, two matrices
Result<DiscoveredTopology> read_smi_topology(std::string_view text, const std::string& where);

/// Whether the text holds such a matrix.
bool looks_like_smi_topology(std::string_view text);

}  // namespace k3
