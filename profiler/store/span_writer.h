#pragma once

#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <vector>

#include "engine/base/result.h"
#include "engine/trace/trace.h"
#include "profiler/store/database.h"

namespace k3::store {

/// What a row of span_block holds.
struct EncodedBlock {
  std::int32_t lane = 0;
  std::int32_t depth = 0;
  std::int64_t first_begin_ns = 0;
  std::int64_t last_end_ns = 0;
  std::int64_t count = 0;
  std::int64_t busy_ns = 0;
  std::int64_t span_limit = 0;
  std::vector<std::byte> columns;
};

/// The spans of one step, whose span_ids count up from `first_span`.
struct NumberedSpans {
  std::int32_t step = 0;
  std::int64_t first_span = 0;
  std::vector<Span> spans;
};

/// Blocks of whole steps, by lane and depth.
std::vector<EncodedBlock> encode_blocks(const std::vector<NumberedSpans>& steps);

/// Writes spans three times over: as rows (what SQL reads), as stretches of rows by time, and,
/// encoded by another thread once many have come together, as blocks of columns. Not thread-safe.
class SpanWriter {
 public:
  /// Spans that are encoded together: enough for blocks of some thousand spans with a hundred
  /// lanes, few enough to be kept (60 MB with those being encoded).
  static constexpr std::size_t kBatchSpans = std::size_t{1} << 19;

  static Result<std::unique_ptr<SpanWriter>> prepare(const Database& database,
                                                     std::size_t batch_spans = kBatchSpans);
  ~SpanWriter();
  SpanWriter(const SpanWriter&) = delete;
  SpanWriter& operator=(const SpanWriter&) = delete;
  SpanWriter(SpanWriter&&) = delete;
  SpanWriter& operator=(SpanWriter&&) = delete;

  /// Rows and stretches of a step, and the blocks that are ready; inside a transaction.
  Result<void> insert(const StepRecord& step, std::int64_t first_span);

  /// The transaction of that step has been committed.
  void committed(const StepRecord& step, std::int64_t first_span);

  /// The blocks of all steps that have none yet; inside a transaction.
  Result<void> insert_rest();

 private:
  struct Source;

  SpanWriter(const Database& database, std::size_t batch_spans);

  Result<void> insert_stretches(const StepRecord& step, std::int64_t first_span);
  Result<void> insert_blocks();
  void encode_in_background();

  const Database& database_;
  std::size_t batch_spans_;
  std::unique_ptr<Source> source_;
  std::vector<Statement> insert_rows_;  ///< exactly one
  std::vector<NumberedSpans> waiting_;  ///< committed, in no block yet
  std::size_t num_waiting_ = 0;
  std::future<std::vector<EncodedBlock>> encoding_;
  std::vector<EncodedBlock> ready_;  ///< inserted, or about to be; kept until committed
  bool ready_inserted_ = false;
};

}  // namespace k3::store
