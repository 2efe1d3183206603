#pragma once

#include <optional>

#include "engine/base/task_kind.h"

namespace k3::query {

/// Part of a run; what is not set means all.
struct Scope {
  std::optional<Phase> phase;
  std::optional<int> step;
  std::optional<int> layer;

  friend bool operator==(const Scope&, const Scope&) = default;
};

}  // namespace k3::query
