#pragma once

#include <memory>

#include "engine/base/result.h"
#include "engine/routing/placement.h"
#include "engine/routing/routing.h"
#include "engine/scenario/setup.h"
#include "engine/weights/weight_store.h"

namespace k3::session {

// What a Setup only names (policies, files, seeds), made into objects.

/// Errors: a placement file for another model or rank count
Result<Placement> placement_of(const Setup& setup);

/// The distribution or recording that the scenario names.
/// Errors: source `model` (only execution has a router), a file for another model
Result<std::unique_ptr<Routing>> routing_of(const Setup& setup);

/// The checkpoint's weights, or synthetic ones from the seed.
Result<WeightStore> open_weights(const Setup& setup);

}  // namespace k3::session
