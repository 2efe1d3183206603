#include "profiler/query/conservation.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <numeric>
#include <optional>

#include <fmt/core.h>

#include "profiler/store/schema.h"

namespace k3::query {
namespace {

/// Sentences kept; the rest is counted.
constexpr std::size_t kMaxSentences = 20;

/// What stated top-k, layers and row bytes stay below in a sound file.
constexpr std::int64_t kMaxExpected = 1 << 20;

/// Totals of one all-to-all.
struct Exchange {
  int step = 0;
  int layer = 0;
  Direction direction = Direction::dispatch;
  std::int64_t tokens = 0;  ///< of the step
  std::int64_t copies = 0;
  std::int64_t rows = 0;
  std::int64_t row_bytes = 0;  ///< bytes per row of its first cell with rows; 0: moves nothing
};

std::string place(int step, int layer, Direction direction) {
  return fmt::format("step {}, layer {}, {}", step, layer, name_of(direction));
}

template <class T>
std::int64_t sum_of(const std::vector<T>& values) {
  return static_cast<std::int64_t>(std::accumulate(values.begin(), values.end(), std::uint64_t{0}));
}

/// The value that occurs most often, the smallest of those; 0 without values.
std::int64_t most_frequent(const std::map<std::int64_t, int>& counts) {
  const auto best =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return best == counts.end() ? 0 : best->first;
}

class Checker {
 public:
  explicit Checker(const store::SessionReader& session) : session_(session) {}

  Result<ConservationReport> run();

 private:
  /// Counts one equation; `sentence()` is asked only if it does not hold.
  template <class Sentence>
  void require(bool holds, Sentence&& sentence) {
    ++report_.checks;
    if (holds) return;
    ++report_.num_violations;
    if (report_.violations.size() < kMaxSentences) report_.violations.push_back(sentence());
  }

  Result<void> check_step(const store::StepRow& step);
  void check_cells(const store::StepRow& step, const TrafficRecord& record);
  void check_return(const store::StepRow& step,
                    const TrafficRecord& dispatch,
                    const TrafficRecord& combine);
  void check_load(const store::StepRow& step,
                  const ExpertLoadRecord& load,
                  const std::map<int, std::int64_t>& dispatched);
  void check_choices(const store::StepRow& step,
                     const RoutingRecord& routing,
                     const std::vector<ExpertLoadRecord>& loads);
  Result<void> check_exchanges();
  void check_layers();
  Result<std::int64_t> expected(std::string_view key, const std::map<std::int64_t, int>& found);

  const store::SessionReader& session_;
  ConservationReport report_;
  std::vector<Exchange> exchanges_;
  std::map<int, std::int64_t> layers_of_step_;  ///< dispatches per step that has any
};

Result<ConservationReport> Checker::run() {
  K3_TRY(const auto steps, session_.steps());
  for (const store::StepRow& step : steps) {
    report_.tokens += step.tokens;
    K3_TRY_VOID(check_step(step));
  }
  K3_TRY_VOID(check_exchanges());
  return std::move(report_);
}

Result<void> Checker::check_step(const store::StepRow& step) {
  K3_TRY(const auto matrices, session_.traffic(step.step));
  std::map<int, std::int64_t> dispatched;
  const TrafficRecord* dispatch = nullptr;
  for (const TrafficRecord& record : matrices) {
    check_cells(step, record);
    const Exchange& exchange = exchanges_.back();
    if (record.direction == Direction::dispatch) {
      dispatch = &record;
      dispatched[record.layer] = exchange.copies;
      report_.copies += exchange.copies;
      report_.rows += exchange.rows;
    } else if (dispatch != nullptr && dispatch->layer == record.layer) {
      check_return(step, *dispatch, record);
    }
  }
  if (!matrices.empty()) layers_of_step_[step.step] = std::ssize(dispatched);
  K3_TRY(const auto loads, session_.expert_load(step.step));
  for (const ExpertLoadRecord& load : loads)
    check_load(step, load, dispatched);
  K3_TRY(const auto routings, session_.routing(step.step));
  for (const RoutingRecord& routing : routings)
    check_choices(step, routing, loads);
  return {};
}

void Checker::check_cells(const store::StepRow& step, const TrafficRecord& record) {
  Exchange exchange{.step = step.step,
                    .layer = record.layer,
                    .direction = record.direction,
                    .tokens = step.tokens,
                    .copies = sum_of(record.copies),
                    .rows = sum_of(record.rows)};
  const auto n = static_cast<std::size_t>(record.num_ranks);
  std::optional<std::size_t> more_rows;
  std::optional<std::size_t> other_bytes;
  for (std::size_t i = 0; i < n * n; ++i) {
    if (record.rows[i] > record.copies[i] && !more_rows) more_rows = i;
    if (exchange.row_bytes == 0 && record.rows[i] > 0) {
      exchange.row_bytes = static_cast<std::int64_t>(record.bytes[i] / record.rows[i]);
    }
    const auto bytes = static_cast<std::uint64_t>(exchange.row_bytes) * record.rows[i];
    if (record.bytes[i] != bytes && !other_bytes) other_bytes = i;
  }
  const auto cell = [&](std::size_t i) {
    return fmt::format("{}: rank {} to rank {}", place(step.step, record.layer, record.direction),
                       i / n, i % n);
  };
  require(!more_rows, [&] {
    return fmt::format("{} moves {} rows for {} copies", cell(*more_rows), record.rows[*more_rows],
                       record.copies[*more_rows]);
  });
  require(!other_bytes, [&] {
    return fmt::format("{} moves {} bytes in {} rows, other rows have {} bytes", cell(*other_bytes),
                       record.bytes[*other_bytes], record.rows[*other_bytes], exchange.row_bytes);
  });
  exchanges_.push_back(exchange);
}

void Checker::check_return(const store::StepRow& step,
                           const TrafficRecord& dispatch,
                           const TrafficRecord& combine) {
  const auto n = static_cast<std::size_t>(dispatch.num_ranks);
  bool equal = combine.num_ranks == dispatch.num_ranks;
  for (std::size_t i = 0; equal && i < n * n; ++i) {
    equal = combine.copies[i % n * n + i / n] == dispatch.copies[i];
  }
  require(equal, [&] {
    return fmt::format("step {}, layer {}: copies do not all return the way they came", step.step,
                       dispatch.layer);
  });
}

void Checker::check_load(const store::StepRow& step,
                         const ExpertLoadRecord& load,
                         const std::map<int, std::int64_t>& dispatched) {
  const std::int64_t tokens = sum_of(load.expert_tokens);
  const auto found = dispatched.find(load.layer);
  if (found != dispatched.end()) {
    require(tokens == found->second, [&] {
      return fmt::format("step {}, layer {}: experts have {} copies, {} were dispatched", step.step,
                         load.layer, tokens, found->second);
    });
  }
  if (load.slot_tokens.empty()) return;
  require(sum_of(load.slot_tokens) == tokens, [&] {
    return fmt::format("step {}, layer {}: slots have {} copies, experts {}", step.step, load.layer,
                       sum_of(load.slot_tokens), tokens);
  });
}

void Checker::check_choices(const store::StepRow& step,
                            const RoutingRecord& routing,
                            const std::vector<ExpertLoadRecord>& loads) {
  require(routing.num_tokens == step.tokens, [&] {
    return fmt::format("step {}, layer {}: {} tokens were routed, the step has {}", step.step,
                       routing.layer, routing.num_tokens, step.tokens);
  });
  const auto load = std::find_if(
      loads.begin(), loads.end(),
      [&](const ExpertLoadRecord& candidate) { return candidate.layer == routing.layer; });
  if (load == loads.end()) return;
  std::vector<std::uint32_t> counts(load->expert_tokens.size());
  bool known = true;
  for (const std::uint16_t expert : routing.experts) {
    known = known && expert < counts.size();
    if (known) ++counts[expert];
  }
  require(known && counts == load->expert_tokens, [&] {
    return fmt::format("step {}, layer {}: the recorded choices are not the experts' load",
                       step.step, routing.layer);
  });
}

/// What the run says of itself, else what was found most often.
Result<std::int64_t> Checker::expected(std::string_view key,
                                       const std::map<std::int64_t, int>& found) {
  K3_TRY(const std::string stored, session_.meta(key));
  std::int64_t value = 0;
  const auto parsed = std::from_chars(stored.data(), stored.data() + stored.size(), value);
  const bool stated = parsed.ec == std::errc() && value >= 0 && value < kMaxExpected;
  return stated ? value : most_frequent(found);
}

Result<void> Checker::check_exchanges() {
  std::map<std::int64_t, int> top_k;
  std::array<std::map<std::int64_t, int>, 2> row_bytes;
  std::map<std::int64_t, int> layers;
  for (const Exchange& e : exchanges_) {
    if (e.tokens > 0) ++top_k[e.copies / e.tokens];
    if (e.row_bytes > 0) ++row_bytes[static_cast<std::size_t>(e.direction)][e.row_bytes];
  }
  for (const auto& [step, count] : layers_of_step_)
    ++layers[count];
  K3_TRY(const std::int64_t k, expected(store::kMetaTopK, top_k));
  K3_TRY(const std::int64_t moe_layers, expected(store::kMetaMoeLayers, layers));
  report_.top_k = static_cast<int>(std::min(k, kMaxExpected));
  report_.moe_layers = static_cast<int>(moe_layers);
  K3_TRY(report_.dispatch_row_bytes, expected(store::kMetaDispatchRowBytes, row_bytes[0]));
  K3_TRY(report_.combine_row_bytes, expected(store::kMetaCombineRowBytes, row_bytes[1]));
  for (const Exchange& e : exchanges_) {
    require(e.copies == e.tokens * report_.top_k, [&] {
      return fmt::format("{}: {} copies for {} tokens of {} choices",
                         place(e.step, e.layer, e.direction), e.copies, e.tokens, report_.top_k);
    });
    const std::int64_t size =
        e.direction == Direction::dispatch ? report_.dispatch_row_bytes : report_.combine_row_bytes;
    if (e.row_bytes == 0) continue;
    require(e.row_bytes == size, [&] {
      return fmt::format("{}: rows of {} bytes, {} are right", place(e.step, e.layer, e.direction),
                         e.row_bytes, size);
    });
  }
  check_layers();
  return {};
}

void Checker::check_layers() {
  for (const auto& [step, count] : layers_of_step_) {
    require(count == report_.moe_layers, [&, s = step, c = count] {
      return fmt::format("step {}: {} layers were dispatched, {} are MoE layers", s, c,
                         report_.moe_layers);
    });
  }
}

}  // namespace

Result<ConservationReport> conservation(const store::SessionReader& session) {
  return Checker(session).run();
}

}  // namespace k3::query
