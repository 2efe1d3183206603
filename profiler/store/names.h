#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "engine/base/task_kind.h"
#include "engine/trace/trace.h"

namespace k3::store {

/// Enumerations are stored as their names, in the order of the enumerators.
inline constexpr std::array<std::string_view, 5> kCategoryNames{"compute", "transfer", "wait",
                                                                "memory", "other"};
inline constexpr std::array<std::string_view, 4> kLaneKindNames{"compute", "communication",
                                                                "memory", "other"};
inline constexpr std::array<std::string_view, 3> kRunKindNames{"measured", "simulated", "imported"};
inline constexpr std::array<std::string_view, 2> kPhaseNames{"prefill", "decode"};
inline constexpr std::array<std::string_view, 2> kDirectionNames{"dispatch", "combine"};

constexpr std::span<const std::string_view> names_of(SpanCategory) {
  return kCategoryNames;
}

constexpr std::span<const std::string_view> names_of(LaneKind) {
  return kLaneKindNames;
}

constexpr std::span<const std::string_view> names_of(RunKind) {
  return kRunKindNames;
}

constexpr std::span<const std::string_view> names_of(Phase) {
  return kPhaseNames;
}

constexpr std::span<const std::string_view> names_of(Direction) {
  return kDirectionNames;
}

constexpr std::span<const std::string_view> names_of(TaskKind) {
  return kTaskKindNames;
}

constexpr std::span<const std::string_view> names_of(Stage) {
  return kStageNames;
}

template <class Enum>
constexpr std::string_view stored_name(Enum value) {
  return names_of(value)[static_cast<std::size_t>(value)];
}

template <class Enum>
constexpr std::optional<Enum> from_stored_name(std::string_view name) {
  const std::span<const std::string_view> names = names_of(Enum{});
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace k3::store
