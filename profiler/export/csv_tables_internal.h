#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "profiler/export/export.h"
#include "profiler/export/output_file_internal.h"
#include "profiler/store/schema.h"
#include "profiler/store/session_reader.h"

namespace k3::exporter {

/// What the tables of one session are written from: the rows that a request names.
struct CsvInput {
  const store::SessionReader& session;
  std::vector<store::StepRow> steps;
  std::vector<char> rank_chosen;
  bool all_steps = true;
  bool all_ranks = true;
  PrivateData private_data = PrivateData::left_out;
  Progress& progress;

  bool has(std::size_t rank) const { return rank < rank_chosen.size() && rank_chosen[rank] != 0; }
};

/// A file being written; counts its rows.
class CsvRows {
 public:
  CsvRows(OutputFile& file, Progress& progress) : file_(file), progress_(progress) {}

  std::string& text() { return file_.text(); }

  /// To be called after every row, or after every few. Errors: io; cancelled
  Result<void> added(std::int64_t rows);

  std::int64_t count() const { return count_; }

 private:
  OutputFile& file_;
  Progress& progress_;
  std::int64_t count_ = 0;
};

/// One file: a table, or one blob of a table spread over rows.
struct CsvTable {
  std::string_view name;
  const store::Table* table = nullptr;
  /// Null: as the table is.
  Result<void> (*write)(const CsvInput&, CsvRows&) = nullptr;
  std::string_view header = {};  ///< where `write` is set
  std::string_view rows = {};    ///< SQL: how many rows one row of the table becomes
  bool of_whole_run = false;     ///< sums over all steps
};

/// The files of a session of format `user_version`, in the order of the schema.
std::vector<CsvTable> csv_tables(int user_version);

/// How many rows the file is going to have, ranks aside.
Result<std::int64_t> expected_rows(const CsvInput& input, const CsvTable& table);

/// Header and rows.
Result<void> write_csv_table(const CsvInput& input, const CsvTable& table, CsvRows& rows);

// The blobs of the schema.
Result<void> write_traffic(const CsvInput& input, CsvRows& rows);
Result<void> write_expert_load(const CsvInput& input, CsvRows& rows);
Result<void> write_slot_load(const CsvInput& input, CsvRows& rows);
Result<void> write_routing(const CsvInput& input, CsvRows& rows);

}  // namespace k3::exporter
