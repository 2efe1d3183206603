#include "gui/models/runs.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "profiler/query/costs.h"
#include "profiler/store/names.h"

namespace k3::gui {
namespace {

Result<int> num_layers(const store::SessionReader& reader) {
  K3_TRY(const std::vector<query::LayerCost> costs, query::layer_costs(reader));
  int layers = 0;
  for (const query::LayerCost& cost : costs)
    layers = std::max(layers, cost.layer + 1);
  return layers;
}

}  // namespace

Result<Runs> open_runs(const std::vector<std::filesystem::path>& paths) {
  if (paths.size() > 2) {
    return fail(Code::invalid_input,
                fmt::format("{} sessions; open one, or two to compare them", paths.size()));
  }
  Runs runs;
  std::vector<query::SessionSummary> summaries;
  for (const std::filesystem::path& path : paths) {
    K3_TRY(store::SessionReader reader, store::SessionReader::open(path));
    K3_TRY(query::SessionSummary summary, query::summarize(reader));
    runs.readers.push_back(std::move(reader));
    summaries.push_back(std::move(summary));
  }
  if (runs.pair() && summaries[0].kind == RunKind::simulated &&
      summaries[1].kind != RunKind::simulated) {
    std::swap(runs.readers[0], runs.readers[1]);
    std::swap(summaries[0], summaries[1]);
  }
  const bool alike = runs.pair() && summaries[0].kind == summaries[1].kind;
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    const std::string_view kind = store::stored_name(summaries[i].kind);
    auto facts = std::make_shared<RunFacts>();
    facts->name = alike ? fmt::format("{}: {}", i == 0 ? 'A' : 'B', kind) : std::string(kind);
    facts->file = std::filesystem::path(summaries[i].path).filename().string();
    facts->summary = std::move(summaries[i]);
    K3_TRY(facts->num_layers, num_layers(runs.readers[i]));
    runs.facts.push_back(std::move(facts));
  }
  return runs;
}

}  // namespace k3::gui
