#include "tests/unit/profiler_store/sample_run.h"

#include <algorithm>

#include <fmt/core.h>

#include "engine/base/rng.h"
#include "profiler/store/names.h"
#include "profiler/store/session_writer.h"

namespace k3::test {
namespace {

constexpr int kRanks = 3;
constexpr int kExperts = 5;
constexpr int kSlots = 7;
constexpr int kLayers = 4;

/// Sums over a run must stay below 2⁶³, as they do in real ones.
constexpr std::uint64_t kMaxCellBytes = std::uint64_t{1} << 50;

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : rng_(seed) {}

  template <class T>
  T below(std::int64_t limit) {
    return static_cast<T>(rng_.next() % static_cast<std::uint64_t>(limit));
  }

  template <class T>
  std::vector<T> numbers(std::size_t count) {
    std::vector<T> out(count);
    for (T& value : out)
      value = static_cast<T>(rng_.next());
    return out;
  }

  double real() { return rng_.normal() * 1e9; }

 private:
  Rng rng_;
};

PlanRecord random_plan(Draw& draw, Phase phase, std::size_t num_names) {
  PlanRecord plan{
      .hash = draw.below<std::uint64_t>(INT64_MAX) * 2 + 1, .phase = phase, .tasks = {}};
  const auto count = 20 + draw.below<int>(20);
  for (int i = 0; i < count; ++i) {
    plan.tasks.push_back({.rank = draw.below<std::int32_t>(kRanks),
                          .kind = draw.below<TaskKind>(kNumTaskKinds),
                          .stage = draw.below<Stage>(kNumStages),
                          .layer = static_cast<std::int16_t>(draw.below<int>(kLayers + 1) - 1),
                          .name = draw.below<std::int32_t>(static_cast<std::int64_t>(num_names)),
                          .flops = draw.real(),
                          .bytes = draw.real()});
  }
  return plan;
}

RunHeader random_header(Draw& draw) {
  RunHeader header{.kind = draw.below<RunKind>(3),
                   .scenario = "[model]\npreset = \"mini\"\n",
                   .meta = {{"a key", "quotes ' and \" and é"}, {"empty", ""}, {"title", "a run"}},
                   .num_ranks = kRanks,
                   .gpus_per_tray = 2,
                   .host = "host",
                   .device = "device",
                   .names = {"kda.recur", "mla.attend", "wait", "dispatch"},
                   .lanes = {},
                   .plans = {},
                   .placement = {},
                   .memory = {}};
  for (int rank = 0; rank < kRanks; ++rank) {
    header.lanes.push_back({rank, LaneKind::compute, fmt::format("rank {}", rank)});
    header.lanes.push_back({rank, LaneKind::communication, "dispatch"});
    for (const char* what : {"experts", "kv_cache"}) {
      header.memory.push_back({rank, what, draw.below<std::int64_t>(INT64_MAX)});
    }
  }
  header.plans.push_back(random_plan(draw, Phase::prefill, header.names.size()));
  header.plans.push_back(random_plan(draw, Phase::decode, header.names.size()));
  for (std::int16_t layer = 1; layer < kLayers; ++layer) {
    for (std::int32_t slot = 0; slot < kSlots; ++slot) {
      header.placement.push_back({.layer = layer,
                                  .slot = slot,
                                  .rank = slot * kRanks / kSlots,
                                  .expert = draw.below<std::int32_t>(kExperts + 1) - 1,
                                  .share = draw.real()});
    }
  }
  return header;
}

void add_exchanges(Draw& draw, StepRecord& step) {
  for (std::int16_t layer = 1; layer < kLayers; ++layer) {
    for (const Direction direction : {Direction::dispatch, Direction::combine}) {
      step.traffic.push_back({.layer = layer,
                              .direction = direction,
                              .num_ranks = kRanks,
                              .copies = draw.numbers<std::uint32_t>(kRanks * kRanks),
                              .rows = draw.numbers<std::uint32_t>(kRanks * kRanks),
                              .bytes = draw.numbers<std::uint64_t>(kRanks * kRanks)});
      for (std::uint64_t& bytes : step.traffic.back().bytes)
        bytes %= kMaxCellBytes;
      for (std::int32_t rank = 0; rank < kRanks; ++rank) {
        step.transfers.push_back({.layer = layer,
                                  .direction = direction,
                                  .rank = rank,
                                  .begin_ns = draw.below<std::int64_t>(INT64_MAX),
                                  .wait_ns = draw.below<std::int64_t>(1'000'000),
                                  .move_ns = draw.below<std::int64_t>(1'000'000)});
      }
    }
    step.expert_load.push_back({.layer = layer,
                                .expert_tokens = draw.numbers<std::uint32_t>(kExperts),
                                .slot_tokens = draw.numbers<std::uint32_t>(kSlots)});
    const int tokens = draw.below<int>(100);
    step.routing.push_back(
        {.layer = layer,
         .num_tokens = tokens,
         .top_k = 2,
         .experts = draw.numbers<std::uint16_t>(static_cast<std::size_t>(tokens) * 2)});
  }
}

StepRecord random_step(Draw& draw, const RunHeader& header, std::int32_t number) {
  StepRecord step{.step = number,
                  .plan = number == 0 ? 0 : 1,
                  .phase = number == 0 ? Phase::prefill : Phase::decode,
                  .sequences = draw.below<std::int64_t>(1000),
                  .tokens = draw.below<std::int64_t>(1000),
                  .context = draw.below<std::int64_t>(1 << 20),
                  .begin_ns = draw.below<std::int64_t>(INT64_MAX),
                  .duration_ns = draw.below<std::int64_t>(INT64_MAX),
                  .spans = {},
                  .traffic = {},
                  .transfers = {},
                  .expert_load = {},
                  .routing = {},
                  .memory = {}};
  const auto num_tasks =
      static_cast<std::int64_t>(header.plans[static_cast<std::size_t>(step.plan)].tasks.size());
  const int count = draw.below<int>(60);
  for (int i = 0; i < count; ++i) {
    step.spans.push_back(
        {.begin_ns = draw.below<std::int64_t>(INT64_MAX),
         .duration_ns = draw.below<std::int64_t>(1'000'000'000),
         .lane = draw.below<std::int32_t>(std::ssize(header.lanes)),
         .task = static_cast<std::int32_t>(draw.below<std::int64_t>(num_tasks + 1) - 1),
         .layer = static_cast<std::int16_t>(draw.below<int>(kLayers + 1) - 1),
         .depth = draw.below<std::uint8_t>(3),
         .category = draw.below<SpanCategory>(5),
         .name = draw.below<std::int32_t>(std::ssize(header.names)),
         .flops = draw.real(),
         .bytes = draw.real()});
  }
  add_exchanges(draw, step);
  return step;
}

/// NOTE: drawn apart, so that what earlier formats hold stays the same.
void add_links(Draw draw, SampleRun& run) {
  constexpr std::int32_t kLinks = 5;
  for (std::int32_t link = 0; link < kLinks; ++link) {
    run.header.links.push_back({.src_node = fmt::format("gpu{}", link),
                                .dst_node = "plane0",
                                .plane = draw.below<std::int32_t>(3) - 1,
                                .capacity_bytes_per_s = draw.real(),
                                .latency_ns = draw.below<std::int64_t>(INT64_MAX)});
  }
  for (StepRecord& step : run.steps) {
    for (std::int32_t link = 0; link < kLinks; ++link)
      step.link_samples.push_back({link, 1000 * step.step + link, draw.real()});
    for (std::int16_t layer = -1; layer < 2; ++layer) {
      for (const Direction direction : {Direction::dispatch, Direction::combine}) {
        for (std::int32_t link = draw.below<std::int32_t>(3); link < kLinks; ++link) {
          step.link_use.push_back({.layer = layer,
                                   .direction = direction,
                                   .link = link,
                                   .bytes = draw.below<std::int64_t>(INT64_MAX),
                                   .busy_ns = draw.below<std::int64_t>(INT64_MAX)});
        }
      }
    }
  }
}

template <class T>
std::string list(const std::vector<T>& values) {
  std::string out;
  for (const T& value : values)
    out += fmt::format(" {}", value);
  return out;
}

}  // namespace

SampleRun random_run(std::uint64_t seed) {
  Draw draw(seed);
  SampleRun run;
  run.header = random_header(draw);
  for (std::int32_t i = 0; i < 5; ++i)
    run.steps.push_back(random_step(draw, run.header, i));
  add_links(Draw(seed + 1), run);
  return run;
}

std::string text_of(const RunHeader& header) {
  using store::stored_name;
  std::string out = fmt::format("{} ranks {} per tray {} host {} device {}\n{}",
                                stored_name(header.kind), header.num_ranks, header.gpus_per_tray,
                                header.host, header.device, header.scenario);
  for (const auto& [key, value] : header.meta)
    out += fmt::format("meta {} = {}\n", key, value);
  for (const auto& name : header.names)
    out += fmt::format("name {}\n", name);
  for (const auto& lane : header.lanes) {
    out += fmt::format("lane {} {} {}\n", lane.rank, stored_name(lane.kind), lane.name);
  }
  for (const auto& plan : header.plans) {
    out += fmt::format("plan {:016x} {}\n", plan.hash, stored_name(plan.phase));
    for (const auto& task : plan.tasks) {
      out += fmt::format("task {} {} {} {} {} {} {}\n", task.rank, stored_name(task.kind),
                         stored_name(task.stage), task.layer, task.name, task.flops, task.bytes);
    }
  }
  for (const auto& slot : header.placement) {
    out += fmt::format("slot {} {} {} {} {}\n", slot.layer, slot.slot, slot.rank, slot.expert,
                       slot.share);
  }
  for (const auto& part : header.memory) {
    out += fmt::format("memory {} {} {}\n", part.rank, part.what, part.bytes);
  }
  for (const auto& link : header.links) {
    out += fmt::format("link {} {} {} {} {}\n", link.src_node, link.dst_node, link.plane,
                       link.capacity_bytes_per_s, link.latency_ns);
  }
  return out;
}

std::string text_of(const StepRecord& step) {
  using store::stored_name;
  std::string out =
      fmt::format("step {} plan {} {} sequences {} tokens {} context {} at {} for {}\n", step.step,
                  step.plan, stored_name(step.phase), step.sequences, step.tokens, step.context,
                  step.begin_ns, step.duration_ns);
  for (const auto& s : step.spans) {
    out += fmt::format("span {} {} {} {} {} {} {} {} {} {}\n", s.begin_ns, s.duration_ns, s.lane,
                       s.task, s.layer, s.depth, stored_name(s.category), s.name, s.flops, s.bytes);
  }
  for (const auto& t : step.traffic) {
    out += fmt::format("traffic {} {} {}:{} /{} /{}\n", t.layer, stored_name(t.direction),
                       t.num_ranks, list(t.copies), list(t.rows), list(t.bytes));
  }
  for (const auto& t : step.transfers) {
    out += fmt::format("transfer {} {} {} {} {} {}\n", t.layer, stored_name(t.direction), t.rank,
                       t.begin_ns, t.wait_ns, t.move_ns);
  }
  for (const auto& e : step.expert_load) {
    out += fmt::format("load {}{} /{}\n", e.layer, list(e.expert_tokens), list(e.slot_tokens));
  }
  for (const auto& r : step.routing) {
    out += fmt::format("routing {} {} {}{}\n", r.layer, r.num_tokens, r.top_k, list(r.experts));
  }
  for (const auto& use : step.link_use) {
    out += fmt::format("use {} {} {} {} {}\n", use.layer, stored_name(use.direction), use.link,
                       use.bytes, use.busy_ns);
  }
  for (const auto& sample : step.link_samples)
    out += fmt::format("sample {} {} {}\n", sample.link, sample.t_ns, sample.bytes_per_s);
  return out;
}

std::string text_of(const SampleRun& run) {
  std::string out = text_of(run.header);
  for (const StepRecord& step : run.steps)
    out += text_of(step);
  return out;
}

Result<void> write_run(const std::filesystem::path& path, const SampleRun& run, Ending ending) {
  K3_TRY(const auto sink, store::create_session(path, Overwrite::no));
  K3_TRY_VOID(sink->begin(run.header));
  for (const StepRecord& step : run.steps)
    K3_TRY_VOID(sink->step(step));
  return ending == Ending::finished ? sink->finish() : Result<void>();
}

Result<SampleRun> read_run(const std::filesystem::path& path) {
  K3_TRY(const auto session, store::SessionReader::open(path));
  SampleRun run;
  K3_TRY(run.header, session.header());
  K3_TRY(const auto rows, session.steps());
  for (const store::StepRow& row : rows) {
    K3_TRY(StepRecord step, session.step(row));
    run.steps.push_back(std::move(step));
  }
  return run;
}

Result<std::string> rows_of(const store::SessionReader& session, const std::string& sql) {
  K3_TRY(store::Statement query, session.database().prepare(sql));
  std::string out;
  K3_TRY_VOID(store::for_each_row(query, [&](const store::Statement& row) -> Result<void> {
    for (int i = 0; i < row.num_columns(); ++i)
      out += fmt::format("{}{}", i > 0 ? "|" : "", row.text(i));
    out += '\n';
    return {};
  }));
  return out;
}

}  // namespace k3::test
