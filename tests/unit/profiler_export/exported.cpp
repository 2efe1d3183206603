#include "tests/unit/profiler_export/exported.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

#include <fmt/core.h>

#include "engine/base/rng.h"
#include "profiler/store/names.h"

namespace k3::test {

std::string TraceSpan::text() const {
  return fmt::format("rank {} at {} for {}: '{}' {} step {} layer {} {} {} task {} {} {}", rank,
                     begin_ns, duration_ns, name, category, step, layer, kind, stage, task, flops,
                     bytes);
}

std::vector<std::string> spans_of(const store::SessionReader& session,
                                  const std::vector<std::string>& names) {
  std::vector<std::string> out;
  const auto lanes = session.lanes().value();
  const auto steps = session.steps().value();
  for (const store::StepRow& row : steps) {
    const auto plan = session.plan(row.plan);
    const auto spans = session.spans(row).value();
    for (const Span& span : spans) {
      TraceSpan text{.rank = lanes[static_cast<std::size_t>(span.lane)].rank,
                     .begin_ns = span.begin_ns,
                     .duration_ns = span.duration_ns,
                     .name = names[static_cast<std::size_t>(span.name)],
                     .category = std::string(store::stored_name(span.category)),
                     .step = row.step,
                     .layer = span.layer,
                     .kind = "",
                     .stage = "",
                     .task = span.task,
                     .flops = span.flops,
                     .bytes = span.bytes};
      if (span.category == SpanCategory::wait) text.name += " wait";
      if (span.task >= 0) {
        text.kind = name_of(plan->tasks[static_cast<std::size_t>(span.task)].kind);
        text.stage = name_of(plan->tasks[static_cast<std::size_t>(span.task)].stage);
      }
      out.push_back(text.text());
    }
  }
  std::ranges::sort(out);
  return out;
}

std::vector<std::string> spans_of(const store::SessionReader& session) {
  return spans_of(session, session.names().value());
}

std::vector<std::vector<std::string>> read_csv(const std::string& text) {
  std::vector<std::vector<std::string>> lines;
  std::vector<std::string> line;
  std::string field;
  bool quoted = false;
  bool was_quoted = false;
  const auto end_field = [&] {
    line.push_back(field.empty() && !was_quoted ? "∅" : field);
    field.clear();
    was_quoted = false;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      field += text[++i];
    } else if (c == '"') {
      quoted = !quoted;
      was_quoted = true;
    } else if (!quoted && (c == ',' || c == '\n')) {
      end_field();
      if (c == '\n') lines.push_back(std::exchange(line, {}));
    } else {
      field += c;
    }
  }
  EXPECT_TRUE(!quoted && line.empty() && field.empty()) << "the last line has no end";
  return lines;
}

std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

exporter::ExportSummary exported(const store::SessionReader& session,
                                 const exporter::ExportRequest& request) {
  Progress progress;
  const auto summary = exporter::export_session(session, request, progress);
  EXPECT_TRUE(summary) << summary.error().text();
  return summary.value_or(exporter::ExportSummary{});
}

SampleRun odd_run() {
  SampleRun run = small_run(RunKind::imported, 0);
  run.header.num_ranks = 3;
  run.header.host = "secret-host";
  run.header.scenario = "[model]\ncheckpoint = \"/srv/somebody/k3\"\n";
  run.header.meta.emplace_back("command", "run --user somebody");
  run.header.names = {"plain", "\"quoted\"\\,\n\ttwo lines", "Größe → 大", "bro\xff\xc3ken",
                      "load(/srv/somebody/train.py)"};
  run.header.lanes.push_back({2, LaneKind::other, "idle, \"lane\""});
  StepRecord& step = run.steps[0];
  step.spans.clear();
  step.traffic.clear();  // is one of two ranks
  const auto add = [&](std::int64_t begin, std::int64_t duration, std::uint8_t depth) {
    step.spans.push_back({.begin_ns = begin,
                          .duration_ns = duration,
                          .lane = 0,
                          .depth = depth,
                          .category = SpanCategory::other,
                          .name = static_cast<std::int32_t>(step.spans.size() % 5),
                          .flops = 0.1 * static_cast<double>(step.spans.size())});
  };
  add(-500, 100, 0);
  add(0, 1000, 0);
  add(0, 300, 1);
  add(0, 0, 2);
  add(300, 700, 1);  // ends with its parent
  add(1000, 0, 1);   // inside the parent's last moment
  add(1000, 0, 0);   // after it
  add(1000, 500, 0);
  add(1200, 800, 0);  // crosses
  add(1300, 900, 0);  // crosses both
  add(2000, 10, 0);
  return run;
}

SampleRun crossing_run(std::uint64_t seed, int count) {
  SampleRun run = small_run(RunKind::imported, 3);
  Rng rng(seed);
  const auto below = [&](std::uint64_t limit) {
    return static_cast<std::int64_t>(rng.next() % limit);
  };
  for (StepRecord& step : run.steps) {
    step.spans.clear();
    for (int i = 0; i < count; ++i) {
      step.spans.push_back({.begin_ns = 50 * step.step + below(200),
                            .duration_ns = below(30) * below(2),
                            .lane = static_cast<std::int32_t>(below(2)),
                            .depth = static_cast<std::uint8_t>(below(3)),
                            .category = static_cast<SpanCategory>(below(5)),
                            .name = static_cast<std::int32_t>(below(2))});
    }
  }
  return run;
}

}  // namespace k3::test
