#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>

#include <fmt/core.h>

#include "profiler/figures/figures.h"
#include "profiler/visual/chart_curve.h"

namespace k3::figures {
namespace {

using visual::Paint;
using visual::Point;

/// time = at_zero + slope · context, with the standard error of the slope.
struct Line {
  double at_zero = 0;
  double slope = 0;
  double slope_error = 0;

  double at(double context) const { return at_zero + slope * context; }
};

/// Least squares; none with fewer than three contexts.
std::optional<Line> fitted(const std::vector<Point>& points) {
  if (points.size() < 3) return std::nullopt;
  const auto n = static_cast<double>(points.size());
  double x = 0;
  double y = 0;
  for (const Point& p : points) {
    x += p.x / n;
    y += p.y / n;
  }
  double xx = 0;
  double xy = 0;
  for (const Point& p : points) {
    xx += (p.x - x) * (p.x - x);
    xy += (p.x - x) * (p.y - y);
  }
  if (!(xx > 0)) return std::nullopt;
  Line line{.at_zero = y - xy / xx * x, .slope = xy / xx};
  double residual = 0;
  for (const Point& p : points)
    residual += (p.y - line.at(p.x)) * (p.y - line.at(p.x));
  line.slope_error = std::sqrt(residual / (n - 2) / xx);
  return line;
}

struct Points {
  std::vector<Point> kda;
  std::vector<Point> mla;
};

Points points_of(const RunView& run, Phase phase) {
  Points points;
  for (const query::AttentionStep& step : run.detail->attention) {
    if (step.phase != phase) continue;
    const auto context = static_cast<double>(step.context);
    if (step.kda_us > 0) points.kda.push_back({context, step.kda_us * 1e-6});
    if (step.mla_us > 0) points.mla.push_back({context, step.mla_us * 1e-6});
  }
  for (std::vector<Point>* side : {&points.kda, &points.mla}) {
    std::stable_sort(side->begin(), side->end(),
                     [](const Point& a, const Point& b) { return a.x < b.x; });
  }
  return points;
}

double mean_of(const std::vector<Point>& points) {
  double sum = 0;
  for (const Point& p : points)
    sum += p.y;
  return points.empty() ? 0 : sum / static_cast<double>(points.size());
}

bool one_context(const std::vector<Point>& points) {
  return points.empty() || points.front().x == points.back().x;
}

std::string tokens(double count) {
  return visual::count_text(std::llround(count));
}

/// What the line of MLA says, and where it meets KDA.
std::string growth(const Line& line, double kda_s, const std::vector<Point>& mla) {
  constexpr double kSure = 2;  // standard errors
  constexpr double kWideRange = 1.5;
  const std::string range =
      fmt::format("between contexts {} and {}", tokens(mla.front().x), tokens(mla.back().x));
  if (std::abs(line.slope) <= kSure * line.slope_error) {
    return fmt::format("no growth of MLA can be told from the noise {}", range);
  }
  std::string out = fmt::format("MLA {} by {} per Ki tokens {}", line.slope > 0 ? "grows" : "falls",
                                time_text(std::abs(line.slope) * 1024), range);
  // A short range says how steep, not where: a crossing far outside it would be a guess.
  if (mla.back().x < kWideRange * mla.front().x) return out;
  const double crossing = (kda_s - line.at_zero) / line.slope;
  if (kda_s > 0 && crossing > 0) {
    const bool inside = crossing >= mla.front().x && crossing <= mla.back().x;
    out += fmt::format("; it costs as much as KDA at {} tokens{}", tokens(crossing),
                       inside ? "" : " (extrapolated)");
  }
  return out;
}

std::string answer_of(const RunView& run, const Points& points) {
  if (points.kda.empty() && points.mla.empty()) return {};
  const std::vector<Point>& any = points.mla.empty() ? points.kda : points.mla;
  std::string out = capital(run) + ": ";
  if (one_context(any)) {
    return out + fmt::format("one context only, {} tokens: KDA {}, MLA {} per layer. ",
                             tokens(any.front().x), time_text(mean_of(points.kda)),
                             time_text(mean_of(points.mla)));
  }
  out += fmt::format("KDA {} per layer, MLA {}", time_text(mean_of(points.kda)),
                     time_text(mean_of(points.mla)));
  if (const auto line = fitted(points.mla)) {
    out += "; " + growth(*line, mean_of(points.kda), points.mla);
  }
  return out + ". ";
}

void add_curves(visual::CurveChart& chart, const RunView& run, const Points& points) {
  const auto add = [&](std::string name, TaskKind kind, const std::vector<Point>& curve,
                       visual::Provenance provenance) {
    if (curve.size() < 2) return;
    chart.curves.push_back({std::move(name), provenance, Paint::of(kind), curve, {}});
  };
  add("MLA, " + run.name, TaskKind::mla, points.mla, run.provenance);
  add("KDA, " + run.name, TaskKind::kda, points.kda, run.provenance);
  const auto line = fitted(points.mla);
  if (!line) return;
  const auto ends = [&](double y0, double y1) {
    return std::vector<Point>{{points.mla.front().x, std::max(0.0, y0)},
                              {points.mla.back().x, std::max(0.0, y1)}};
  };
  add("line fitted to MLA, " + run.name, TaskKind::mla,
      ends(line->at(points.mla.front().x), line->at(points.mla.back().x)),
      visual::Provenance::fitted);
  add("mean of KDA, " + run.name, TaskKind::kda, ends(mean_of(points.kda), mean_of(points.kda)),
      visual::Provenance::fitted);
}

}  // namespace

Figure context_figure(const RunsView& view, double width) {
  Figure figure;
  figure.id = "context";
  figure.question = "How does attention grow with context?";
  visual::CurveChart chart;
  chart.width = width;
  chart.x_title = "tokens in the cache before the step";
  chart.y_title = "time per layer, mean over layers and ranks";
  chart.y_quantity = visual::Quantity::time;
  bool any = false;
  double first = std::numeric_limits<double>::infinity();
  for (const RunView& run : view.runs) {
    const Points points = points_of(run, view.phase);
    for (const std::vector<Point>* side : {&points.kda, &points.mla}) {
      if (!side->empty()) first = std::min(first, side->front().x);
    }
    any = any || !points.kda.empty() || !points.mla.empty();
    figure.answer += answer_of(run, points);
    if (view.times == TimeScale::shares && &run != &view.runs.front()) continue;
    if (!one_context(points.mla) || !one_context(points.kda)) add_curves(chart, run, points);
  }
  figure.note =
      "Waiting is left out; one point per step. MLA reads the whole cache, KDA a state of constant "
      "size.";
  if (!chart.curves.empty()) {
    chart.first_x = first;
    chart.description = figure.question + " " + figure.answer;
    figure.pictures.push_back(draw(chart));
    return figure;
  }
  figure.pictures.push_back(visual::empty_chart(
      width, 90,
      any ? fmt::format("every {} step has the same context. A run of more decode steps, or a "
                        "second one at another context, shows how attention grows.",
                        name_of(view.phase))
          : "no step with attention was recorded."));
  return figure;
}

}  // namespace k3::figures
