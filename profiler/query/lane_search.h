#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "profiler/query/lanes.h"

namespace k3::query {

/// Which names contain a text, whatever the case of its ASCII letters.
class NameMatch {
 public:
  NameMatch(const Lanes& lanes, std::string_view text);

  bool matches(std::int32_t name) const { return matches_[static_cast<std::size_t>(name)] != 0; }

  bool matches_any() const { return any_; }

 private:
  std::vector<std::uint8_t> matches_;  ///< per name
  bool any_ = false;
};

/// A place in the order of all spans: by begin, then by index. Without an index: before all spans
/// that begin then.
struct SearchPlace {
  std::int64_t begin_ns = 0;
  std::optional<std::size_t> span = std::nullopt;

  static SearchPlace of(const Lanes& lanes, std::size_t span) {
    return {lanes.begin_ns[span], span};
  }
};

/// The first span behind `from` (not the span at it) whose name matches; none also once stopped.
std::optional<std::size_t> next_match(const Lanes& lanes,
                                      const NameMatch& match,
                                      const SearchPlace& from,
                                      const std::stop_token& stop = {});

/// The last one before it.
std::optional<std::size_t> previous_match(const Lanes& lanes,
                                          const NameMatch& match,
                                          const SearchPlace& from,
                                          const std::stop_token& stop = {});

struct MatchCount {
  std::size_t count = 0;
  bool complete = true;  ///< false: stopped, or there are more than the limit
};

MatchCount count_matches(const Lanes& lanes,
                         const NameMatch& match,
                         std::size_t limit,
                         const std::stop_token& stop = {});

}  // namespace k3::query
