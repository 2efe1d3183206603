#pragma once

#include "engine/base/result.h"
#include "engine/hardware/discovered_topology.h"
#include "engine/text/xml.h"

namespace k3 {

/// Reads `nvidia-smi -q -x`: GPUs, their place in the rack, and the state of the NVLink fabric as
/// every GPU sees it. A fault can show in the health alone while state and status look well. Links
/// are not counted in such a file.
/// Errors: FILE:LINE:COLUMN; no GPU in it
Result<DiscoveredTopology> read_smi_query(const XmlDocument& document);

}  // namespace k3
