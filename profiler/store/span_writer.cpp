#include "profiler/store/span_writer.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/core.h>
#include <sqlite3.h>

#include "profiler/store/names.h"
#include "profiler/store/schema.h"
#include "profiler/store/span_block.h"

namespace k3::store {
namespace {

/// Rows per row of span_range: a query reads at most so many too many at either side.
constexpr std::size_t kStretchSpans = 512;

/// Table-valued source of the rows to insert.
constexpr const char* kSourceName = "new_spans";

std::int64_t end_of(std::int64_t begin_ns, std::int64_t duration_ns) {
  std::int64_t end_ns = 0;
  if (!__builtin_add_overflow(begin_ns, duration_ns, &end_ns)) return end_ns;
  return std::numeric_limits<std::int64_t>::max();
}

struct BlockSpan {
  const Span* span = nullptr;
  std::int64_t span_id = 0;
  std::int32_t step = 0;
};

EncodedBlock encode_block(std::span<const BlockSpan> spans) {
  const Span& first = *spans.front().span;
  EncodedBlock block{.lane = first.lane,
                     .depth = first.depth,
                     .first_begin_ns = first.begin_ns,
                     .last_end_ns = std::numeric_limits<std::int64_t>::min(),
                     .count = std::ssize(spans),
                     .columns = {}};
  SpanBlockValues values;
  for (std::vector<std::int64_t>& column : values)
    column.reserve(spans.size());
  std::uint64_t busy_ns = 0;  // wraps in runs that cannot be
  for (const BlockSpan& item : spans) {
    const Span& span = *item.span;
    const std::int64_t fields[] = {
        item.span_id, span.begin_ns, span.duration_ns, item.step,
        span.task,    span.layer,    span.name,        static_cast<std::int64_t>(span.category)};
    for (std::size_t field = 0; field < kNumSpanFields; ++field)
      values[field].push_back(fields[field]);
    if (span.category != SpanCategory::wait)
      busy_ns += static_cast<std::uint64_t>(span.duration_ns);
    block.last_end_ns = std::max(block.last_end_ns, end_of(span.begin_ns, span.duration_ns));
  }
  block.busy_ns = static_cast<std::int64_t>(busy_ns);
  block.columns = encode_span_block(values);
  return block;
}

}  // namespace

std::vector<EncodedBlock> encode_blocks(const std::vector<NumberedSpans>& steps) {
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<BlockSpan>> tracks;
  std::int64_t span_limit = 0;
  for (const NumberedSpans& step : steps) {
    std::int64_t id = step.first_span;
    std::vector<BlockSpan>* track = nullptr;
    std::pair<std::int32_t, std::int32_t> last{-1, -1};
    for (const Span& span : step.spans) {
      const std::pair<std::int32_t, std::int32_t> place{span.lane, span.depth};
      if (place != last) track = &tracks[last = place];
      track->push_back({&span, id++, step.step});
    }
    span_limit = id;
  }
  std::vector<EncodedBlock> blocks;
  for (auto& [place, spans] : tracks) {
    const auto order = [](const BlockSpan& a, const BlockSpan& b) {
      return std::tuple(a.span->begin_ns, a.span_id) < std::tuple(b.span->begin_ns, b.span_id);
    };
    if (!std::is_sorted(spans.begin(), spans.end(), order))
      std::sort(spans.begin(), spans.end(), order);
    for (std::size_t first = 0; first < spans.size(); first += kMaxBlockSpans) {
      const std::size_t count = std::min(kMaxBlockSpans, spans.size() - first);
      blocks.push_back(encode_block(std::span(spans).subspan(first, count)));
      blocks.back().span_limit = span_limit;
    }
  }
  return blocks;
}

/// The spans that INSERT … SELECT reads. NOTE: a prepared INSERT per row spends most of its time on
/// binding thirteen values and on starting and ending a statement; a virtual table has SQLite fetch
/// the values in one statement, in two thirds of the time.
struct SpanWriter::Source {
  struct Table {
    sqlite3_vtab base{};
    const Source* source = nullptr;
  };

  struct Cursor {
    sqlite3_vtab_cursor base{};
    const Source* source = nullptr;
    std::size_t row = 0;
  };

  std::span<const Span> spans;
  std::int64_t first_span = 0;
  std::int32_t step = 0;

  static int connect(
      sqlite3* handle, void* source, int, const char* const*, sqlite3_vtab** table, char**) {
    std::string columns;
    for (const Column& column : kSpanTable.columns)
      columns += fmt::format("{}{}", columns.empty() ? "" : ",", column.name);
    const int code =
        sqlite3_declare_vtab(handle, fmt::format("CREATE TABLE x({})", columns).c_str());
    if (code != SQLITE_OK) return code;
    auto* made = new Table;
    made->source = static_cast<const Source*>(source);
    *table = &made->base;
    return SQLITE_OK;
  }

  static int disconnect(sqlite3_vtab* table) {
    delete reinterpret_cast<Table*>(table);
    return SQLITE_OK;
  }

  static int best_index(sqlite3_vtab*, sqlite3_index_info* info) {
    info->estimatedCost = 1;
    return SQLITE_OK;
  }

  static int open(sqlite3_vtab* table, sqlite3_vtab_cursor** cursor) {
    auto* made = new Cursor;
    made->source = reinterpret_cast<Table*>(table)->source;
    *cursor = &made->base;
    return SQLITE_OK;
  }

  static int close(sqlite3_vtab_cursor* cursor) {
    delete reinterpret_cast<Cursor*>(cursor);
    return SQLITE_OK;
  }

  static int filter(sqlite3_vtab_cursor* cursor, int, const char*, int, sqlite3_value**) {
    reinterpret_cast<Cursor*>(cursor)->row = 0;
    return SQLITE_OK;
  }

  static int next(sqlite3_vtab_cursor* cursor) {
    ++reinterpret_cast<Cursor*>(cursor)->row;
    return SQLITE_OK;
  }

  static int at_end(sqlite3_vtab_cursor* cursor) {
    const auto* at = reinterpret_cast<Cursor*>(cursor);
    return at->row >= at->source->spans.size() ? 1 : 0;
  }

  static int row_id(sqlite3_vtab_cursor* cursor, sqlite3_int64* id) {
    *id = static_cast<sqlite3_int64>(reinterpret_cast<Cursor*>(cursor)->row);
    return SQLITE_OK;
  }

  /// In the order of kSpanTable.
  static int column(sqlite3_vtab_cursor* cursor, sqlite3_context* out, int index) {
    const auto* at = reinterpret_cast<Cursor*>(cursor);
    const Span& span = at->source->spans[at->row];
    static_assert(kSpanTable.columns.size() == 13);
    switch (index) {
      case 0:
        sqlite3_result_int64(out, at->source->first_span + static_cast<std::int64_t>(at->row));
        break;
      case 1:
        sqlite3_result_int(out, span.lane);
        break;
      case 2:
        sqlite3_result_int(out, span.depth);
        break;
      case 3:
        sqlite3_result_int(out, at->source->step);
        break;
      case 4:
        sqlite3_result_int(out, span.task);
        break;
      case 5:
        sqlite3_result_int(out, span.layer);
        break;
      case 6:
        sqlite3_result_int(out, span.name);
        break;
      case 7:
        sqlite3_result_int64(out, span.begin_ns);
        break;
      case 8:
        sqlite3_result_int64(out, span.duration_ns);
        break;
      case 9: {
        const std::string_view name = stored_name(span.category);
        sqlite3_result_text(out, name.data(), static_cast<int>(name.size()), SQLITE_STATIC);
        break;
      }
      case 10:
        sqlite3_result_double(out, span.flops);
        break;
      case 11:
        sqlite3_result_double(out, span.bytes);
        break;
      default:  // correlation
        sqlite3_result_null(out);
    }
    return SQLITE_OK;
  }

  static constexpr sqlite3_module kModule = [] {
    sqlite3_module module{};
    module.xConnect = connect;
    module.xBestIndex = best_index;
    module.xDisconnect = disconnect;
    module.xOpen = open;
    module.xClose = close;
    module.xFilter = filter;
    module.xNext = next;
    module.xEof = at_end;
    module.xColumn = column;
    module.xRowid = row_id;
    return module;
  }();
};

SpanWriter::SpanWriter(const Database& database, std::size_t batch_spans)
    : database_(database), batch_spans_(batch_spans), source_(std::make_unique<Source>()) {}

SpanWriter::~SpanWriter() {
  insert_rows_.clear();
  sqlite3_create_module(database_.handle(), kSourceName, nullptr, nullptr);
}

Result<std::unique_ptr<SpanWriter>> SpanWriter::prepare(const Database& database,
                                                        std::size_t batch_spans) {
  std::unique_ptr<SpanWriter> writer(new SpanWriter(database, batch_spans));
  const int code = sqlite3_create_module(database.handle(), kSourceName, &Source::kModule,
                                         writer->source_.get());
  if (code != SQLITE_OK) return fail(Code::internal, sqlite3_errstr(code));
  K3_TRY(Statement insert, database.prepare(fmt::format("INSERT INTO {} SELECT * FROM {}",
                                                        kSpanTable.name, kSourceName)));
  writer->insert_rows_.push_back(std::move(insert));
  return writer;
}

Result<void> SpanWriter::insert(const StepRecord& step, std::int64_t first_span) {
  source_->spans = step.spans;
  source_->first_span = first_span;
  source_->step = step.step;
  const Result<void> inserted = insert_rows_.front().run();
  source_->spans = {};
  K3_TRY_VOID(inserted);
  K3_TRY_VOID(insert_stretches(step, first_span));
  if (encoding_.valid() && encoding_.wait_for(std::chrono::seconds(0)) == std::future_status::ready)
    ready_ = encoding_.get();
  return insert_blocks();
}

Result<void> SpanWriter::insert_stretches(const StepRecord& step, std::int64_t first_span) {
  K3_TRY(auto rows, Inserter<kSpanRangeTable>::prepare(database_));
  const std::span<const Span> spans(step.spans);
  for (std::size_t first = 0; first < spans.size(); first += kStretchSpans) {
    const auto stretch = spans.subspan(first, std::min(kStretchSpans, spans.size() - first));
    std::int64_t begin_ns = std::numeric_limits<std::int64_t>::max();
    std::int64_t end_ns = std::numeric_limits<std::int64_t>::min();
    for (const Span& span : stretch) {
      begin_ns = std::min(begin_ns, span.begin_ns);
      end_ns = std::max(end_ns, end_of(span.begin_ns, span.duration_ns));
    }
    K3_TRY_VOID(
        rows.row(first_span + static_cast<std::int64_t>(first), stretch.size(), begin_ns, end_ns));
  }
  return {};
}

Result<void> SpanWriter::insert_blocks() {
  if (ready_.empty()) return {};
  K3_TRY(auto rows, Inserter<kSpanBlockTable>::prepare(database_));
  for (const EncodedBlock& block : ready_) {
    K3_TRY_VOID(rows.row(block.lane, block.depth, block.first_begin_ns, block.last_end_ns,
                         block.count, block.busy_ns, block.span_limit, block.columns));
  }
  ready_inserted_ = true;
  return {};
}

void SpanWriter::committed(const StepRecord& step, std::int64_t first_span) {
  if (std::exchange(ready_inserted_, false)) ready_.clear();
  waiting_.push_back({step.step, first_span, step.spans});
  num_waiting_ += step.spans.size();
  if (num_waiting_ < batch_spans_) return;
  if (!encoding_.valid() && ready_.empty()) {
    encode_in_background();
  } else if (encoding_.valid() && num_waiting_ >= 2 * batch_spans_) {
    // Steps come faster than they are encoded: wait, so that memory stays bounded. The next step
    // writes what is ready.
    encoding_.wait();
  }
}

void SpanWriter::encode_in_background() {
  num_waiting_ = 0;
  encoding_ = std::async(std::launch::async,
                         [steps = std::exchange(waiting_, {})] { return encode_blocks(steps); });
}

Result<void> SpanWriter::insert_rest() {
  if (encoding_.valid()) ready_ = encoding_.get();
  K3_TRY_VOID(insert_blocks());
  ready_ = encode_blocks(waiting_);
  return insert_blocks();
}

}  // namespace k3::store
