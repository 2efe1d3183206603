#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <utility>

#include <fmt/core.h>

#include "profiler/figures/figures.h"
#include "profiler/visual/chart_bars.h"
#include "profiler/visual/chart_stack.h"

namespace k3::figures {
namespace {

using visual::Paint;

/// Kinds that share a colour are one part of the bar.
struct Group {
  std::string_view name;
  TaskKind paint;
  std::vector<TaskKind> kinds;
};

const std::array<Group, 10>& groups() {
  static const std::array<Group, 10> kGroups{{
      {"KDA", TaskKind::kda, {TaskKind::kda}},
      {"MLA", TaskKind::mla, {TaskKind::mla}},
      {"attention residuals", TaskKind::attn_res, {TaskKind::attn_res}},
      {"latent projections", TaskKind::latent, {TaskKind::latent}},
      {"routed experts", TaskKind::experts, {TaskKind::experts}},
      {"shared experts, dense", TaskKind::shared, {TaskKind::shared, TaskKind::dense}},
      {"dispatch", TaskKind::dispatch, {TaskKind::dispatch}},
      {"combine", TaskKind::combine, {TaskKind::combine}},
      {"router, norms", TaskKind::router, {TaskKind::router, TaskKind::norm}},
      {"embedding, head", TaskKind::head, {TaskKind::embed, TaskKind::head, TaskKind::sample}},
  }};
  return kGroups;
}

struct Parts {
  std::vector<std::pair<const Group*, double>> seconds;  ///< without waiting
  double wait_s = 0;
};

Parts parts_of(const RunView& run, Phase phase) {
  Parts parts;
  for (const Group& group : groups()) {
    double seconds = 0;
    for (const query::KindCost& cost : run.detail->kinds) {
      if (cost.phase != phase) continue;
      if (std::find(group.kinds.begin(), group.kinds.end(), cost.kind) == group.kinds.end()) {
        continue;
      }
      seconds += (cost.mean_us - cost.wait_us) * 1e-6;
      parts.wait_s += cost.wait_us * 1e-6;
    }
    parts.seconds.emplace_back(&group, seconds);
  }
  return parts;
}

/// "routed experts 41.2 %, KDA 22.0 %, waiting 11.3 %"
std::string largest_parts(const Parts& parts, double total) {
  std::vector<std::pair<std::string, double>> named{{"waiting for other ranks", parts.wait_s}};
  for (const auto& [group, seconds] : parts.seconds)
    named.emplace_back(group->name, seconds);
  std::stable_sort(named.begin(), named.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  constexpr std::size_t kShown = 3;
  std::string out;
  for (std::size_t i = 0; i < std::min(kShown, named.size()) && named[i].second > 0; ++i) {
    if (!out.empty()) out += ", ";
    out += named[i].first + " " + share_text(named[i].second / total);
  }
  return out;
}

/// How the parts relate to the step: lanes overlap or idle.
std::string step_relation(const RunView& run) {
  if (run.step_s <= 0) return {};
  return fmt::format("{}: parts add up to {}, the step takes {}. ", capital(run),
                     time_text(run.task_s), time_text(run.step_s));
}

enum class Half { attention, feed_forward };

/// Layer by layer; empty where no spread was asked for.
std::map<int, query::LayerSpread> spread_of(const RunView& run, Phase phase) {
  std::map<int, query::LayerSpread> layers;
  for (const query::LayerSpread& layer : run.detail->spread.layers) {
    if (layer.phase == phase) layers[layer.layer] = layer;
  }
  return layers;
}

constexpr std::string_view kBand = "5–95 % of ranks and steps";

visual::BarSeries layer_series(const RunsView& view, const RunView& run, Half half, int count) {
  visual::BarSeries series{run.name, run.provenance, {}};
  series.bars.resize(static_cast<std::size_t>(count));
  const std::map<int, query::LayerSpread> spread =
      half == Half::attention ? spread_of(run, view.phase) : std::map<int, query::LayerSpread>();
  for (const LayerTime& layer : layer_times(run, view.phase)) {
    const std::optional<TaskKind> kind =
        half == Half::attention ? layer.attention : layer.feed_forward;
    if (!kind) continue;
    const double seconds = half == Half::attention ? layer.attention_s : layer.feed_forward_s;
    visual::BarValue& bar = series.bars[static_cast<std::size_t>(layer.layer)];
    bar.value = on_time_scale(view, run, seconds);
    bar.paint = Paint::of(*kind);
    bar.tip = fmt::format("layer {}, {}: {}, {}", layer.layer,
                          *kind == TaskKind::experts ? "MoE" : visual::title_of(*kind),
                          time_text(seconds), run.name);
    const auto found = spread.find(layer.layer);
    if (found == spread.end()) continue;
    bar.low = on_time_scale(view, run, found->second.low_us * 1e-6);
    bar.high = on_time_scale(view, run, found->second.high_us * 1e-6);
    bar.tip += fmt::format("; {}: {} to {}", kBand, time_text(found->second.low_us * 1e-6),
                           time_text(found->second.high_us * 1e-6));
  }
  return series;
}

struct Mean {
  double sum = 0;
  int count = 0;

  double value() const { return count > 0 ? sum / count : 0; }
};

/// Mean time of a layer's KDA, MLA, MoE and dense part.
std::map<TaskKind, Mean> part_means(const RunView& run, Phase phase) {
  std::map<TaskKind, Mean> means;
  for (const LayerTime& layer : layer_times(run, phase)) {
    if (layer.attention) {
      means[*layer.attention].sum += layer.attention_s;
      ++means[*layer.attention].count;
    }
    if (layer.feed_forward) {
      means[*layer.feed_forward].sum += layer.feed_forward_s;
      ++means[*layer.feed_forward].count;
    }
  }
  return means;
}

std::string layer_answer(const RunView& run, Phase phase) {
  const std::map<TaskKind, Mean> means = part_means(run, phase);
  std::string out;
  for (const TaskKind kind : {TaskKind::kda, TaskKind::mla, TaskKind::experts}) {
    const auto found = means.find(kind);
    if (found == means.end()) continue;
    if (!out.empty()) out += ", ";
    out += fmt::format("{} {} ({})",
                       kind == TaskKind::kda   ? "KDA"
                       : kind == TaskKind::mla ? "MLA"
                                               : "MoE",
                       time_text(found->second.value()),
                       visual::counted(found->second.count, "layer"));
  }
  if (out.empty()) return {};
  const auto kda = means.find(TaskKind::kda);
  const auto mla = means.find(TaskKind::mla);
  std::string relation;
  if (kda != means.end() && mla != means.end() && kda->second.value() > 0) {
    relation =
        fmt::format("; MLA costs {} of KDA", ratio_text(mla->second.value() / kda->second.value()));
  }
  return fmt::format("{}, mean per layer: {}{}. ", capital(run), out, relation);
}

bool has_spread(const RunsView& view) {
  return std::any_of(view.runs.begin(), view.runs.end(),
                     [](const RunView& run) { return !run.detail->spread.layers.empty(); });
}

/// Of runs with too many spans not all steps are read.
std::string spread_note(const RunsView& view) {
  std::string note;
  for (const RunView& run : view.runs) {
    const query::AttentionSpread& spread = run.detail->spread;
    if (spread.steps_used >= spread.steps) continue;
    note += fmt::format("Band of {}: {} of {} steps, evenly chosen. ", run.name, spread.steps_used,
                        spread.steps);
  }
  return note;
}

}  // namespace

Figure step_figure(const RunsView& view, double width) {
  Figure figure;
  figure.id = "step";
  figure.question = fmt::format("Where does a {} step go?", name_of(view.phase));
  visual::StackedBars chart;
  chart.quantity = time_quantity(view);
  chart.value_title = time_title(view);
  chart.width = width;
  for (const RunView& run : view.runs) {
    const Parts parts = parts_of(run, view.phase);
    visual::StackRow row{run.name, run.provenance, {}};
    for (const auto& [group, seconds] : parts.seconds) {
      row.parts.push_back({std::string(group->name), on_time_scale(view, run, seconds),
                           Paint::of(group->paint), visual::Hatch::none});
    }
    row.parts.push_back({"waiting", on_time_scale(view, run, parts.wait_s),
                         Paint::of(visual::Role::waiting), visual::Hatch::dense});
    chart.rows.push_back(std::move(row));
    if (run.task_s > 0) {
      figure.answer += fmt::format("{}: {}. ", capital(run), largest_parts(parts, run.task_s));
    }
    figure.note += step_relation(run);
  }
  if (figure.answer.empty()) {
    figure.answer =
        fmt::format("No {} step with task times is in the session.", name_of(view.phase));
  }
  figure.note += scale_note(view);
  chart.description = figure.question + " " + figure.answer;
  figure.pictures.push_back(draw(chart));
  return figure;
}

Figure layer_figure(const RunsView& view, double width) {
  Figure figure;
  figure.id = "layers";
  figure.question = "What does each layer cost: KDA, full attention, experts?";
  int count = 0;
  for (const RunView& run : view.runs) {
    for (const LayerTime& layer : layer_times(run, view.phase)) {
      count = std::max(count, layer.layer + 1);
    }
    figure.answer += layer_answer(run, view.phase);
  }
  if (figure.answer.empty()) figure.answer = "The session holds no cost per layer. ";
  visual::GroupedBars attention;
  attention.description = "Attention per layer. " + figure.answer;
  attention.category_title = "layer";
  attention.width = width;
  attention.quantity = time_quantity(view);
  visual::GroupedBars feed_forward = attention;
  feed_forward.description = "Feed-forward part per layer. " + figure.answer;
  attention.value_title = "attention: " + time_title(view);
  feed_forward.value_title = "feed-forward: " + time_title(view);
  attention.colors = {{"KDA", Paint::of(TaskKind::kda)}, {"MLA", Paint::of(TaskKind::mla)}};
  feed_forward.colors = {{"MoE", Paint::of(TaskKind::experts)},
                         {"dense", Paint::of(TaskKind::dense)}};
  for (const RunView& run : view.runs) {
    attention.series.push_back(layer_series(view, run, Half::attention, count));
    feed_forward.series.push_back(layer_series(view, run, Half::feed_forward, count));
  }
  if (has_spread(view)) attention.band = kBand;
  number_categories(attention);
  number_categories(feed_forward);
  figure.pictures.push_back(draw(attention));
  figure.pictures.push_back(draw(feed_forward));
  figure.note =
      "Each panel has its own scale. Waiting is left out. MoE is router, latent projections, "
      "dispatch, routed experts, combine and shared experts together; attention residuals and "
      "norms "
      "are in neither panel. " +
      spread_note(view) + scale_note(view);
  return figure;
}

}  // namespace k3::figures
