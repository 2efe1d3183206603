#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "profiler/figures/figures.h"
#include "profiler/figures/run_detail.h"

namespace k3::report {

/// What a reader must know before trusting a number.
struct Notice {
  std::string title;
  std::string text;
};

/// Text as it is read, numbers in the unit of their header. The first column names the row.
struct Table {
  enum class Cells { numbers, words };

  std::string id;
  std::string caption;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  ///< as long as the header
  Cells cells = Cells::numbers;                ///< of the columns after the first
};

struct ScenarioText {
  std::string run;
  std::string toml;  ///< without folders and hosts
};

/// A report as plain values, in reading order: what HTML pages and PDF files are made from. It
/// answers in its headline, then shows where the step goes, what layers cost, who sends how much to
/// whom, how even the experts are loaded and how far prediction and measurement are apart, then the
/// tables. Host names and folders are left out.
struct Document {
  std::string title;
  std::string headline;
  std::vector<Notice> notices;
  std::vector<std::string> runs;  ///< a sentence about each
  std::string legend;
  std::vector<std::string> verdicts;
  std::vector<figures::Figure> figures;
  std::string source;  ///< stands under every figure
  std::vector<Table> tables;
  std::vector<ScenarioText> scenarios;
};

/// Width for which the figures of a document are drawn, side by side, in pixels.
inline constexpr double kDocumentWidth = 976;

/// Errors: invalid_input for numbers that contradict each other (a matrix that is not square)
Result<Document> make_document(const figures::Input& input);

}  // namespace k3::report
