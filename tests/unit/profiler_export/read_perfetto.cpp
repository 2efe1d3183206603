#include <algorithm>
#include <set>

#include <fmt/core.h>
#include <profiler/export/perfetto.pb.h>

#include "tests/unit/profiler_export/exported.h"

namespace k3::test {
namespace {

namespace pb = exporter::pb;

constexpr std::int64_t kFirstRankProcess = 1000;

class PerfettoReader {
 public:
  /// `shift_ns`: what the writer added to times.
  Trace read(const std::filesystem::path& path, std::int64_t shift_ns) {
    shift_ns_ = shift_ns;
    pb::Trace trace;
    EXPECT_TRUE(trace.ParseFromString(file_text(path)));
    for (const pb::TracePacket& packet : trace.packet()) {
      EXPECT_EQ(packet.unknown_fields(), "");
      intern(packet);
      if (packet.has_track_descriptor()) describe(packet.track_descriptor());
      if (packet.has_track_event()) event(packet);
    }
    EXPECT_TRUE(trace.packet_size() > 0 && trace.packet(0).first_packet_on_sequence());
    for (const auto& [uuid, open] : open_)
      EXPECT_TRUE(open.empty()) << tracks_[uuid].name << " has a begin without an end";
    std::ranges::sort(out_.spans);
    return out_;
  }

 private:
  struct Row {
    std::string name;
    std::int64_t rank = -1;
    std::string unit;
    bool is_thread = false;
  };

  void intern(const pb::TracePacket& packet) {
    if (packet.sequence_flags() & pb::TracePacket::SEQ_INCREMENTAL_STATE_CLEARED) {
      EXPECT_TRUE(names_.empty()) << "nothing was interned before";
      cleared_ = true;
    }
    const auto add = [](auto& texts, std::uint64_t iid, const std::string& text) {
      EXPECT_NE(iid, 0U);
      EXPECT_TRUE(texts.emplace(iid, text).second) << text << " is interned twice";
    };
    const pb::InternedData& data = packet.interned_data();
    for (const auto& entry : data.event_names())
      add(names_, entry.iid(), entry.name());
    for (const auto& entry : data.event_categories())
      add(categories_, entry.iid(), entry.name());
    for (const auto& entry : data.debug_annotation_names())
      add(keys_, entry.iid(), entry.name());
    for (const auto& entry : data.debug_annotation_string_values())
      add(texts_, entry.iid(), entry.str());
  }

  static std::int64_t rank_of(std::int64_t process) {
    return process < kFirstRankProcess ? -1 : process - kFirstRankProcess;
  }

  void describe(const pb::TrackDescriptor& track) {
    EXPECT_NE(track.uuid(), 0U);
    Row row;
    row.name = track.name();
    if (track.has_process()) {
      row.rank = rank_of(track.process().pid());
      out_.processes[row.rank] = track.process().process_name();
      EXPECT_EQ(track.child_ordering(), pb::TrackDescriptor::EXPLICIT);
    } else if (track.has_thread()) {
      row.rank = rank_of(track.thread().pid());
      row.is_thread = true;
      EXPECT_TRUE(out_.processes.contains(row.rank)) << "processes come first";
      EXPECT_TRUE(threads_.insert(track.thread().tid()).second);
      out_.tracks.emplace(row.name, 0);
    } else {
      EXPECT_TRUE(tracks_.contains(track.parent_uuid())) << track.name();
      row.rank = tracks_[track.parent_uuid()].rank;
      const bool is_bytes = track.counter().unit() == pb::CounterDescriptor::UNIT_SIZE_BYTES;
      row.unit = is_bytes ? "bytes" : track.counter().unit_name();
    }
    EXPECT_TRUE(tracks_.emplace(track.uuid(), row).second) << "uuids are unique";
  }

  void event(const pb::TracePacket& packet) {
    const pb::TrackEvent& event = packet.track_event();
    EXPECT_TRUE(cleared_);
    EXPECT_TRUE(tracks_.contains(event.track_uuid())) << "a track is described before its events";
    const Row& row = tracks_[event.track_uuid()];
    const auto t_ns = static_cast<std::int64_t>(packet.timestamp());
    switch (event.type()) {
      case pb::TrackEvent::TYPE_COUNTER:
        out_.counters[fmt::format("{} {} {}", row.rank, row.name, row.unit)].push_back(
            {t_ns - shift_ns_, event.has_counter_value()
                                   ? static_cast<double>(event.counter_value())
                                   : event.double_counter_value()});
        return;
      case pb::TrackEvent::TYPE_INSTANT:
        for (const pb::DebugAnnotation& note : event.debug_annotations())
          out_.facts[note.name()] = note.string_value();
        return;
      case pb::TrackEvent::TYPE_SLICE_BEGIN:
        in_order(event, t_ns);
        begin(event, row, t_ns - shift_ns_);
        return;
      default:
        break;
    }
    EXPECT_EQ(event.type(), pb::TrackEvent::TYPE_SLICE_END);
    in_order(event, t_ns);
    end(event, row, t_ns - shift_ns_);
  }

  void in_order(const pb::TrackEvent& event, std::int64_t t_ns) {
    const auto last = last_ns_.emplace(event.track_uuid(), t_ns).first;
    EXPECT_GE(t_ns, last->second) << "times of a track ascend";
    last->second = t_ns;
  }

  void begin(const pb::TrackEvent& event, const Row& row, std::int64_t t_ns) {
    EXPECT_TRUE(row.is_thread);
    TraceSpan span;
    span.rank = row.rank;
    span.begin_ns = t_ns;
    if (event.has_name()) {
      span.name = event.name();
    } else {
      EXPECT_TRUE(names_.contains(event.name_iid())) << "a name is interned before its use";
      span.name = names_[event.name_iid()];
    }
    if (event.category_iids_size() == 1) span.category = categories_.at(event.category_iids(0));
    for (const pb::DebugAnnotation& note : event.debug_annotations())
      annotate(span, note);
    open_[event.track_uuid()].push_back(span);
    for (const std::uint64_t id : event.flow_ids()) {
      out_.arrows[id].from_rank = row.rank;
      out_.arrows[id].from_ns = t_ns;
    }
    for (const std::uint64_t id : event.terminating_flow_ids()) {
      out_.arrows[id].to_rank = row.rank;
      out_.arrows[id].to_ns = t_ns;
    }
  }

  void annotate(TraceSpan& span, const pb::DebugAnnotation& note) {
    const std::string& key = keys_.at(note.name_iid());
    if (key == "step") span.step = note.int_value();
    if (key == "layer") span.layer = note.int_value();
    if (key == "task") span.task = note.int_value();
    if (key == "kind") span.kind = texts_.at(note.string_value_iid());
    if (key == "stage") span.stage = texts_.at(note.string_value_iid());
    const double real =
        note.has_double_value() ? note.double_value() : static_cast<double>(note.int_value());
    if (key == "flops") span.flops = real;
    if (key == "bytes") span.bytes = real;
  }

  void end(const pb::TrackEvent& event, const Row& row, std::int64_t t_ns) {
    std::vector<TraceSpan>& open = open_[event.track_uuid()];
    ASSERT_FALSE(open.empty()) << row.name << " has an end without a begin";
    TraceSpan span = open.back();
    open.pop_back();
    span.duration_ns = t_ns - span.begin_ns;
    if (row.rank < 0) {
      out_.steps.push_back(span.name);
    } else {
      out_.spans.push_back(span.text());
      ++out_.tracks[row.name];
    }
  }

  Trace out_;
  std::int64_t shift_ns_ = 0;
  bool cleared_ = false;
  std::map<std::uint64_t, std::string> names_, categories_, keys_, texts_;
  std::map<std::uint64_t, Row> tracks_;
  std::set<std::int64_t> threads_;
  std::map<std::uint64_t, std::vector<TraceSpan>> open_;
  std::map<std::uint64_t, std::int64_t> last_ns_;
};

}  // namespace

Trace read_perfetto(const std::filesystem::path& path, std::int64_t shift_ns) {
  return PerfettoReader().read(path, shift_ns);
}

}  // namespace k3::test
