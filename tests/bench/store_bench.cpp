// Times of the session store and of the model behind the timeline, on a synthetic run of 72 ranks
// with two lanes each. usage: store_bench FOLDER [SPANS]; with 0 it reads the session that an
// earlier run has left in FOLDER

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <sqlite3.h>
#include <sys/resource.h>

#include "engine/base/rng.h"
#include "profiler/query/costs.h"
#include "profiler/query/lane_items.h"
#include "profiler/query/lane_search.h"
#include "profiler/query/lane_statistics.h"
#include "profiler/query/lanes.h"
#include "profiler/query/session_summary.h"
#include "profiler/query/sql.h"
#include "profiler/query/time_range.h"
#include "profiler/store/names.h"
#include "profiler/store/schema.h"
#include "profiler/store/session_reader.h"
#include "profiler/store/session_writer.h"

namespace k3 {
namespace {

namespace fs = std::filesystem;

constexpr std::int32_t kRanks = 72;
constexpr std::int16_t kLayers = 93;
constexpr double kSpansPerMega = 1e6;

/// Seconds by the clock, and those that processors worked for this program (all threads): on a busy
/// host only the second say what the work costs.
struct Seconds {
  double wall = 0;
  double cpu = 0;

  Seconds& operator+=(const Seconds& other) {
    wall += other.wall;
    cpu += other.cpu;
    return *this;
  }
};

class Watch {
 public:
  Seconds seconds() const { return {wall_now() - begin_.wall, cpu_now() - begin_.cpu}; }

 private:
  static double wall_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

  static double cpu_now() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }

  Seconds begin_{wall_now(), cpu_now()};
};

template <class T>
T checked(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "store_bench: %s\n", result.error().text().c_str());
    std::exit(1);
  }
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

/// Least of `runs` times of `work`.
template <class Work>
Seconds least_of(int runs, const Work& work) {
  Seconds least{1e300, 1e300};
  for (int i = 0; i < runs; ++i) {
    const Watch watch;
    work();
    const Seconds seconds = watch.seconds();
    least = {std::min(least.wall, seconds.wall), std::min(least.cpu, seconds.cpu)};
  }
  return least;
}

/// What one rank does in a layer: kind, and whether it runs on the communication lane.
struct LayerTask {
  TaskKind kind;
  Stage stage;
  std::int64_t mean_ns;
};

constexpr LayerTask kLayerTasks[] = {
    {TaskKind::norm, Stage::attention, 2'000}, {TaskKind::kda, Stage::project, 9'000},
    {TaskKind::kda, Stage::recur, 6'000},      {TaskKind::kda, Stage::output, 4'000},
    {TaskKind::norm, Stage::ffn, 2'000},       {TaskKind::router, Stage::whole, 3'000},
    {TaskKind::dispatch, Stage::whole, 7'000}, {TaskKind::experts, Stage::whole, 25'000},
    {TaskKind::combine, Stage::whole, 9'000},  {TaskKind::shared, Stage::whole, 5'000},
};
constexpr std::int32_t kTasksPerRank = kLayers * static_cast<std::int32_t>(std::size(kLayerTasks));

RunHeader header_of_run() {
  RunHeader header;
  header.kind = RunKind::simulated;
  header.num_ranks = kRanks;
  header.gpus_per_tray = 4;
  header.host = "bench";
  header.device = "none";
  for (const LayerTask& task : kLayerTasks)
    header.names.push_back(fmt::format("{}.{}", name_of(task.kind), name_of(task.stage)));
  PlanRecord plan{.hash = 1, .phase = Phase::decode, .tasks = {}};
  for (std::int32_t rank = 0; rank < kRanks; ++rank) {
    header.lanes.push_back({rank, LaneKind::compute, fmt::format("rank {}", rank)});
    header.lanes.push_back({rank, LaneKind::communication, fmt::format("rank {} network", rank)});
    for (std::int16_t layer = 0; layer < kLayers; ++layer) {
      std::int32_t name = 0;
      for (const LayerTask& task : kLayerTasks) {
        plan.tasks.push_back({.rank = rank,
                              .kind = task.kind,
                              .stage = task.stage,
                              .layer = layer,
                              .name = name++,
                              .flops = 1e9,
                              .bytes = 1e6});
      }
    }
  }
  header.plans = {plan};
  return header;
}

/// One step that begins at `begin_ns`; every exchange is a wait and a transfer.
StepRecord step_of_run(std::int32_t number, std::int64_t begin_ns, Rng& rng) {
  StepRecord step;
  step.step = number;
  step.sequences = 4608;
  step.tokens = 4608;
  step.context = 8192 + number;
  step.begin_ns = begin_ns;
  const auto drawn = [&](std::int64_t mean_ns) {
    return mean_ns * static_cast<std::int64_t>(70 + rng.next() % 61) / 100;
  };
  for (std::int32_t rank = 0; rank < kRanks; ++rank) {
    std::int64_t now = begin_ns;
    std::int32_t task_id = rank * kTasksPerRank;
    for (std::int16_t layer = 0; layer < kLayers; ++layer) {
      std::int32_t name = 0;
      for (const LayerTask& task : kLayerTasks) {
        const bool exchange = is_communication(task.kind);
        Span span{.begin_ns = now,
                  .duration_ns = drawn(task.mean_ns),
                  .lane = 2 * rank,
                  .task = task_id++,
                  .layer = layer,
                  .category = SpanCategory::compute,
                  .name = name++,
                  .flops = 1e9 + static_cast<double>(rng.next() % 1000),
                  .bytes = static_cast<double>(1'000'000 + rng.next() % 1000)};
        if (exchange) {
          span.lane += 1;
          span.category = SpanCategory::wait;
          step.spans.push_back(span);
          span.begin_ns += span.duration_ns;
          span.category = SpanCategory::transfer;
          span.duration_ns = drawn(task.mean_ns);
        }
        step.spans.push_back(span);
        now = span.begin_ns + span.duration_ns + static_cast<std::int64_t>(rng.next() % 300);
      }
    }
    step.duration_ns = std::max(step.duration_ns, now - begin_ns);
  }
  return step;
}

/// Calls `take` with steps until they hold `num_spans` spans; gives the time spent in it.
template <class Take>
Seconds feed(std::int64_t num_spans, const Take& take) {
  Rng rng(1);
  Seconds seconds;
  std::int64_t begin_ns = 0;
  std::int64_t fed = 0;
  for (std::int32_t number = 0; fed < num_spans; ++number) {
    StepRecord step = step_of_run(number, begin_ns, rng);
    if (std::ssize(step.spans) > num_spans - fed)
      step.spans.resize(static_cast<std::size_t>(num_spans - fed));
    fed += std::ssize(step.spans);
    begin_ns += step.duration_ns + 100'000;
    const Watch watch;
    take(step);
    seconds += watch.seconds();
  }
  return seconds;
}

/// Time from `begin` until the file is closed, making the steps apart.
Seconds write_session(const fs::path& path, std::int64_t num_spans) {
  const RunHeader header = header_of_run();
  Watch watch;
  const auto sink = checked(store::create_session(path, Overwrite::yes));
  checked(sink->begin(header));
  Seconds seconds = watch.seconds();
  seconds += feed(num_spans, [&](const StepRecord& step) { checked(sink->step(step)); });
  watch = Watch();
  checked(sink->finish());
  seconds += watch.seconds();
  return seconds;
}

void run_sql(sqlite3* handle, const std::string& sql) {
  char* message = nullptr;
  if (sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, &message) == SQLITE_OK) return;
  std::fprintf(stderr, "store_bench: %s: %s\n", sql.c_str(), message);
  std::exit(1);
}

/// The same columns through one prepared statement and nothing else: same journal, a transaction
/// per step, one plain file at the end.
Seconds write_bare(const fs::path& path, std::int64_t num_spans) {
  fs::remove(path);
  sqlite3* handle = nullptr;
  sqlite3_open(path.c_str(), &handle);
  run_sql(handle,
          "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
          "PRAGMA wal_autocheckpoint = 20000;" +
              store::create_statement(store::kSpanTable));
  sqlite3_stmt* insert = nullptr;
  sqlite3_prepare_v2(handle, store::insert_statement(store::kSpanTable).c_str(), -1, &insert,
                     nullptr);
  sqlite3_int64 id = 1;
  Seconds seconds = feed(num_spans, [&](const StepRecord& step) {
    run_sql(handle, "BEGIN");
    for (const Span& span : step.spans) {
      const std::string_view category = store::stored_name(span.category);
      sqlite3_bind_int64(insert, 1, id++);
      sqlite3_bind_int64(insert, 2, span.lane);
      sqlite3_bind_int64(insert, 3, span.depth);
      sqlite3_bind_int64(insert, 4, step.step);
      sqlite3_bind_int64(insert, 5, span.task);
      sqlite3_bind_int64(insert, 6, span.layer);
      sqlite3_bind_int64(insert, 7, span.name);
      sqlite3_bind_int64(insert, 8, span.begin_ns);
      sqlite3_bind_int64(insert, 9, span.duration_ns);
      sqlite3_bind_text(insert, 10, category.data(), static_cast<int>(category.size()),
                        SQLITE_STATIC);
      sqlite3_bind_double(insert, 11, span.flops);
      sqlite3_bind_double(insert, 12, span.bytes);
      sqlite3_bind_null(insert, 13);
      if (sqlite3_step(insert) != SQLITE_DONE) std::exit(1);
      sqlite3_reset(insert);
    }
    run_sql(handle, "COMMIT");
  });
  const Watch watch;
  sqlite3_finalize(insert);
  run_sql(handle, "PRAGMA journal_mode = DELETE");
  sqlite3_close(handle);
  seconds += watch.seconds();
  return seconds;
}

void show(const std::string& what, Seconds seconds) {
  std::printf("%-62s %9.2f ms  %9.2f ms\n", what.c_str(), seconds.wall * 1e3, seconds.cpu * 1e3);
  std::fflush(stdout);
}

void show_rate(const char* what, std::int64_t num_spans, Seconds seconds) {
  const auto spans = static_cast<double>(num_spans);
  std::printf("%-62s %9.3f M/s %9.0f ns per span\n", what, spans / seconds.wall / kSpansPerMega,
              seconds.cpu * 1e9 / spans);
  std::fflush(stdout);
}

void show(const char* what, double value, const char* unit) {
  std::printf("%-62s %9.2f %s\n", what, value, unit);
  std::fflush(stdout);
}

void bench_writing(const fs::path& folder, std::int64_t num_spans) {
  std::printf("%-62s %13s %s\n", "writing", "by the clock", "     CPU");
  const Seconds before = write_bare(folder / "bare.db", num_spans);
  show_rate("bare prepared insert, before", num_spans, before);
  const Seconds session = write_session(folder / "bench.k3r", num_spans);
  show_rate("session, from begin to closed file", num_spans, session);
  const Seconds after = write_bare(folder / "bare.db", num_spans);
  show_rate("bare prepared insert, after", num_spans, after);
  show("session / mean of both bare inserts, by the clock",
       50 * (before.wall + after.wall) / session.wall, "%");
  const auto spans = static_cast<double>(num_spans);
  show("bare file", static_cast<double>(fs::file_size(folder / "bare.db")) / spans, "B per span");
  show("session file", static_cast<double>(fs::file_size(folder / "bench.k3r")) / spans,
       "B per span");
  fs::remove(folder / "bare.db");
}

void bench_items(const query::Lanes& lanes) {
  const query::TimeRange all = query::data_range(lanes).range;
  constexpr double kPixels = 1920;
  std::vector<query::LaneItem> items;
  for (const std::int64_t part : {1, 3, 10, 100, 1000}) {
    const std::int64_t width = all.duration_ns() / part;
    const Seconds seconds = least_of(5, [&] {
      items.clear();
      const std::int64_t begin = all.begin_ns + (all.duration_ns() - width) / 2;
      for (const query::Track& track : lanes.tracks) {
        query::append_items(lanes, track, {begin, begin + width},
                            static_cast<double>(width) / kPixels, items);
      }
    });
    show(fmt::format("items of {} tracks x {} px, 1/{} of the run ({} items)", lanes.tracks.size(),
                     kPixels, part, items.size()),
         seconds);
  }
}

/// The spans of a thousandth of the run, from its middle.
void bench_ranges(const fs::path& path) {
  const auto session = checked(store::SessionReader::open(path));
  const std::vector<store::StepRow> steps = checked(session.steps());
  const std::int64_t end_ns = steps.back().begin_ns + steps.back().duration_ns;
  const std::int64_t from = end_ns / 2;
  const std::int64_t to = from + end_ns / 1000;
  std::size_t found = 0;
  const Seconds api = least_of(3, [&] { found = checked(session.spans_between(from, to)).size(); });
  show(fmt::format("{} spans of a range, read from the file", found), api);
  const std::string sql = fmt::format(
      "SELECT count(*), sum(duration_ns), max(flops) FROM v_span WHERE begin_ns < {0} AND end_ns > "
      "{1} AND stretch_begin_ns < {0} AND stretch_end_ns > {1}",
      to, from);
  show("the same range by SQL, counted and summed",
       least_of(3, [&] { checked(query::run_sql(session, sql)); }));
}

void bench_reading(const fs::path& folder) {
  std::printf("\n%-62s %12s %13s\n", "reading", "by the clock", "CPU");
  const fs::path path = folder / "bench.k3r";
  show("open, summary, time per rank and per layer", least_of(3, [&] {
         const auto session = checked(store::SessionReader::open(path));
         checked(query::summarize(session));
         checked(query::rank_times(session));
         checked(query::layer_costs(session));
       }));
  bench_ranges(path);
  const auto session = checked(store::SessionReader::open(path));
  std::shared_ptr<const query::Lanes> lanes;
  show("all columns in memory", least_of(3, [&] {
         lanes.reset();
         lanes = checked(query::load_lanes(session));
       }));
  std::printf("%zu spans, %d ranks, %zu tracks\n", lanes->num_spans(), lanes->num_ranks,
              lanes->tracks.size());
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  show("most memory of this process so far", static_cast<double>(usage.ru_maxrss) / 1024, "MiB");
  show("range to show at first", least_of(5, [&] { query::data_range(*lanes); }));
  bench_items(*lanes);
  const query::TimeRange all = query::data_range(*lanes).range;
  const query::TimeRange middle{all.begin_ns + all.duration_ns() / 3,
                                all.begin_ns + all.duration_ns() / 2};
  show("statistics of a sixth of the run, all ranks",
       least_of(5, [&] { query::rank_statistics(*lanes, middle); }));
  const query::NameMatch match(*lanes, "dispatch");
  show("count of all spans with a name",
       least_of(5, [&] { query::count_matches(*lanes, match, lanes->num_spans()); }));
}

int bench(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: store_bench FOLDER [SPANS]\n");
    return 1;
  }
  const std::int64_t num_spans = argc > 2 ? std::atoll(argv[2]) : 10'000'000;
  if (num_spans > 0) bench_writing(argv[1], num_spans);
  bench_reading(argv[1]);
  return 0;
}

}  // namespace
}  // namespace k3

int main(int argc, char** argv) {
  return k3::bench(argc, argv);
}
