#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "profiler/query/scope.h"
#include "profiler/store/database.h"
#include "profiler/store/session_reader.h"

namespace k3::query {

/// Condition on step_cost or another table with a layer, joined with step; parameters 1 to 3.
inline constexpr std::string_view kInScope =
    " WHERE (?1 IS NULL OR phase = ?1) AND (?2 IS NULL OR step = ?2) AND (?3 IS NULL OR layer = "
    "?3) ";

inline void bind_scope(store::Statement& query, const Scope& scope) {
  if (scope.phase) query.bind(1, name_of(*scope.phase));
  query.bind(2, scope.step ? std::optional<std::int64_t>(*scope.step) : std::nullopt);
  query.bind(3, scope.layer ? std::optional<std::int64_t>(*scope.layer) : std::nullopt);
}

inline bool in_scope(const Scope& scope, const store::StepRow& step) {
  return (!scope.phase || step.phase == *scope.phase) && (!scope.step || step.step == *scope.step);
}

}  // namespace k3::query
