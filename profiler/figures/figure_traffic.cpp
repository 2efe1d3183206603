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

/// Between matrices side by side.
constexpr double kGap = 14;

struct Matrix {
  const RunView* run = nullptr;
  int num_ranks = 0;
  std::vector<double> bytes;

  double total() const { return std::accumulate(bytes.begin(), bytes.end(), 0.0); }
};

/// Of a pair the sums over common steps, else everything the session has.
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

/// The rank that receives most from others, and how much over the mean.
std::string busiest_receiver(const Matrix& matrix) {
  const auto n = static_cast<std::size_t>(matrix.num_ranks);
  std::vector<double> received(n, 0);
  for (std::size_t source = 0; source < n; ++source) {
    for (std::size_t destination = 0; destination < n; ++destination) {
      if (source != destination) received[destination] += matrix.bytes[source * n + destination];
    }
  }
  const double mean = std::accumulate(received.begin(), received.end(), 0.0) /
                      static_cast<double>(std::max<std::size_t>(n, 1));
  if (!(mean > 0)) return "nothing leaves its rank";
  const auto busiest = std::max_element(received.begin(), received.end());
  return fmt::format("rank {} receives most, {} the mean", busiest - received.begin(),
                     ratio_text(*busiest / mean));
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

HeatMap map_of(const Matrix& matrix, double width) {
  HeatMap map;
  map.title = matrix.run->name;
  map.rows = matrix.num_ranks;
  map.columns = matrix.num_ranks;
  map.values = matrix.bytes;
  map.row_title = "source rank";
  map.column_title = "destination rank";
  map.quantity = visual::Quantity::bytes;
  map.width = width;
  map.description = fmt::format(
      "Bytes from each rank to each rank, {}: {} in total; {}.", matrix.run->name,
      visual::text_of(visual::Quantity::bytes, matrix.total()), busiest_receiver(matrix));
  return map;
}

visual::DrawList difference_map(const Matrix& a, const Matrix& b, double high, double width) {
  if (a.num_ranks != b.num_ranks) {
    return visual::empty_chart(
        width, width,
        fmt::format("no difference: the runs have {} and {} ranks. Simulate with as many ranks as "
                    "were measured.",
                    a.num_ranks, b.num_ranks));
  }
  HeatMap map = map_of(b, width);
  map.title = b.run->name + " − " + a.run->name;
  map.description = "Difference of both matrices on the same scale.";
  for (std::size_t i = 0; i < map.values.size(); ++i)
    map.values[i] -= a.bytes[i];
  map.scale = HeatScale::difference;
  map.high = high;
  return draw(map);
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

}  // namespace

Figure traffic_figure(const RunsView& view, double width) {
  const double one_of_three = (width - 2 * kGap) / 3;
  const double alone = std::min(width, 460.0);
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
  double high = 0;
  for (const Matrix& matrix : matrices) {
    high = std::max(high, visual::largest_magnitude(matrix.bytes));
    figure.answer += fmt::format("{}: {} in total, {}. ", capital(*matrix.run),
                                 visual::text_of(visual::Quantity::bytes, matrix.total()),
                                 busiest_receiver(matrix));
  }
  const double low = smallest_positive(matrices);
  const bool log = high > kLogFromRatio * low;
  for (const Matrix& matrix : matrices) {
    HeatMap map = map_of(matrix, matrices.size() == 1 ? alone : one_of_three);
    map.scale = log ? HeatScale::log : HeatScale::linear;
    map.low = low;
    map.high = high;
    figure.pictures.push_back(draw(map));
  }
  if (matrices.size() == 2) {
    figure.answer += pair_answer(view, matrices);
    figure.pictures.push_back(difference_map(matrices[0], matrices[1], high, one_of_three));
  } else if (!view.pair()) {
    figure.note = "A difference needs a second session. ";
  }
  figure.note += fmt::format(
      "Payload of dispatch and combine, sum over all layers and {} {} steps; the diagonal stays on "
      "its rank. {} scale, the same for all matrices.",
      view.pair() ? "the common" : "the", name_of(view.phase), log ? "Logarithmic" : "Linear");
  return figure;
}

}  // namespace k3::figures
