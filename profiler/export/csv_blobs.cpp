#include "profiler/export/csv_tables_internal.h"
#include "profiler/export/csv_text_internal.h"

namespace k3::exporter {
namespace {

/// "step,layer," of a row.
void append_place(std::int32_t step, std::int16_t layer, std::string& out) {
  append_integer(step, out);
  out += ',';
  append_integer(layer, out);
  out += ',';
}

Result<void> write_counts(const CsvInput& input,
                          std::vector<std::uint32_t> ExpertLoadRecord::* counts,
                          CsvRows& rows) {
  for (const store::StepRow& step : input.steps) {
    K3_TRY(const auto records, input.session.expert_load(step.step));
    for (const ExpertLoadRecord& record : records) {
      const std::vector<std::uint32_t>& tokens = record.*counts;
      for (std::size_t i = 0; i < tokens.size(); ++i) {
        append_place(step.step, record.layer, rows.text());
        append_csv_integers(rows.text(), i, tokens[i]);
      }
      K3_TRY_VOID(rows.added(std::ssize(tokens)));
    }
  }
  return {};
}

}  // namespace

Result<void> write_traffic(const CsvInput& input, CsvRows& rows) {
  for (const store::StepRow& step : input.steps) {
    K3_TRY(const auto records, input.session.traffic(step.step));
    for (const TrafficRecord& record : records) {
      const auto num_ranks = static_cast<std::size_t>(record.num_ranks);
      for (std::size_t cell = 0; cell < record.copies.size(); ++cell) {
        const std::size_t source = cell / num_ranks;
        const std::size_t destination = cell % num_ranks;
        if (!input.has(source) && !input.has(destination)) continue;
        append_place(step.step, record.layer, rows.text());
        rows.text() += name_of(record.direction);
        rows.text() += ',';
        append_csv_integers(rows.text(), source, destination, record.copies[cell],
                            record.rows[cell], record.bytes[cell]);
        K3_TRY_VOID(rows.added(1));
      }
    }
  }
  return {};
}

Result<void> write_expert_load(const CsvInput& input, CsvRows& rows) {
  return write_counts(input, &ExpertLoadRecord::expert_tokens, rows);
}

Result<void> write_slot_load(const CsvInput& input, CsvRows& rows) {
  return write_counts(input, &ExpertLoadRecord::slot_tokens, rows);
}

Result<void> write_routing(const CsvInput& input, CsvRows& rows) {
  for (const store::StepRow& step : input.steps) {
    K3_TRY(const auto records, input.session.routing(step.step));
    for (const RoutingRecord& record : records) {
      const auto top_k = static_cast<std::size_t>(record.top_k);
      for (std::size_t i = 0; i < record.experts.size(); ++i) {
        append_place(step.step, record.layer, rows.text());
        append_csv_integers(rows.text(), i / top_k, i % top_k, record.experts[i]);
        K3_TRY_VOID(rows.added(1));
      }
    }
  }
  return {};
}

}  // namespace k3::exporter
