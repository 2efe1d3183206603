#pragma once

#include <QAbstractTableModel>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "gui/models/timeline_focus.h"

namespace k3::gui {

/// Columns of the table of spans.
enum class EventColumn : std::uint8_t {
  run,
  step,
  begin,  ///< in its step
  duration,
  name,
  kind,
  spent_on,
  layer,
  rank,
  lane,
};
inline constexpr int kNumEventColumns = 10;

/// A table holds at most so many rows: the first ones in its order.
inline constexpr std::size_t kMaxEvents = 1'000'000;

/// Which spans to list and how, as plain values for another thread.
struct EventRequest {
  struct Run {
    std::string name;
    std::shared_ptr<const query::Lanes> lanes;
    query::TimeRange range;
    std::vector<std::int32_t> chosen;  ///< lanes
  };

  std::vector<Run> runs;
  std::string text;  ///< part of the name; empty: all
  std::optional<int> layer;
  std::optional<int> step;
  EventColumn order = EventColumn::begin;
  Qt::SortOrder direction = Qt::AscendingOrder;
  std::size_t limit = kMaxEvents;
};

/// What the focus shows, or the range that is marked there, of the selected step, layer and rank.
EventRequest event_request(const TimelineFocus& focus, const Selection& selection);

/// One row: which span.
struct EventRow {
  std::uint32_t span = 0;
  std::uint8_t run = 0;
};

struct EventList {
  std::vector<EventRow> rows;
  std::size_t total = 0;  ///< spans that match
};

/// Long for millions of spans: on another thread. Cut short once stopped.
EventList list_events(const EventRequest& request, const std::stop_token& stop = {});

/// The rows of a list; texts are made only for those that are looked at.
class EventsModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  using QAbstractTableModel::QAbstractTableModel;

  void show(EventRequest request, EventList list);

  SpanRef span_at(int row) const;

  std::size_t total() const { return list_.total; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section,
                      Qt::Orientation orientation,
                      int role = Qt::DisplayRole) const override;

  /// Asks for another order; the list comes back through `show`.
  void sort(int column, Qt::SortOrder order) override;

 Q_SIGNALS:
  void order_wanted(k3::gui::EventColumn column, Qt::SortOrder order);

 private:
  EventRequest request_;
  EventList list_;
};

}  // namespace k3::gui
