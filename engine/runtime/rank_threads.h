#pragma once

#include <functional>
#include <memory>
#include <span>

#include "engine/base/result.h"
#include "engine/device/communicator.h"

namespace k3 {

/// Runs `body(rank)` for every rank on a thread of its own and waits for all. A rank that fails or
/// throws aborts its communicator, so that the others end instead of waiting for it. Returns the
/// Error of the first rank that failed by itself.
Result<void> run_on_ranks(std::span<const std::unique_ptr<Communicator>> communicators,
                          const std::function<Result<void>(int rank)>& body);

}  // namespace k3
