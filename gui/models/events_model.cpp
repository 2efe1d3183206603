#include "gui/models/events_model.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "engine/base/task_kind.h"
#include "profiler/query/lane_search.h"
#include "profiler/store/names.h"
#include "profiler/visual/numbers.h"
#include "profiler/visual/palette.h"

namespace k3::gui {
namespace {

struct ColumnTitle {
  std::string_view title;
  bool is_number = false;
};

constexpr std::array<ColumnTitle, kNumEventColumns> kTitles{{{"run"},
                                                             {"step", true},
                                                             {"begin in step (µs)", true},
                                                             {"duration (µs)", true},
                                                             {"name"},
                                                             {"kind"},
                                                             {"spent on"},
                                                             {"layer", true},
                                                             {"rank", true},
                                                             {"lane"}}};

/// How often a long loop looks whether it is still wanted.
constexpr std::size_t kSpansPerLook = 1 << 16;

std::int64_t begin_in_step(const query::Lanes& lanes, std::size_t span) {
  const store::StepRow* step = step_of(lanes, lanes.step[span]);
  return lanes.begin_ns[span] - (step != nullptr ? step->begin_ns : 0);
}

std::string kind_text(std::uint8_t kind) {
  return kind == query::kNoKind ? "" : std::string(visual::title_of(static_cast<TaskKind>(kind)));
}

/// Places of texts in their alphabetical order.
std::vector<std::int64_t> ranks_of_texts(const std::vector<std::string>& texts) {
  std::vector<std::size_t> order(texts.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::ranges::sort(order, {}, [&](std::size_t i) -> const std::string& { return texts[i]; });
  std::vector<std::int64_t> ranks(texts.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool same = i > 0 && texts[order[i]] == texts[order[i - 1]];
    ranks[order[i]] = same ? ranks[order[i - 1]] : static_cast<std::int64_t>(i);
  }
  return ranks;
}

/// The number that a span is sorted by.
class SortKey {
 public:
  SortKey(const EventRequest& request, EventColumn column) : request_(request), column_(column) {
    // Names of different runs are compared as texts: one order for all of them.
    std::vector<std::string> texts;
    for (const EventRequest::Run& run : request.runs) {
      first_text_.push_back(texts.size());
      if (column == EventColumn::name)
        texts.insert(texts.end(), run.lanes->names.begin(), run.lanes->names.end());
      if (column == EventColumn::lane) {
        for (const Lane& lane : run.lanes->lanes)
          texts.push_back(lane.name);
      }
    }
    ranks_ = ranks_of_texts(texts);
  }

  std::int64_t of(std::size_t run, const query::Track& track, std::size_t span) const {
    const query::Lanes& lanes = *request_.runs[run].lanes;
    switch (column_) {
      case EventColumn::run:
        return static_cast<std::int64_t>(run);
      case EventColumn::step:
        return lanes.step[span];
      case EventColumn::begin:
        return begin_in_step(lanes, span);
      case EventColumn::duration:
        return lanes.end_ns[span] - lanes.begin_ns[span];
      case EventColumn::name:
        return ranks_[first_text_[run] + static_cast<std::size_t>(lanes.name[span])];
      case EventColumn::kind:
        return lanes.kind[span];
      case EventColumn::spent_on:
        return static_cast<std::int64_t>(lanes.category[span]);
      case EventColumn::layer:
        return lanes.layer[span];
      case EventColumn::rank:
        return lanes.lanes[static_cast<std::size_t>(track.lane)].rank;
      case EventColumn::lane:
        return ranks_[first_text_[run] + static_cast<std::size_t>(track.lane)];
    }
    return 0;
  }

 private:
  const EventRequest& request_;
  EventColumn column_;
  std::vector<std::size_t> first_text_;
  std::vector<std::int64_t> ranks_;
};

struct Keyed {
  std::int64_t key = 0;
  std::int64_t begin_ns = 0;
  EventRow row;
};

class Collector {
 public:
  Collector(const EventRequest& request, const std::stop_token& stop)
      : request_(request), stop_(stop), key_(request, request.order) {}

  void add_run(std::size_t number) {
    const EventRequest::Run& run = request_.runs[number];
    const query::NameMatch match(*run.lanes, request_.text);
    if (!request_.text.empty() && !match.matches_any()) return;
    for (const std::int32_t lane : run.chosen) {
      for (const query::Track& track : run.lanes->tracks_of(lane)) {
        if (stop_.stop_requested()) return;
        add_track(number, track, match);
      }
    }
  }

  std::vector<Keyed>& found() { return found_; }

 private:
  void add_track(std::size_t number, const query::Track& track, const query::NameMatch& match) {
    const query::Lanes& lanes = *request_.runs[number].lanes;
    const query::TimeRange& range = request_.runs[number].range;
    const auto begin = lanes.begin_ns.part(track.first, track.count);
    const auto end = lanes.end_ns.part(track.first, track.count);
    auto i = static_cast<std::size_t>(std::ranges::upper_bound(end, range.begin_ns) - end.begin());
    for (; i < track.count && begin[i] < range.end_ns; ++i) {
      if (i % kSpansPerLook == 0 && stop_.stop_requested()) return;
      const std::size_t span = track.first + i;
      if (!request_.text.empty() && !match.matches(lanes.name[span])) continue;
      if (request_.layer && lanes.layer[span] != *request_.layer) continue;
      if (request_.step && lanes.step[span] != *request_.step) continue;
      found_.push_back({key_.of(number, track, span),
                        begin[i],
                        {static_cast<std::uint32_t>(span), static_cast<std::uint8_t>(number)}});
    }
  }

  const EventRequest& request_;
  const std::stop_token& stop_;
  SortKey key_;
  std::vector<Keyed> found_;
};

}  // namespace

EventRequest event_request(const TimelineFocus& focus, const Selection& selection) {
  EventRequest request;
  request.layer = selection.layer;
  request.step = selection.step;
  for (std::size_t run = 0; run < focus.runs().size(); ++run) {
    request.runs.push_back({focus.runs()[run].facts->name, focus.runs()[run].lanes,
                            focus.in_run(run, focus.chosen()),
                            focus.shown_lanes(run, selection.rank)});
  }
  return request;
}

EventList list_events(const EventRequest& request, const std::stop_token& stop) {
  Collector collector(request, stop);
  for (std::size_t run = 0; run < request.runs.size(); ++run)
    collector.add_run(run);
  std::vector<Keyed>& found = collector.found();
  EventList list;
  list.total = found.size();
  if (stop.stop_requested()) return list;
  const bool ascending = request.direction == Qt::AscendingOrder;
  const auto before = [ascending](const Keyed& a, const Keyed& b) {
    if (a.key != b.key) return ascending ? a.key < b.key : a.key > b.key;
    if (a.begin_ns != b.begin_ns) return a.begin_ns < b.begin_ns;
    return a.row.run != b.row.run ? a.row.run < b.row.run : a.row.span < b.row.span;
  };
  const std::size_t kept = std::min(found.size(), request.limit);
  const auto end = found.begin() + static_cast<std::ptrdiff_t>(kept);
  if (kept < found.size()) std::nth_element(found.begin(), end, found.end(), before);
  std::sort(found.begin(), end, before);
  list.rows.reserve(kept);
  for (auto row = found.begin(); row != end; ++row)
    list.rows.push_back(row->row);
  return list;
}

void EventsModel::show(EventRequest request, EventList list) {
  beginResetModel();
  request_ = std::move(request);
  list_ = std::move(list);
  endResetModel();
}

SpanRef EventsModel::span_at(int row) const {
  const EventRow& event = list_.rows[static_cast<std::size_t>(row)];
  return {event.run, event.span};
}

int EventsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(list_.rows.size());
}

int EventsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kNumEventColumns;
}

QVariant EventsModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const auto column = static_cast<std::size_t>(index.column());
  if (role == Qt::TextAlignmentRole) {
    return QVariant::fromValue(Qt::Alignment(
        (kTitles[column].is_number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
  }
  if (role != Qt::DisplayRole) return {};
  const SpanRef ref = span_at(index.row());
  const EventRequest::Run& run = request_.runs[ref.run];
  const query::Lanes& lanes = *run.lanes;
  const query::LaneSpan span = lanes.span(ref.span);
  const Lane& lane = lanes.lanes[static_cast<std::size_t>(span.lane)];
  const auto text = [](std::string_view words) {
    return QString::fromUtf8(words.data(), static_cast<qsizetype>(words.size()));
  };
  // Microseconds with all digits: in a column, ends and begins must be comparable.
  const auto micros = [](std::int64_t ns) {
    return QString::number(static_cast<double>(ns) * 1e-3, 'f', 3);
  };
  switch (static_cast<EventColumn>(column)) {
    case EventColumn::run:
      return text(run.name);
    case EventColumn::step:
      return span.step;
    case EventColumn::begin:
      return micros(begin_in_step(lanes, ref.span));
    case EventColumn::duration:
      return micros(span.time.duration_ns());
    case EventColumn::name:
      return text(lanes.names[static_cast<std::size_t>(span.name)]);
    case EventColumn::kind:
      return text(kind_text(span.kind));
    case EventColumn::spent_on:
      return text(store::stored_name(span.category));
    case EventColumn::layer:
      return span.layer < 0 ? QVariant(QString(QChar(0x2013))) : QVariant(int{span.layer});
    case EventColumn::rank:
      return lane.rank;
    case EventColumn::lane:
      return text(lane.name);
  }
  return {};
}

QVariant EventsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (role != Qt::DisplayRole || orientation != Qt::Horizontal || section < 0 ||
      section >= kNumEventColumns)
    return {};
  const std::string_view title = kTitles[static_cast<std::size_t>(section)].title;
  return QString::fromUtf8(title.data(), static_cast<qsizetype>(title.size()));
}

void EventsModel::sort(int column, Qt::SortOrder order) {
  if (column < 0 || column >= kNumEventColumns) return;
  Q_EMIT order_wanted(static_cast<EventColumn>(column), order);
}

}  // namespace k3::gui
