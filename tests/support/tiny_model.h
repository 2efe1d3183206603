#pragma once

#include "engine/model/model_config.h"

namespace k3::test {

/// A four-layer K3 (KDA, KDA, MLA, MLA; layer 0 dense, 8 experts top-2) for tests of structure.
ModelConfig tiny_model();

}  // namespace k3::test
