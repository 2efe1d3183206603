#include <fmt/core.h>

#include "engine/text/json.h"
#include "profiler/export/chrome_encoder_internal.h"
#include "profiler/export/text_values_internal.h"
#include "profiler/store/names.h"

namespace k3::exporter {
namespace {

std::string json_text(std::string_view text) {
  return Json(text).dump(-1);
}

std::string_view unit_key(Counter::Unit unit) {
  switch (unit) {
    case Counter::Unit::bytes:
      return "bytes";
    case Counter::Unit::bytes_per_second:
      return "bytes_per_s";
    case Counter::Unit::tokens:
      break;
  }
  return "tokens";
}

void append_matrix(const std::vector<std::uint64_t>& cells, int num_ranks, std::string& out) {
  const auto n = static_cast<std::size_t>(num_ranks);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    out += i == 0 ? "[[" : i % n == 0 ? "],\n[" : ",";
    append_integer(cells[i], out);
  }
  out += cells.empty() ? "[]" : "]]";
}

}  // namespace

ChromeEncoder::ChromeEncoder(const RunFacts& facts, std::string& out) : facts_(facts), out_(out) {
  for (const std::string& name : facts.names) {
    names_.push_back(json_text(name));
    wait_names_.push_back(json_text(name + std::string(kWaitSuffix)));
  }
}

void ChromeEncoder::next_event() {
  out_ += any_event_ ? ",\n" : "\n";
  any_event_ = true;
}

void ChromeEncoder::place(std::int64_t process, std::int64_t thread, std::int64_t t_ns) {
  out_ += ",\"pid\":";
  append_integer(process, out_);
  out_ += ",\"tid\":";
  append_integer(thread, out_);
  out_ += ",\"ts\":";
  append_micros(t_ns, out_);
}

void ChromeEncoder::metadata(const char* what, std::int64_t process, std::int64_t thread) {
  next_event();
  out_ += fmt::format("{{\"ph\":\"M\",\"name\":\"{}\",\"pid\":{},\"tid\":{},\"args\":", what,
                      process, thread);
}

void ChromeEncoder::process(std::int64_t id, std::string_view label, std::int64_t sort) {
  metadata("process_name", id, 0);
  out_ += fmt::format("{{\"name\":{}}}}}", json_text(label));
  metadata("process_sort_index", id, 0);
  out_ += fmt::format("{{\"sort_index\":{}}}}}", sort);
}

void ChromeEncoder::begin() {
  out_ += "{\"displayTimeUnit\":\"ns\",\"baseTimeNanoseconds\":0,\n\"otherData\":{";
  for (std::size_t i = 0; i < facts_.meta.size(); ++i) {
    out_ += i == 0 ? "\n" : ",\n";
    out_ += json_text(facts_.meta[i].first) + ":" + json_text(facts_.meta[i].second);
  }
  out_ += "},\n\"traceEvents\":[";
  process(kMachineProcess, kMachineLabel, -1);
  for (std::size_t rank = 0; rank < facts_.rank_labels.size(); ++rank) {
    const auto number = static_cast<std::int32_t>(rank);
    if (facts_.has(number)) process(kFirstRankProcess + number, facts_.rank_labels[rank], number);
  }
}

void ChromeEncoder::track(const Track& track) {
  metadata("thread_name", track.process(), track.thread());
  out_ += fmt::format("{{\"name\":{}}}}}", json_text(track.name));
  metadata("thread_sort_index", track.process(), track.thread());
  out_ += fmt::format("{{\"sort_index\":{}}}}}", track.sort);
}

void ChromeEncoder::counter(const Counter& counter) {
  counter_names_.push_back(json_text(counter.name));
}

void ChromeEncoder::member(std::string_view key, std::string_view json) {
  out_ += ",\"";
  out_ += key;
  out_ += "\":";
  out_ += json;
}

void ChromeEncoder::open_step(const Track& track, const store::StepRow& step) {
  next_event();
  out_ += fmt::format("{{\"ph\":\"X\",\"name\":\"{} step {}\",\"cat\":\"step\"",
                      name_of(step.phase), step.step);
  place(track.process(), track.thread(), step.begin_ns);
  out_ += ",\"dur\":";
  append_micros(step.duration_ns, out_);
  out_ += fmt::format(",\"args\":{{\"step\":{},\"sequences\":{},\"tokens\":{},\"context\":{}}}}}",
                      step.step, step.sequences, step.tokens, step.context);
}

/// What is zero or none is left out.
void ChromeEncoder::arguments(const SpanEvent& event) {
  const Span& span = *event.span;
  out_ += ",\"args\":{\"step\":";
  append_integer(event.step, out_);
  const auto integer = [&](std::string_view key, std::int64_t value) {
    member(key, {});
    append_integer(value, out_);
  };
  const auto real = [&](std::string_view key, double value) {
    if (value == 0) return;
    member(key, {});
    append_real(value, "null", out_);
  };
  if (span.layer >= 0) integer("layer", span.layer);
  if (event.task != nullptr) {
    member("kind", "\"");
    out_ += name_of(event.task->kind);
    out_ += '"';
    member("stage", "\"");
    out_ += name_of(event.task->stage);
    out_ += '"';
  }
  if (span.task >= 0) integer("task", span.task);
  real("flops", span.flops);
  real("bytes", span.bytes);
  out_ += '}';
}

void ChromeEncoder::arrow_end(const Track& track, const SpanEvent& event, const ArrowEnd& end) {
  next_event();
  const bool from = end.side == ArrowEnd::Side::from;
  out_ += from ? "{\"ph\":\"s\"" : "{\"ph\":\"f\",\"bp\":\"e\"";
  out_ += ",\"name\":\"exchange\",\"cat\":\"exchange\",\"id\":";
  append_integer(event.first_arrow + end.arrow, out_);
  place(track.process(), track.thread(), event.span->begin_ns);
  out_ += '}';
}

void ChromeEncoder::open_span(const Track& track, const SpanEvent& event) {
  const Span& span = *event.span;
  const bool waits = span.category == SpanCategory::wait;
  next_event();
  out_ += "{\"ph\":\"X\"";
  member("name", (waits ? wait_names_ : names_)[static_cast<std::size_t>(span.name)]);
  member("cat", "\"");
  out_ += store::stored_name(span.category);
  out_ += '"';
  place(track.process(), track.thread(), span.begin_ns);
  out_ += ",\"dur\":";
  append_micros(span.duration_ns, out_);
  if (waits) out_ += ",\"cname\":\"grey\"";
  arguments(event);
  out_ += '}';
  for (const ArrowEnd& end : event.arrows)
    arrow_end(track, event, end);
}

/// Complete events need no end.
void ChromeEncoder::close(const Track& /*track*/, std::int64_t /*t_ns*/) {}

void ChromeEncoder::sample(const Counter& counter, std::int64_t t_ns, double value) {
  next_event();
  out_ += "{\"ph\":\"C\"";
  member("name", counter_names_[static_cast<std::size_t>(counter.id)]);
  place(counter.rank < 0 ? kMachineProcess : kFirstRankProcess + counter.rank, 0, t_ns);
  out_ += ",\"args\":{\"";
  out_ += unit_key(counter.unit);
  out_ += "\":";
  append_real(value, "0", out_);
  out_ += "}}";
}

void ChromeEncoder::finish(const TrafficSums& traffic) {
  out_ += "\n]";
  if (traffic.num_ranks > 0) {
    out_ += ",\n\"traffic_total\":{\"axes\":[\"source\",\"destination\"]";
    for (const Direction direction : {Direction::dispatch, Direction::combine}) {
      const TrafficSums::Matrix& sum = traffic.directions[static_cast<int>(direction)];
      member(name_of(direction), "{\"copies\":");
      append_matrix(sum.copies, traffic.num_ranks, out_);
      member("rows", {});
      append_matrix(sum.rows, traffic.num_ranks, out_);
      member("bytes", {});
      append_matrix(sum.bytes, traffic.num_ranks, out_);
      out_ += '}';
    }
    out_ += '}';
  }
  out_ += "}\n";
}

}  // namespace k3::exporter
