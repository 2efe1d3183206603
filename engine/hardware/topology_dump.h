#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/hardware/discovered_topology.h"

namespace k3 {

/// Reads a topology that NCCL, nvidia-smi or hwloc wrote; the kind is told by the content.
/// Errors: FILE:LINE:COLUMN; a kind of output that says nothing about links (and what to give
/// instead), or no output of these tools at all
Result<DiscoveredTopology> parse_topology_dump(std::string_view text, const std::string& where);

/// The same from a file.
Result<DiscoveredTopology> load_topology_dump(const std::filesystem::path& path);

/// Whether the text is of a kind that parse_topology_dump reads.
bool is_topology_dump(std::string_view text);

}  // namespace k3
