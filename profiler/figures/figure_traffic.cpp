#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/core.h>

#include "profiler/figures/figures.h"
#include "profiler/visual/chart_heat.h"

namespace k3::figures {
namespace {

using visual::HeatMap;
using visual::HeatScale;

/// Above this ratio of largest to smallest cell a linear scale shows only the largest.
constexpr double kLogFromRatio = 100;

struct Matrix {
  const RunView* run = nullptr;
  int num_ranks = 0;
  std::vector<double> bytes;

  double total() const { return std::accumulate(bytes.begin(), bytes.end(), 0.0); }
};

/// Of a pair the sums over common steps.
std::vector<Matrix> matrices_of(const RunsView& view) {
  std::vector<Matrix> matrices;
  const bool common = view.comparison != nullptr && view.comparison->traffic.num_ranks > 0;
  for (std::size_t i = 0; i < view.runs.size(); ++i) {
    Matrix matrix{&view.runs[i], 0, {}};
    if (common) {
      const query::TrafficComparison& traffic = view.comparison->traffic;
      matrix.num_ranks = traffic.num_ranks;
      matrix.bytes = i == 0 ? traffic.measured_bytes : traffic.simulated_bytes;
    } else {
      const query::TrafficSum& traffic = view.runs[i].detail->traffic;
      matrix.num_ranks = traffic.num_ranks;
      matrix.bytes.assign(traffic.bytes.begin(), traffic.bytes.end());
    }
    if (matrix.total() > 0) matrices.push_back(std::move(matrix));
  }
  return matrices;
}

/// What ranks send to and receive from others.
struct Sums {
  std::vector<double> sent;
  std::vector<double> received;
};

template <class T>
Sums sums_of(const std::vector<T>& bytes, int num_ranks, bool with_own) {
  const auto n = static_cast<std::size_t>(num_ranks);
  Sums sums{std::vector<double>(n), std::vector<double>(n)};
  for (std::size_t source = 0; source < n; ++source) {
    for (std::size_t destination = 0; destination < n; ++destination) {
      if (source == destination && !with_own) continue;
      const auto value = static_cast<double>(bytes[source * n + destination]);
      sums.sent[source] += value;
      sums.received[destination] += value;
    }
  }
  return sums;
}

struct Peak {
  std::size_t rank = 0;
  double over_mean = 0;  ///< 0: nothing moves
};

Peak peak_of(const std::vector<double>& values) {
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) /
                      static_cast<double>(std::max<std::size_t>(values.size(), 1));
  if (!(mean > 0)) return {};
  const auto largest = std::max_element(values.begin(), values.end());
  return {static_cast<std::size_t>(largest - values.begin()), *largest / mean};
}

std::string busiest_receiver(const Matrix& matrix) {
  const Peak peak = peak_of(sums_of(matrix.bytes, matrix.num_ranks, false).received);
  if (peak.over_mean == 0) return "nothing leaves its rank";
  return fmt::format("rank {} receives most, {} the mean", peak.rank, ratio_text(peak.over_mean));
}

/// "combine is receiver-bound at rank 17: 1.31× the mean": which rank ends an exchange last if all
/// links are alike.
std::string bound_sentence(const RunDetail& detail) {
  std::string_view exchange;
  std::string_view side;
  Peak worst;
  for (const Direction direction : {Direction::dispatch, Direction::combine}) {
    const query::TrafficSum& part = detail.exchanges[static_cast<std::size_t>(direction)];
    if (part.num_ranks == 0) continue;
    const Sums sums = sums_of(part.bytes, part.num_ranks, false);
    for (const bool receives : {true, false}) {
      const Peak peak = peak_of(receives ? sums.received : sums.sent);
      if (peak.over_mean <= worst.over_mean) continue;
      worst = peak;
      exchange = direction == Direction::dispatch ? "Dispatch" : "Combine";
      side = receives ? "receiver" : "sender";
    }
  }
  if (worst.over_mean == 0) return {};
  return fmt::format("{} is {}-bound at rank {}: {} the mean. ", exchange, side, worst.rank,
                     ratio_text(worst.over_mean));
}

double smallest_positive(const std::vector<Matrix>& matrices) {
  double smallest = std::numeric_limits<double>::infinity();
  for (const Matrix& matrix : matrices) {
    for (const double v : matrix.bytes) {
      if (v > 0) smallest = std::min(smallest, v);
    }
  }
  return smallest;
}

/// "3 → 5: 1.20 MB", of two runs "3 → 5: measured 1.20 MB, simulated 1.30 MB (1.08×)".
std::vector<std::string> tips_of(const std::vector<Matrix>& matrices) {
  std::vector<std::string> tips;
  const auto n = static_cast<std::size_t>(matrices.front().num_ranks);
  const auto text = [](double bytes) { return visual::text_of(visual::Quantity::bytes, bytes); };
  for (std::size_t i = 0; i < n * n; ++i) {
    std::string tip = fmt::format("{} → {}: ", i / n, i % n);
    const double a = matrices[0].bytes[i];
    if (matrices.size() == 1) {
      tip += text(a);
    } else {
      const double b = matrices[1].bytes[i];
      tip += fmt::format("{} {}, {} {}", matrices[0].run->name, text(a), matrices[1].run->name,
                         text(b));
      if (a > 0) tip += fmt::format(" ({})", ratio_text(b / a));
    }
    tips.push_back(std::move(tip));
  }
  return tips;
}

/// What the maps of one figure share.
struct MapLook {
  double width = 0;
  double low = 0;
  double high = 0;
  bool log = false;
  double largest_sum = 0;
  std::vector<std::string> tips;
};

HeatMap map_of(const Matrix& matrix, const MapLook& look) {
  HeatMap map;
  map.title = matrix.run->name;
  map.rows = matrix.num_ranks;
  map.columns = matrix.num_ranks;
  map.values = matrix.bytes;
  map.row_title = "source rank";
  map.column_title = "destination rank";
  map.quantity = visual::Quantity::bytes;
  map.width = look.width;
  map.scale = look.log ? HeatScale::log : HeatScale::linear;
  map.low = look.low;
  map.high = look.high;
  map.group = matrix.run->detail->gpus_per_tray;
  Sums sums = sums_of(matrix.bytes, matrix.num_ranks, true);
  map.row_sums = std::move(sums.sent);
  map.column_sums = std::move(sums.received);
  map.largest_sum = look.largest_sum;
  map.tips = look.tips;
  map.description = fmt::format(
      "Bytes from each rank to each rank, {}: {} in total; {}.", matrix.run->name,
      visual::text_of(visual::Quantity::bytes, matrix.total()), busiest_receiver(matrix));
  return map;
}

visual::DrawList difference_map(const Matrix& a, const Matrix& b, const MapLook& look) {
  if (a.num_ranks != b.num_ranks) {
    return visual::empty_chart(
        look.width, look.width,
        fmt::format("no difference: the runs have {} and {} ranks. Simulate with as many ranks as "
                    "were measured.",
                    a.num_ranks, b.num_ranks));
  }
  HeatMap map = map_of(b, look);
  map.title = b.run->name + " − " + a.run->name;
  map.description = "Difference of both matrices on the same scale.";
  for (std::size_t i = 0; i < map.values.size(); ++i)
    map.values[i] -= a.bytes[i];
  map.row_sums.clear();
  map.column_sums.clear();
  map.scale = HeatScale::difference;
  return draw(map);
}

MapLook look_of(const std::vector<Matrix>& matrices, double width) {
  constexpr double kAlone = 560;
  MapLook look;
  look.width = matrices.size() == 1 ? std::min(width, kAlone) : (width - 2 * kPictureGap) / 3;
  look.low = smallest_positive(matrices);
  bool alike = true;
  for (const Matrix& matrix : matrices) {
    look.high = std::max(look.high, visual::largest_magnitude(matrix.bytes));
    const Sums sums = sums_of(matrix.bytes, matrix.num_ranks, true);
    for (const std::vector<double>* side : {&sums.sent, &sums.received}) {
      look.largest_sum = std::max(look.largest_sum, visual::largest_magnitude(*side));
    }
    alike = alike && matrix.num_ranks == matrices.front().num_ranks;
  }
  look.log = look.high > kLogFromRatio * look.low;
  if (alike) look.tips = tips_of(matrices);
  return look;
}

std::string pair_answer(const RunsView& view, const std::vector<Matrix>& matrices) {
  const double a = matrices[0].total();
  const double b = matrices[1].total();
  std::string out = fmt::format("{} is {} of {} in total. ", capital(*matrices[1].run),
                                ratio_text(b / a), matrices[0].run->name);
  if (view.comparison != nullptr && view.comparison->traffic.num_ranks > 0) {
    out += fmt::format("The largest difference of a cell is {} of the mean cell. ",
                       share_text(view.comparison->traffic.max_cell_error));
  }
  return out;
}

/// "layer 17, all decode steps that both runs have"
std::string what_is_summed(const RunsView& view) {
  const Input& input = *view.input;
  const std::string_view exchange =
      input.direction ? name_of(*input.direction) : "dispatch and combine";
  std::string steps;
  if (input.scope.step) {
    steps = fmt::format("step {}", *input.scope.step);
  } else {
    steps = input.scope.phase ? fmt::format("all {} steps", name_of(*input.scope.phase))
                              : std::string("all steps");
    if (view.pair()) steps += " that both runs have";
  }
  const std::string layers =
      input.scope.layer ? fmt::format("layer {}", *input.scope.layer) : std::string("all layers");
  return fmt::format("Payload of {}, sum over {} and {}", exchange, layers, steps);
}

}  // namespace

Figure traffic_figure(const RunsView& view, double width) {
  Figure figure;
  figure.id = "traffic";
  figure.question = "Which rank sends how much to which?";
  const std::vector<Matrix> matrices = matrices_of(view);
  if (matrices.empty()) {
    figure.answer = "The session holds no traffic: no step exchanged rows between ranks.";
    figure.pictures.push_back(visual::empty_chart(
        width, 90,
        "no dispatch or combine was recorded. A run with more than one rank fills this."));
    return figure;
  }
  const MapLook look = look_of(matrices, width);
  figure.answer = bound_sentence(*matrices.front().run->detail);
  for (const Matrix& matrix : matrices) {
    figure.answer += fmt::format("{}: {} in total, {}. ", capital(*matrix.run),
                                 visual::text_of(visual::Quantity::bytes, matrix.total()),
                                 busiest_receiver(matrix));
    figure.pictures.push_back(draw(map_of(matrix, look)));
  }
  if (matrices.size() == 2) {
    figure.answer += pair_answer(view, matrices);
    figure.pictures.push_back(difference_map(matrices[0], matrices[1], look));
  } else if (!view.pair()) {
    figure.note = "A difference needs a second session. ";
  }
  figure.note += fmt::format(
      "{}; the diagonal stays on its rank. Bars: sums of rows and columns. {} scale, the same for "
      "all matrices.",
      what_is_summed(view), look.log ? "Logarithmic" : "Linear");
  if (matrices.front().run->detail->gpus_per_tray > 1) figure.note += " Lines divide trays.";
  return figure;
}

}  // namespace k3::figures
