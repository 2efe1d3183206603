#include "profiler/query/lane_search.h"

#include <algorithm>
#include <utility>

namespace k3::query {
namespace {

/// Spans between two looks at the stop token.
constexpr std::size_t kStride = std::size_t{1} << 16;

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// The first span of a track that is not before `place`, and the first one behind it.
std::pair<std::size_t, std::size_t> around(const Lanes& lanes,
                                           const Track& track,
                                           const SearchPlace& place) {
  const auto begin = lanes.begin_ns.part(track.first, track.count);
  const auto same = std::ranges::equal_range(begin, place.begin_ns);
  const std::size_t low = track.first + static_cast<std::size_t>(same.begin() - begin.begin());
  const std::size_t high = track.first + static_cast<std::size_t>(same.end() - begin.begin());
  if (!place.span) return {low, low};
  return {std::clamp(*place.span, low, high), std::clamp(*place.span + 1, low, high)};
}

}  // namespace

NameMatch::NameMatch(const Lanes& lanes, std::string_view text) {
  const auto equal = [](char a, char b) { return lower(a) == lower(b); };
  for (const std::string& name : lanes.names) {
    const bool found =
        std::search(name.begin(), name.end(), text.begin(), text.end(), equal) != name.end() ||
        text.empty();
    matches_.push_back(found ? 1 : 0);
    any_ = any_ || found;
  }
}

std::optional<std::size_t> next_match(const Lanes& lanes,
                                      const NameMatch& match,
                                      const SearchPlace& from,
                                      const std::stop_token& stop) {
  std::optional<std::size_t> best;
  if (!match.matches_any()) return best;
  for (const Track& track : lanes.tracks) {
    for (std::size_t i = around(lanes, track, from).second; i < track.first + track.count; ++i) {
      if (i % kStride == 0 && stop.stop_requested()) return std::nullopt;
      if (best && std::pair(lanes.begin_ns[i], i) > std::pair(lanes.begin_ns[*best], *best)) break;
      if (!match.matches(lanes.name[i])) continue;
      best = i;
      break;
    }
  }
  return best;
}

std::optional<std::size_t> previous_match(const Lanes& lanes,
                                          const NameMatch& match,
                                          const SearchPlace& from,
                                          const std::stop_token& stop) {
  std::optional<std::size_t> best;
  if (!match.matches_any()) return best;
  for (const Track& track : lanes.tracks) {
    for (std::size_t i = around(lanes, track, from).first; i > track.first;) {
      --i;
      if (i % kStride == 0 && stop.stop_requested()) return std::nullopt;
      if (best && std::pair(lanes.begin_ns[i], i) < std::pair(lanes.begin_ns[*best], *best)) break;
      if (!match.matches(lanes.name[i])) continue;
      best = i;
      break;
    }
  }
  return best;
}

MatchCount count_matches(const Lanes& lanes,
                         const NameMatch& match,
                         std::size_t limit,
                         const std::stop_token& stop) {
  MatchCount matches;
  if (!match.matches_any()) return matches;
  for (const Track& track : lanes.tracks) {
    for (std::size_t i = track.first; i < track.first + track.count;) {
      if (stop.stop_requested()) return {matches.count, false};
      const std::size_t end = std::min(i + kStride, track.first + track.count);
      for (; i < end; ++i)
        matches.count += match.matches(lanes.name[i]) ? 1U : 0U;
      if (matches.count > limit) return {limit, false};
    }
  }
  return matches;
}

}  // namespace k3::query
