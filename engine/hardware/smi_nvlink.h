#pragma once

#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/hardware/discovered_topology.h"

namespace k3 {

/// Reads `nvidia-smi nvlink -s` (speed of every link, or inactive) or `nvidia-smi nvlink -R` (what
/// is at its other end). Neither says the bus id of a GPU, so only a remote device that every GPU
/// has, or whose port number no GPU has, is known to be a switch.
/// Errors: FILE:LINE:COLUMN; no GPU in it, a link before the first GPU, no speed
Result<DiscoveredTopology> read_smi_nvlink(std::string_view text, const std::string& where);

/// Whether the text is one of the two.
bool looks_like_smi_nvlink(std::string_view text);

}  // namespace k3
