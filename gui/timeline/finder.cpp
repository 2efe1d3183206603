#include "gui/timeline/finder.h"

#include <limits>
#include <utility>

#include "profiler/query/lane_search.h"
#include "profiler/visual/numbers.h"

namespace k3::gui {
namespace {

constexpr std::size_t kMostCounted = 1'000'000;

struct Search {
  std::vector<std::shared_ptr<const query::Lanes>> runs;
  std::string text;
  Finder::Direction direction = Finder::Direction::next;
  std::size_t first_run = 0;
  query::SearchPlace from;  ///< in the first run
};

struct Found {
  std::optional<SpanRef> span;
  std::size_t count = 0;
  bool complete = true;
};

std::optional<std::size_t> find_in(const query::Lanes& lanes,
                                   const query::NameMatch& match,
                                   const Search& search,
                                   const query::SearchPlace& from,
                                   const std::stop_token& stop) {
  return search.direction == Finder::Direction::next
             ? query::next_match(lanes, match, from, stop)
             : query::previous_match(lanes, match, from, stop);
}

Found run_search(const Search& search, const std::stop_token& stop) {
  Found found;
  std::vector<query::NameMatch> matches;
  for (const auto& lanes : search.runs) {
    matches.emplace_back(*lanes, search.text);
    const query::MatchCount count =
        query::count_matches(*lanes, matches.back(), kMostCounted, stop);
    found.count += count.count;
    found.complete = found.complete && count.complete;
  }
  const bool forward = search.direction == Finder::Direction::next;
  const query::SearchPlace edge{forward ? std::numeric_limits<std::int64_t>::min()
                                        : std::numeric_limits<std::int64_t>::max()};
  // The run where one stands is asked twice: from there on, and at last from its other end.
  const std::size_t num_runs = search.runs.size();
  for (std::size_t turn = 0; turn <= num_runs; ++turn) {
    const std::size_t step = forward ? turn : num_runs - turn % num_runs;
    const std::size_t run = (search.first_run + step) % num_runs;
    const auto span =
        find_in(*search.runs[run], matches[run], search, turn == 0 ? search.from : edge, stop);
    if (!span) continue;
    found.span = SpanRef{run, *span};
    break;
  }
  return found;
}

}  // namespace

Finder::Finder(TimelineFocus* focus, QObject* parent) : QObject(parent), focus_(focus) {}

void Finder::find(const QString& text, Direction direction) {
  if (text.isEmpty() || focus_->runs().empty()) return;
  Search search;
  search.text = text.toStdString();
  search.direction = direction;
  for (const RunLanes& run : focus_->runs())
    search.runs.push_back(run.lanes);
  if (const auto& span = focus_->span()) {
    search.first_run = span->run;
    search.from = query::SearchPlace::of(*search.runs[span->run], span->span);
  } else {
    search.from = {focus_->in_run(0, focus_->visible()).begin_ns, std::nullopt};
  }
  task_.ask(
      [this, search = std::move(search), text](const std::stop_token& stop) -> LatestTask::Answer {
        return [this, text, found = run_search(search, stop)] {
          if (!found.span) {
            Q_EMIT told(tr("No span's name contains \"%1\".").arg(text));
            return;
          }
          const QString count =
              QString::fromStdString(visual::count_text(static_cast<std::int64_t>(found.count)));
          Q_EMIT told(found.complete ? tr("%1 spans match").arg(count)
                                     : tr("more than %1 spans match").arg(count));
          focus_->go_to(*found.span);
        };
      });
}

}  // namespace k3::gui
