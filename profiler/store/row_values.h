#pragma once

#include <cstdint>
#include <string>

#include <fmt/core.h>

#include "engine/base/result.h"
#include "profiler/store/database.h"
#include "profiler/store/names.h"

namespace k3::store {

// Columns of a row as checked values: a damaged file must give an Error, never an index that leads
// nowhere.

/// What numbers of a sound file stay below: matrices of that many ranks, and sums and products of
/// that many tokens or spans, can be computed with.
inline constexpr int kMaxRanks = 4096;
inline constexpr std::int64_t kMaxCount = std::int64_t{1} << 40;

inline tl::unexpected<Error> damaged(std::string what) {
  return fail(Code::corrupt, fmt::format("file is damaged ({}); record the run again", what));
}

template <class T>
T integer_as(const Statement& row, int column) {
  return static_cast<T>(row.integer(column));
}

template <class Enum>
Result<Enum> enum_at(const Statement& row, int column) {
  if (const auto value = from_stored_name<Enum>(row.text(column))) return *value;
  return damaged(fmt::format("unknown {} '{}'", row.column_name(column), row.text(column)));
}

/// An index below `limit`, and at least `lowest` (0, or −1 where that means none).
template <class T>
Result<T> index_at(const Statement& row, int column, std::int64_t limit, std::int64_t lowest = 0) {
  const std::int64_t value = row.integer(column);
  if (value >= lowest && value < limit) return static_cast<T>(value);
  return damaged(fmt::format("{} is {}, only {} exist", row.column_name(column), value, limit));
}

/// Layers count from 0; −1: none.
inline Result<std::int16_t> layer_at(const Statement& row, int column) {
  return index_at<std::int16_t>(row, column, 1 << 15, -1);
}

}  // namespace k3::store
