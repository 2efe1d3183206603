#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/core.h>

#include "profiler/query/comparison_internal.h"

namespace k3::query {
namespace {

/// Cells that differ by less than this share of the mean cell count as equal.
constexpr double kEqualCells = 1e-6;

std::string time_text(double us) {
  const double size = std::abs(us);
  if (size >= 1e6) return fmt::format("{:.3g} s", us * 1e-6);
  if (size >= 1e3) return fmt::format("{:.3g} ms", us * 1e-3);
  return fmt::format("{:.3g} µs", us);
}

std::string bytes_text(double bytes) {
  constexpr std::array<std::string_view, 5> kUnits{"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  while (bytes >= 1e3 && unit + 1 < kUnits.size()) {
    bytes *= 1e-3;
    ++unit;
  }
  return fmt::format("{:.3g} {}", bytes, kUnits[unit]);
}

/// How the columns are called.
struct Labels {
  std::string_view a;
  std::string_view b;
};

Labels labels_of(const Comparison& c) {
  if (c.a.kind == RunKind::measured && c.b.kind == RunKind::simulated)
    return {"measured", "simulated"};
  return {"first run", "second run"};
}

std::string capitalized(std::string_view word) {
  return word == "prefill" ? "Prefill" : "Decode";
}

std::string step_verdict(const StepComparison& step, Phase phase, const Labels& labels) {
  std::string ratio;
  if (step.measured_ms > 0) {
    const double value = step.simulated_ms / step.measured_ms;
    // Three significant digits also where the runs are far apart.
    ratio = value < 0.1 ? fmt::format(" ({:.3g}×)", value) : fmt::format(" ({:.2f}×)", value);
  }
  return fmt::format("{} step: {} {}, {} {}{}, mean of {} step{}.", capitalized(name_of(phase)),
                     labels.a, time_text(step.measured_ms * 1e3), labels.b,
                     time_text(step.simulated_ms * 1e3), ratio, step.steps,
                     step.steps == 1 ? "" : "s");
}

/// The kind of task that contributes most to the difference.
std::string kind_verdict(const Comparison& c, const Labels& labels) {
  std::array<double, kNumTaskKinds> a{};
  std::array<double, kNumTaskKinds> b{};
  for (const ComparisonRow& row : c.rows) {
    a[static_cast<std::size_t>(row.kind)] += row.measured_us;
    b[static_cast<std::size_t>(row.kind)] += row.simulated_us;
  }
  std::size_t worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::abs(b[i] - a[i]) > std::abs(b[worst] - a[worst])) worst = i;
  }
  if (a[worst] == b[worst]) return "Every kind of task takes the same time in both.";
  return fmt::format("Largest difference per rank and step: {}, {} {}, {} {}.",
                     kTaskKindNames[worst], labels.a, time_text(a[worst]), labels.b,
                     time_text(b[worst]));
}

std::string traffic_verdict(const Comparison& c, const Labels& labels) {
  const TrafficComparison& t = c.traffic;
  if (t.measured_total == 0 && t.simulated_total == 0) return "Traffic: none in the common steps.";
  const std::string totals =
      fmt::format("Traffic: {} {}, {} {}", labels.a, bytes_text(t.measured_total), labels.b,
                  bytes_text(t.simulated_total));
  if (t.num_ranks == 0) {
    return fmt::format("{}; no matrix of {} beside {} ranks.", totals, c.a.num_ranks,
                       c.b.num_ranks);
  }
  if (t.measured_total == 0) return totals + ".";
  if (t.max_cell_error < kEqualCells) return totals + "; every pair of ranks alike.";
  return fmt::format("{}; a pair of ranks differs by up to {:.3g} % of the mean pair.", totals,
                     t.max_cell_error * 100);
}

std::string balance_verdict(const Comparison& c, const VerdictFacts& facts, const Labels& labels) {
  return fmt::format(
      "Busiest rank: {:.3f}× the mean tokens {}, {:.3f}× {}, mean over {} MoE layers.", c.a_balance,
      labels.a, c.b_balance, labels.b, facts.moe_layers);
}

int count_steps(const SessionSummary& run, Phase phase) {
  return static_cast<int>(std::count_if(run.steps.begin(), run.steps.end(),
                                        [&](const StepSummary& s) { return s.phase == phase; }));
}

/// What makes the two runs less than fully comparable.
void add_caveats(std::vector<std::string>& out, const Comparison& c, const VerdictFacts& facts) {
  if (c.a.model != c.b.model) {
    out.push_back(fmt::format("Different models: {} beside {}.", c.a.model, c.b.model));
  }
  if (c.a.num_ranks != c.b.num_ranks) {
    out.push_back(
        fmt::format("Different rank counts: {} beside {}.", c.a.num_ranks, c.b.num_ranks));
  }
  for (const Phase phase : {Phase::prefill, Phase::decode}) {
    const int a = count_steps(c.a, phase);
    const int b = count_steps(c.b, phase);
    if ((a == 0) != (b == 0)) {
      out.push_back(
          fmt::format("Only the {} run has {} steps.", a > 0 ? "first" : "second", name_of(phase)));
    } else if (a != b) {
      out.push_back(fmt::format("{} steps: {} beside {}, the first {} are compared.",
                                capitalized(name_of(phase)), a, b, std::min(a, b)));
    }
  }
  if (!facts.step.empty()) {
    const auto& [a, b] = facts.step.front();
    if (a.context != b.context || a.tokens != b.tokens) {
      out.push_back(fmt::format("Different steps: {} tokens at context {} beside {} at {}.",
                                a.tokens, a.context, b.tokens, b.context));
    }
  }
  for (const auto& [run, name] : {std::pair(&c.a, "first"), std::pair(&c.b, "second")}) {
    if (!run->complete) {
      out.push_back(
          fmt::format("The {} run was interrupted after {} steps.", name, run->steps.size()));
    }
  }
}

}  // namespace

std::vector<std::string> verdicts_of(const Comparison& c, const VerdictFacts& facts) {
  const Labels labels = labels_of(c);
  std::vector<std::string> out;
  if (facts.step.empty()) {
    out.emplace_back("The runs have no step of the same phase: nothing to compare.");
  } else {
    out.push_back(step_verdict(c.step, facts.step_phase, labels));
    if (facts.step_phase == Phase::decode && !facts.prefill.empty()) {
      out.push_back(step_verdict(c.prefill, Phase::prefill, labels));
    }
    out.push_back(kind_verdict(c, labels));
    out.push_back(traffic_verdict(c, labels));
    if (facts.moe_layers > 0) out.push_back(balance_verdict(c, facts, labels));
    out.emplace_back(c.join == Join::by_task ? "Equal plans: joined task by task."
                                             : "Different plans: joined by kind, layer and stage.");
  }
  add_caveats(out, c, facts);
  return out;
}

}  // namespace k3::query
