#include <algorithm>
#include <iterator>
#include <limits>

#include <fmt/core.h>

#include "engine/text/printable.h"
#include "profiler/export/run_facts_internal.h"
#include "profiler/query/private_data.h"
#include "profiler/store/schema.h"

namespace k3::exporter {
namespace {

Result<std::vector<std::string>> rank_labels(const store::SessionReader& session,
                                             PrivateData private_data) {
  K3_TRY(store::Statement query,
         session.database().prepare("SELECT rank, device, tray, host FROM rank ORDER BY rank"));
  std::vector<std::string> labels;
  K3_TRY_VOID(store::for_each_row(query, [&](const store::Statement& row) -> Result<void> {
    std::string& label = labels.emplace_back(fmt::format("rank {}", labels.size()));
    if (!row.text(1).empty()) label += " · " + public_text(row.text(1), private_data);
    if (!row.is_null(2)) label += fmt::format(" · tray {}", row.integer(2));
    if (private_data == PrivateData::kept && !row.text(3).empty()) {
      label += " · " + valid_utf8(row.text(3));
    }
    return {};
  }));
  return labels;
}

Result<void> read_placement(const store::SessionReader& session, RunFacts& facts) {
  K3_TRY(const auto slots, session.placement());
  for (const PlacementRecord& slot : slots) {
    std::vector<std::int32_t>& ranks = facts.slot_rank[slot.layer];
    if (slot.slot == std::ssize(ranks)) ranks.push_back(slot.rank);
  }
  return {};
}

}  // namespace

std::int64_t sound_duration(std::int64_t begin_ns, std::int64_t duration_ns) {
  const std::int64_t longest =
      std::numeric_limits<std::int64_t>::max() - std::max<std::int64_t>(begin_ns, 0);
  return std::clamp<std::int64_t>(duration_ns, 0, longest);
}

std::string public_text(std::string_view text, PrivateData private_data) {
  return valid_utf8(private_data == PrivateData::kept ? std::string(text)
                                                      : query::without_folders(text));
}

Result<std::vector<std::pair<std::string, std::string>>> public_meta(
    const store::SessionReader& session, PrivateData private_data) {
  K3_TRY(const auto all, session.meta());
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& [key, value] : all) {
    if (private_data == PrivateData::kept) {
      out.emplace_back(valid_utf8(key), valid_utf8(value));
    } else if (!query::is_private_key(key)) {
      out.emplace_back(valid_utf8(key),
                       valid_utf8(key == store::kMetaScenario ? query::public_scenario(value)
                                                              : query::without_folders(value)));
    }
  }
  return out;
}

Result<std::vector<char>> chosen_ranks(const store::SessionReader& session,
                                       const ExportRequest& request) {
  const auto num_ranks = static_cast<std::size_t>(session.num_ranks());
  std::vector<char> chosen(num_ranks, request.ranks.empty() ? 1 : 0);
  for (const int rank : request.ranks) {
    if (rank < 0 || rank >= session.num_ranks()) {
      return fail(Code::invalid_input,
                  num_ranks == 0 ? fmt::format("no rank {}; the session has no ranks", rank)
                                 : fmt::format("no rank {}; the session has ranks 0 to {}", rank,
                                               num_ranks - 1),
                  session.path().string());
    }
    chosen[static_cast<std::size_t>(rank)] = 1;
  }
  return chosen;
}

Result<std::vector<store::StepRow>> chosen_steps(const store::SessionReader& session,
                                                 const ExportRequest& request) {
  K3_TRY(std::vector<store::StepRow> steps, session.steps());
  if (!request.steps) return steps;
  std::vector<store::StepRow> chosen;
  std::ranges::copy_if(steps, std::back_inserter(chosen), [&](const store::StepRow& step) {
    return step.step >= request.steps->first && step.step <= request.steps->last;
  });
  if (!chosen.empty()) return chosen;
  return fail(Code::invalid_input,
              steps.empty() ? "holds no steps; leave --steps out"
                            : fmt::format("none of these steps is there; the session has steps {} "
                                          "to {}",
                                          steps.front().step, steps.back().step),
              session.path().string());
}

Result<RunFacts> read_run_facts(const store::SessionReader& session, const ExportRequest& request) {
  RunFacts facts;
  K3_TRY(facts.rank_chosen, chosen_ranks(session, request));
  facts.all_ranks = std::ranges::count(facts.rank_chosen, 0) == 0;
  K3_TRY(facts.steps, chosen_steps(session, request));
  for (store::StepRow& step : facts.steps) {
    facts.num_spans += step.num_spans;
    step.duration_ns = sound_duration(step.begin_ns, step.duration_ns);
  }
  K3_TRY(facts.first_ns,
         session.database().integer("SELECT min((SELECT ifnull(min(begin_ns), 0) FROM span), "
                                    "(SELECT ifnull(min(begin_ns), 0) FROM step))"));
  K3_TRY(facts.meta, public_meta(session, request.private_data));
  K3_TRY(facts.rank_labels, rank_labels(session, request.private_data));
  K3_TRY(facts.names, session.names());
  for (std::string& name : facts.names)
    name = public_text(name, request.private_data);
  K3_TRY(facts.lanes, session.lanes());
  for (Lane& lane : facts.lanes)
    lane.name = public_text(lane.name, request.private_data);
  K3_TRY(facts.memory, session.memory());
  std::erase_if(facts.memory, [&](const MemoryRecord& part) { return !facts.has(part.rank); });
  K3_TRY(facts.links, session.links());
  K3_TRY_VOID(read_placement(session, facts));
  return facts;
}

}  // namespace k3::exporter
