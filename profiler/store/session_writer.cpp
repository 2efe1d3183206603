#include "profiler/store/session_writer.h"

#include <system_error>

#include <fmt/core.h>

#include "profiler/store/blob.h"
#include "profiler/store/database.h"
#include "profiler/store/names.h"
#include "profiler/store/session_file.h"
#include "profiler/store/session_header.h"
#include "profiler/store/span_writer.h"
#include "profiler/store/totals.h"

namespace k3::store {
namespace fs = std::filesystem;

namespace {

tl::unexpected<Error> misuse(std::string message) {
  return fail(Code::internal, std::move(message));
}

bool below(std::int64_t index, std::size_t size) {
  return index >= 0 && static_cast<std::size_t>(index) < size;
}

/// Removes a file when it goes, whether or not it exists.
class RemoveOnExit {
 public:
  explicit RemoveOnExit(fs::path path) : path_(std::move(path)) {}

  ~RemoveOnExit() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }

  RemoveOnExit(const RemoveOnExit&) = delete;
  RemoveOnExit& operator=(const RemoveOnExit&) = delete;
  RemoveOnExit(RemoveOnExit&&) = delete;
  RemoveOnExit& operator=(RemoveOnExit&&) = delete;

 private:
  fs::path path_;
};

/// A published session that takes steps.
class OpenSession {
 public:
  static Result<std::unique_ptr<OpenSession>> open(const fs::path& path, const RunHeader& header);

  Result<void> add(const StepRecord& step);
  Result<void> complete();

  /// Makes one plain file if nobody else has it open; else the next reader does.
  void fold() const {
    static_cast<void>(database_.execute("PRAGMA journal_mode = DELETE").has_value());
  }

 private:
  struct Rows {
    Inserter<kStepTable> step;
    Inserter<kStepCostTable> step_cost;
    Inserter<kTrafficTable> traffic;
    Inserter<kTransferTable> transfer;
    Inserter<kExpertLoadTable> expert_load;
    Inserter<kRoutingTable> routing;
    Inserter<kLinkUseTable> link_use;
    Inserter<kLinkSampleTable> link_sample;
  };

  OpenSession(Database database, Rows rows, const RunHeader& header);

  static Result<Rows> prepare(const Database& database);
  Result<void> check(const StepRecord& step) const;
  Result<void> insert(const StepRecord& step);
  Result<void> insert_exchanges(const StepRecord& step);
  Result<void> insert_links(const StepRecord& step);
  Result<void> update_tasks(const StepRecord& step);
  Result<void> update_memory(const StepRecord& step);

  Database database_;
  Rows rows_;
  std::unique_ptr<SpanWriter> spans_;
  std::size_t num_names_;
  std::size_t num_lanes_;
  std::size_t num_ranks_;
  std::size_t num_links_;
  std::vector<std::size_t> plan_tasks_;  ///< tasks per plan
  std::vector<bool> plan_costed_;        ///< the plan's first step has been written
  std::int64_t next_span_ = 1;
  StepCosts step_costs_;
  LaneTotals lane_totals_;
  TrafficTotals traffic_totals_;
  ExpertTotals expert_totals_;
};

/// Milliseconds to wait for a reader that is just recovering or copying the file.
constexpr int kPatience = 5000;

/// Pages of log before SQLite copies them into the database. A step of the full model writes
/// ~10,000 pages; the default of 1,000 would copy after every step.
constexpr int kCheckpointPages = 20'000;

OpenSession::OpenSession(Database database, Rows rows, const RunHeader& header)
    : database_(std::move(database)),
      rows_(std::move(rows)),
      num_names_(header.names.size()),
      num_lanes_(header.lanes.size()),
      num_ranks_(static_cast<std::size_t>(header.num_ranks)),
      num_links_(header.links.size()),
      step_costs_(header.plans, header.num_ranks),
      lane_totals_(header.lanes.size()),
      expert_totals_(header.placement) {
  for (const PlanRecord& plan : header.plans)
    plan_tasks_.push_back(plan.tasks.size());
  plan_costed_.resize(plan_tasks_.size());
}

Result<OpenSession::Rows> OpenSession::prepare(const Database& database) {
  K3_TRY(auto step, Inserter<kStepTable>::prepare(database));
  K3_TRY(auto step_cost, Inserter<kStepCostTable>::prepare(database));
  K3_TRY(auto traffic, Inserter<kTrafficTable>::prepare(database));
  K3_TRY(auto transfer, Inserter<kTransferTable>::prepare(database));
  K3_TRY(auto expert_load, Inserter<kExpertLoadTable>::prepare(database));
  K3_TRY(auto routing, Inserter<kRoutingTable>::prepare(database));
  K3_TRY(auto link_use, Inserter<kLinkUseTable>::prepare(database));
  K3_TRY(auto link_sample, Inserter<kLinkSampleTable>::prepare(database));
  return Rows{std::move(step),     std::move(step_cost),   std::move(traffic),
              std::move(transfer), std::move(expert_load), std::move(routing),
              std::move(link_use), std::move(link_sample)};
}

Result<std::unique_ptr<OpenSession>> OpenSession::open(const fs::path& path,
                                                       const RunHeader& header) {
  K3_TRY(Database database, Database::open(path, OpenMode::write));
  database.set_patience(kPatience);
  // NORMAL: a killed process loses nothing, a power cut at most the last steps.
  K3_TRY_VOID(database.execute(fmt::format(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = {}",
      kCheckpointPages)));
  K3_TRY(Rows rows, prepare(database));
  std::unique_ptr<OpenSession> session(
      new OpenSession(std::move(database), std::move(rows), header));
  K3_TRY(session->spans_, SpanWriter::prepare(session->database_));
  return session;
}

Result<void> OpenSession::check(const StepRecord& step) const {
  std::size_t num_tasks = 0;
  if (!plan_tasks_.empty()) {
    if (!below(step.plan, plan_tasks_.size()))
      return misuse(fmt::format("step of plan {}", step.plan));
    num_tasks = plan_tasks_[static_cast<std::size_t>(step.plan)];
  }
  for (const Span& span : step.spans) {
    if (!below(span.lane, num_lanes_) || !below(span.name, num_names_) || span.layer < -1 ||
        (span.task != -1 && !below(span.task, num_tasks))) {
      return misuse(fmt::format("span of lane {}, name {}, layer {}, task {}", span.lane, span.name,
                                span.layer, span.task));
    }
  }
  const std::size_t cells = num_ranks_ * num_ranks_;
  for (const TrafficRecord& record : step.traffic) {
    if (record.num_ranks != static_cast<int>(num_ranks_) || record.copies.size() != cells ||
        record.rows.size() != cells || record.bytes.size() != cells) {
      return misuse(
          fmt::format("traffic of layer {} is not a matrix of {} ranks", record.layer, num_ranks_));
    }
  }
  for (const ExpertLoadRecord& record : step.expert_load) {
    K3_TRY_VOID(expert_totals_.check(record));
  }
  for (const LinkUseRecord& record : step.link_use) {
    if (!below(record.link, num_links_)) return misuse(fmt::format("use of link {}", record.link));
  }
  for (const LinkSampleRecord& record : step.link_samples) {
    if (!below(record.link, num_links_)) {
      return misuse(fmt::format("sample of link {}", record.link));
    }
  }
  for (const RoutingRecord& record : step.routing) {
    const auto choices = std::int64_t{record.num_tokens} * record.top_k;
    if (record.num_tokens < 0 || record.top_k < 0 ||
        record.experts.size() != static_cast<std::size_t>(choices)) {
      return misuse(
          fmt::format("routing of layer {} has {} choices", record.layer, record.experts.size()));
    }
  }
  return {};
}

Result<void> OpenSession::insert_exchanges(const StepRecord& step) {
  for (const TrafficRecord& record : step.traffic) {
    K3_TRY_VOID(rows_.traffic.row(step.step, record.layer, stored_name(record.direction),
                                  record.num_ranks, blob_of(record.copies), blob_of(record.rows),
                                  blob_of(record.bytes)));
  }
  for (const TransferRecord& record : step.transfers) {
    K3_TRY_VOID(rows_.transfer.row(step.step, record.layer, stored_name(record.direction),
                                   record.rank, record.begin_ns, record.wait_ns, record.move_ns));
  }
  for (const ExpertLoadRecord& record : step.expert_load) {
    K3_TRY_VOID(rows_.expert_load.row(step.step, record.layer, record.expert_tokens.size(),
                                      blob_of(record.expert_tokens), blob_of(record.slot_tokens)));
  }
  for (const RoutingRecord& record : step.routing) {
    K3_TRY_VOID(rows_.routing.row(step.step, record.layer, record.num_tokens, record.top_k,
                                  compressed(record.experts)));
  }
  return {};
}

Result<void> OpenSession::insert_links(const StepRecord& step) {
  for (const LinkUseRecord& record : step.link_use) {
    K3_TRY_VOID(rows_.link_use.row(step.step, record.layer, stored_name(record.direction),
                                   record.link, record.bytes, record.busy_ns));
  }
  for (const LinkSampleRecord& record : step.link_samples)
    K3_TRY_VOID(rows_.link_sample.row(step.step, record.link, record.t_ns, record.bytes_per_s));
  return {};
}

Result<void> OpenSession::insert(const StepRecord& step) {
  K3_TRY_VOID(rows_.step.row(step.step, step.plan, stored_name(step.phase), step.sequences,
                             step.tokens, step.context, step.begin_ns, step.duration_ns, 1,
                             next_span_, step.spans.size()));
  K3_TRY_VOID(spans_->insert(step, next_span_));
  K3_TRY_VOID(step_costs_.insert(step, rows_.step_cost));
  K3_TRY_VOID(update_tasks(step));
  K3_TRY_VOID(update_memory(step));
  K3_TRY_VOID(insert_links(step));
  return insert_exchanges(step);
}

Result<void> OpenSession::update_tasks(const StepRecord& step) {
  // NOTE: what routing adds to a task's cost is known only when its plan has run once.
  if (plan_costed_.empty() || plan_costed_[static_cast<std::size_t>(step.plan)]) return {};
  K3_TRY(
      Statement update,
      database_.prepare("UPDATE task SET flops = ?, bytes = ? WHERE plan_id = ? AND task_id = ?"));
  for (const Span& span : step.spans) {
    const bool is_work =
        span.category == SpanCategory::compute || span.category == SpanCategory::transfer;
    if (span.task < 0 || !is_work) continue;
    update.bind(1, span.flops);
    update.bind(2, span.bytes);
    update.bind(3, step.plan);
    update.bind(4, span.task);
    K3_TRY_VOID(update.run());
  }
  return {};
}

Result<void> OpenSession::update_memory(const StepRecord& step) {
  if (step.memory.empty()) return {};
  K3_TRY(Statement replace,
         database_.prepare("INSERT OR REPLACE INTO memory (rank, what, bytes) VALUES (?, ?, ?)"));
  for (const MemoryRecord& record : step.memory) {
    replace.bind(1, record.rank);
    replace.bind(2, std::string_view(record.what));
    replace.bind(3, record.bytes);
    K3_TRY_VOID(replace.run());
  }
  return {};
}

Result<void> OpenSession::add(const StepRecord& step) {
  K3_TRY_VOID(check(step));
  K3_TRY(Transaction transaction, Transaction::begin(database_));
  K3_TRY_VOID(insert(step));
  K3_TRY_VOID(transaction.commit());
  // NOTE: a step that could not be committed (full disk) must not be in the totals either; `check`
  // has made sure that these do not fail.
  for (const TrafficRecord& record : step.traffic)
    K3_TRY_VOID(traffic_totals_.add(record));
  for (const ExpertLoadRecord& record : step.expert_load)
    K3_TRY_VOID(expert_totals_.add(record));
  for (const Span& span : step.spans)
    lane_totals_.add(span);
  if (!plan_costed_.empty()) plan_costed_[static_cast<std::size_t>(step.plan)] = true;
  spans_->committed(step, next_span_);
  next_span_ += static_cast<std::int64_t>(step.spans.size());
  return {};
}

Result<void> OpenSession::complete() {
  K3_TRY(Transaction transaction, Transaction::begin(database_));
  K3_TRY_VOID(spans_->insert_rest());
  K3_TRY_VOID(lane_totals_.insert(database_));
  K3_TRY_VOID(traffic_totals_.insert(database_));
  K3_TRY_VOID(expert_totals_.insert(database_));
  K3_TRY_VOID(database_.execute(
      fmt::format("UPDATE meta SET value = '1' WHERE key = '{}'", kMetaComplete)));
  return transaction.commit();
}

class SessionWriter final : public TraceSink {
 public:
  SessionWriter(fs::path path, Overwrite overwrite)
      : path_(std::move(path)), overwrite_(overwrite) {}

  ~SessionWriter() override {
    if (session_) session_->fold();
  }

  SessionWriter(const SessionWriter&) = delete;
  SessionWriter& operator=(const SessionWriter&) = delete;
  SessionWriter(SessionWriter&&) = delete;
  SessionWriter& operator=(SessionWriter&&) = delete;

  Result<void> begin(const RunHeader& header) override {
    if (begun_) return misuse("a session begins once");
    const fs::path temporary = temporary_name(path_);
    const RemoveOnExit cleanup(temporary);
    std::error_code ignored;
    fs::remove(temporary, ignored);
    if (auto written = write_header_file(temporary, header); !written) {
      Error error = std::move(written).error();
      error.where = path_.string();
      return tl::unexpected(std::move(error));
    }
    K3_TRY(claim_, publish_session(temporary, path_, overwrite_));
    begun_ = true;
    Result<std::unique_ptr<OpenSession>> session = OpenSession::open(path_, header);
    if (!session) {
      fs::remove(path_, ignored);
      return tl::unexpected(std::move(session).error());
    }
    session_ = *std::move(session);
    return {};
  }

  Result<void> step(const StepRecord& step) override {
    if (!session_) return misuse("a step outside of begin and finish");
    Result<void> added = session_->add(step);
    if (added) {
      ++num_steps_;
      return added;
    }
    return tl::unexpected(with_what_is_kept(std::move(added).error()));
  }

  Result<void> finish() override {
    if (!session_) return misuse("finish without begin");
    if (Result<void> completed = session_->complete(); !completed) {
      return tl::unexpected(with_what_is_kept(std::move(completed).error()));
    }
    session_->fold();
    session_.reset();
    claim_ = {};
    return {};
  }

 private:
  /// Where the disk gives up, the error says what the file holds all the same.
  Error with_what_is_kept(Error error) const {
    if (error.code != Code::io) return error;
    if (num_steps_ == 0) {
      error.message += "; the session holds no step";
    } else if (num_steps_ == 1) {
      error.message += "; the session holds the first step";
    } else {
      error.message += fmt::format("; the session holds the first {} steps", num_steps_);
    }
    return error;
  }

  fs::path path_;
  Overwrite overwrite_;
  bool begun_ = false;
  int num_steps_ = 0;
  WriteClaim claim_;  ///< given up only after the session is closed
  std::unique_ptr<OpenSession> session_;
};

}  // namespace

Result<std::unique_ptr<TraceSink>> create_session(const fs::path& path, Overwrite overwrite) {
  K3_TRY_VOID(check_output(path, overwrite));
  return std::make_unique<SessionWriter>(path, overwrite);
}

}  // namespace k3::store
