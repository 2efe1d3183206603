#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include <fmt/core.h>
#include <profiler/export/perfetto.pb.h>

#include "profiler/export/perfetto_encoder_internal.h"
#include "profiler/store/names.h"

namespace k3::exporter {
namespace {

constexpr std::uint32_t kSequence = 1;
constexpr std::uint32_t kBootTime = 6;  // the clock that packets without one are on

/// Debug annotations; the interned number is the index + 1.
enum class Note : std::uint8_t {
  step,
  layer,
  kind,
  stage,
  task,
  flops,
  bytes,
  sequences,
  tokens,
  context
};
constexpr std::array<std::string_view, 10> kNoteNames{
    "step", "layer", "kind", "stage", "task", "flops", "bytes", "sequences", "tokens", "context"};

template <class Enum>
std::uint64_t iid_of(Enum value) {
  return static_cast<std::uint64_t>(value) + 1;
}

/// Kinds come first among the interned texts of annotations, then stages.
std::uint64_t text_iid(TaskKind kind) {
  return iid_of(kind);
}

std::uint64_t text_iid(Stage stage) {
  return kNumTaskKinds + iid_of(stage);
}

pb::DebugAnnotation& annotate(pb::TrackEvent& event, Note note) {
  pb::DebugAnnotation& annotation = *event.add_debug_annotations();
  annotation.set_name_iid(iid_of(note));
  return annotation;
}

void annotate(pb::TrackEvent& event, Note note, std::int64_t value) {
  annotate(event, note).set_int_value(value);
}

/// Whole numbers as such, which viewers show better; what is zero is left out.
void annotate_real(pb::TrackEvent& event, Note note, double value) {
  constexpr double kExactBelow = 9007199254740992;  // 2^53
  if (value == 0) return;
  if (std::abs(value) < kExactBelow && value == std::trunc(value)) {
    annotate(event, note).set_int_value(static_cast<std::int64_t>(value));
  } else {
    annotate(event, note).set_double_value(value);
  }
}

/// A permutation of the 64-bit numbers (the finaliser of SplitMix64).
std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

std::uint64_t seed_of(const RunFacts& facts) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  const auto add = [&](std::string_view text) {
    for (const char c : text)
      hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  };
  for (const auto& [key, value] : facts.meta)
    add(key + "=" + value + "\n");
  for (const store::StepRow& step : facts.steps)
    add(fmt::format("{} {}\n", step.begin_ns, step.duration_ns));
  return hash;
}

void intern_fixed_texts(pb::InternedData& interned) {
  for (std::size_t i = 0; i < store::kCategoryNames.size(); ++i) {
    pb::EventCategory& category = *interned.add_event_categories();
    category.set_iid(i + 1);
    category.set_name(std::string(store::kCategoryNames[i]));
  }
  for (std::size_t i = 0; i < kNoteNames.size(); ++i) {
    pb::DebugAnnotationName& name = *interned.add_debug_annotation_names();
    name.set_iid(i + 1);
    name.set_name(std::string(kNoteNames[i]));
  }
  const auto text = [&](std::uint64_t iid, std::string_view value) {
    pb::InternedString& string = *interned.add_debug_annotation_string_values();
    string.set_iid(iid);
    string.set_str(std::string(value));
  };
  for (int kind = 0; kind < kNumTaskKinds; ++kind)
    text(text_iid(static_cast<TaskKind>(kind)), name_of(static_cast<TaskKind>(kind)));
  for (int stage = 0; stage < kNumStages; ++stage)
    text(text_iid(static_cast<Stage>(stage)), name_of(static_cast<Stage>(stage)));
}

}  // namespace

PerfettoEncoder::PerfettoEncoder(const RunFacts& facts, std::string& out)
    : facts_(facts),
      out_(out),
      packet_(std::make_unique<pb::TracePacket>()),
      interned_(2 * facts.names.size(), 0),
      seed_(seed_of(facts)) {}

PerfettoEncoder::~PerfettoEncoder() = default;

/// Different for every kind and index of a file, and most likely between files, which may be joined
/// by appending.
std::uint64_t PerfettoEncoder::uuid(UuidKind kind, std::uint64_t index) const {
  constexpr int kIndexBits = 56;
  return mixed(seed_ + (static_cast<std::uint64_t>(kind) << kIndexBits) + index);
}

pb::TracePacket& PerfettoEncoder::packet() {
  packet_->Clear();
  packet_->set_trusted_packet_sequence_id(kSequence);
  return *packet_;
}

pb::TracePacket& PerfettoEncoder::event_packet(std::int64_t t_ns) {
  pb::TracePacket& packet = this->packet();
  packet.set_timestamp(static_cast<std::uint64_t>(t_ns) -
                       static_cast<std::uint64_t>(std::min<std::int64_t>(facts_.first_ns, 0)));
  packet.set_sequence_flags(pb::TracePacket::SEQ_NEEDS_INCREMENTAL_STATE);
  return packet;
}

/// Appends the packet as a field of Trace: tag, length, bytes.
void PerfettoEncoder::write() {
  constexpr char kPacketTag = (pb::Trace::kPacketFieldNumber << 3) | 2;
  const std::size_t size = packet_->ByteSizeLong();
  out_ += kPacketTag;
  for (std::size_t rest = size;;) {
    const auto low = static_cast<unsigned char>(rest & 0x7f);
    rest >>= 7;
    out_ += static_cast<char>(rest == 0 ? low : low | 0x80);
    if (rest == 0) break;
  }
  const std::size_t at = out_.size();
  out_.resize(at + size);
  packet_->SerializeWithCachedSizesToArray(reinterpret_cast<std::uint8_t*>(out_.data() + at));
}

void PerfettoEncoder::process(std::int64_t rank, std::string_view label) {
  pb::TrackDescriptor& descriptor = *packet().mutable_track_descriptor();
  descriptor.set_uuid(uuid(UuidKind::process, static_cast<std::uint64_t>(rank + 1)));
  descriptor.set_child_ordering(pb::TrackDescriptor::EXPLICIT);
  descriptor.set_sibling_order_rank(static_cast<std::int32_t>(rank));
  const std::int64_t pid = rank < 0 ? kMachineProcess : kFirstRankProcess + rank;
  descriptor.mutable_process()->set_pid(static_cast<std::int32_t>(pid));
  descriptor.mutable_process()->set_process_name(std::string(label));
  write();
}

void PerfettoEncoder::begin() {
  pb::TracePacket& first = packet();
  first.set_sequence_flags(pb::TracePacket::SEQ_INCREMENTAL_STATE_CLEARED);
  first.set_first_packet_on_sequence(true);
  first.set_timestamp(0);
  pb::ClockSnapshot::Clock& clock = *first.mutable_clock_snapshot()->add_clocks();
  clock.set_clock_id(kBootTime);
  clock.set_timestamp(0);
  first.mutable_clock_snapshot()->set_primary_trace_clock(kBootTime);
  intern_fixed_texts(*first.mutable_interned_data());
  write();
  process(-1, kMachineLabel);
  for (std::size_t rank = 0; rank < facts_.rank_labels.size(); ++rank) {
    const auto number = static_cast<std::int32_t>(rank);
    if (facts_.has(number)) process(number, facts_.rank_labels[rank]);
  }
}

void PerfettoEncoder::track(const Track& track) {
  pb::TrackDescriptor& descriptor = *packet().mutable_track_descriptor();
  descriptor.set_uuid(uuid(UuidKind::track, static_cast<std::uint64_t>(track.id)));
  descriptor.set_name(track.name);
  descriptor.set_sibling_order_rank(track.sort);
  descriptor.mutable_thread()->set_pid(static_cast<std::int32_t>(track.process()));
  descriptor.mutable_thread()->set_tid(track.thread());
  descriptor.mutable_thread()->set_thread_name(track.name);
  write();
  if (track.rank < 0 && !facts_written_) facts(track);
  if (track.rank < 0) facts_written_ = true;
}

void PerfettoEncoder::facts(const Track& track) {
  const std::int64_t t_ns = facts_.steps.empty() ? 0 : facts_.steps.front().begin_ns;
  pb::TrackEvent& event = *event_packet(t_ns).mutable_track_event();
  event.set_type(pb::TrackEvent::TYPE_INSTANT);
  event.set_track_uuid(uuid(UuidKind::track, static_cast<std::uint64_t>(track.id)));
  event.set_name("session");
  event.add_categories("session");
  for (const auto& [key, value] : facts_.meta) {
    pb::DebugAnnotation& annotation = *event.add_debug_annotations();
    annotation.set_name(key);
    annotation.set_string_value(value);
  }
  write();
}

void PerfettoEncoder::counter(const Counter& counter) {
  pb::TrackDescriptor& descriptor = *packet().mutable_track_descriptor();
  descriptor.set_uuid(uuid(UuidKind::counter, static_cast<std::uint64_t>(counter.id)));
  descriptor.set_parent_uuid(uuid(UuidKind::process, static_cast<std::uint64_t>(counter.rank + 1)));
  descriptor.set_name(counter.name);
  pb::CounterDescriptor& unit = *descriptor.mutable_counter();
  switch (counter.unit) {
    case Counter::Unit::bytes:
      unit.set_unit(pb::CounterDescriptor::UNIT_SIZE_BYTES);
      break;
    case Counter::Unit::bytes_per_second:
      unit.set_unit_name("B/s");
      break;
    case Counter::Unit::tokens:
      unit.set_unit_name("tokens");
      break;
  }
  write();
}

void PerfettoEncoder::open_step(const Track& track, const store::StepRow& step) {
  pb::TrackEvent& event = *event_packet(step.begin_ns).mutable_track_event();
  event.set_type(pb::TrackEvent::TYPE_SLICE_BEGIN);
  event.set_track_uuid(uuid(UuidKind::track, static_cast<std::uint64_t>(track.id)));
  event.set_name(fmt::format("{} step {}", name_of(step.phase), step.step));
  event.add_categories("step");
  annotate(event, Note::step, step.step);
  annotate(event, Note::sequences, step.sequences);
  annotate(event, Note::tokens, step.tokens);
  annotate(event, Note::context, step.context);
  write();
}

/// Adds the text to the packet if it is the first with it.
std::uint64_t PerfettoEncoder::name_iid(const Span& span, pb::TracePacket& packet) {
  const bool waits = span.category == SpanCategory::wait;
  const std::size_t index = 2 * static_cast<std::size_t>(span.name) + (waits ? 1 : 0);
  const std::uint64_t iid = index + 1;
  if (interned_[index] == 0) {
    interned_[index] = 1;
    pb::EventName& name = *packet.mutable_interned_data()->add_event_names();
    name.set_iid(iid);
    name.set_name(facts_.names[static_cast<std::size_t>(span.name)]);
    if (waits) name.mutable_name()->append(kWaitSuffix);
  }
  return iid;
}

void PerfettoEncoder::open_span(const Track& track, const SpanEvent& given) {
  const Span& span = *given.span;
  pb::TracePacket& packet = event_packet(span.begin_ns);
  pb::TrackEvent& event = *packet.mutable_track_event();
  event.set_type(pb::TrackEvent::TYPE_SLICE_BEGIN);
  event.set_track_uuid(uuid(UuidKind::track, static_cast<std::uint64_t>(track.id)));
  event.set_name_iid(name_iid(span, packet));
  event.add_category_iids(iid_of(span.category));
  annotate(event, Note::step, given.step);
  if (span.layer >= 0) annotate(event, Note::layer, span.layer);
  if (given.task != nullptr) {
    annotate(event, Note::kind).set_string_value_iid(text_iid(given.task->kind));
    annotate(event, Note::stage).set_string_value_iid(text_iid(given.task->stage));
  }
  if (span.task >= 0) annotate(event, Note::task, span.task);
  annotate_real(event, Note::flops, span.flops);
  annotate_real(event, Note::bytes, span.bytes);
  for (const ArrowEnd& end : given.arrows) {
    const std::uint64_t id = uuid(UuidKind::arrow, given.first_arrow + end.arrow);
    if (end.side == ArrowEnd::Side::from) {
      event.add_flow_ids(id);
    } else {
      event.add_terminating_flow_ids(id);
    }
  }
  write();
}

void PerfettoEncoder::close(const Track& track, std::int64_t t_ns) {
  pb::TrackEvent& event = *event_packet(t_ns).mutable_track_event();
  event.set_type(pb::TrackEvent::TYPE_SLICE_END);
  event.set_track_uuid(uuid(UuidKind::track, static_cast<std::uint64_t>(track.id)));
  write();
}

void PerfettoEncoder::sample(const Counter& counter, std::int64_t t_ns, double value) {
  pb::TrackEvent& event = *event_packet(t_ns).mutable_track_event();
  event.set_type(pb::TrackEvent::TYPE_COUNTER);
  event.set_track_uuid(uuid(UuidKind::counter, static_cast<std::uint64_t>(counter.id)));
  if (counter.unit == Counter::Unit::bytes_per_second) {
    event.set_double_counter_value(value);
  } else {
    event.set_counter_value(static_cast<std::int64_t>(value));
  }
  write();
}

/// Nothing to add: matrices have no place in the format.
void PerfettoEncoder::finish(const TrafficSums& /*traffic*/) {}

}  // namespace k3::exporter
