#include "sim/calibration/calibration.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/core.h>

#include "engine/text/file.h"
#include "engine/text/node.h"
#include "engine/text/toml.h"
#include "engine/text/units.h"

namespace k3::sim {
namespace {

constexpr std::array<std::string_view, 3> kUnits{"us", "GB/s", "1"};
constexpr std::int64_t kMaxCores = 65536;
constexpr double kLeast = 1e-9;  // of points and values
constexpr double kMost = 1e15;
constexpr std::size_t kMaxPoints = 1'000'000;
constexpr std::string_view kAboutFactor =
    "time of a step over the sum of its micro-benchmarked parts";

Json numbers(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values)
    list.push(value);
  return list;
}

Json table_json(const Table& table) {
  Json axes = Json::array();
  for (const TableAxis& axis : table.axes)
    axes.push(axis.name);
  Json json = Json::object();
  json.set("about", table.about).set("unit", table.unit).set("source", table.source);
  json.set("date", table.date).set("spread", table.spread).set("axes", std::move(axes));
  if (!table.axes.empty()) {
    Json points = Json::array();
    for (const TableAxis& axis : table.axes)
      points.push(numbers(axis.points));
    json.set("points", std::move(points));
  }
  return json.set("values", numbers(table.values));
}

Result<std::string> text_at(const TextNode& node, std::string_view key) {
  K3_TRY(const TextNode value, node.at(key));
  return value.string();
}

Result<Bytes> bytes_at(const TextNode& node, std::string_view key) {
  K3_TRY(const TextNode value, node.at(key, "a size like \"16 GiB\""));
  K3_TRY(const std::string text, value.string());
  auto parsed = parse_bytes(text);
  if (!parsed) return tl::unexpected(std::move(parsed.error()).at(value.where()));
  return *parsed;
}

Result<std::vector<double>> positive_numbers(const TextNode& node) {
  K3_TRY(const std::vector<TextNode> items, node.items());
  std::vector<double> values;
  values.reserve(items.size());
  for (const TextNode& item : items) {
    K3_TRY(const double value, item.number());
    // NOTE: whatever is computed from values within these bounds stays finite.
    if (!(value >= kLeast && value <= kMost)) {
      return item.fail(fmt::format("is {}; must lie between {} and {}", value, kLeast, kMost));
    }
    values.push_back(value);
  }
  return values;
}

Result<void> read_axes(const TextNode& node, Table& table) {
  K3_TRY(const TextNode axes, node.at("axes", "the names of the axes, [] for a single value"));
  K3_TRY(const std::vector<TextNode> names, axes.items());
  if (names.empty()) return {};
  K3_TRY(const TextNode points, node.at("points", "one list of points per axis"));
  K3_TRY(const std::vector<TextNode> lists, points.items());
  if (lists.size() != names.size()) {
    return points.fail(
        fmt::format("{} lists for {} axes; one per axis", lists.size(), names.size()));
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    TableAxis axis;
    K3_TRY(axis.name, names[i].string());
    K3_TRY(axis.points, positive_numbers(lists[i]));
    if (axis.points.empty()) return lists[i].fail("is empty; an axis has at least one point");
    for (std::size_t k = 1; k < axis.points.size(); ++k) {
      if (axis.points[k] > axis.points[k - 1]) continue;
      return lists[i].fail(
          fmt::format("{} follows {}; points ascend", axis.points[k], axis.points[k - 1]));
    }
    table.axes.push_back(std::move(axis));
  }
  return {};
}

Result<Table> read_table(const TextNode& node, std::string name) {
  constexpr std::array<std::string_view, 8> kKeys{"about",  "unit", "source", "date",
                                                  "spread", "axes", "points", "values"};
  K3_TRY_VOID(node.only_keys(kKeys));
  Table table;
  table.name = std::move(name);
  K3_TRY(table.about, text_at(node, "about"));
  K3_TRY(const TextNode unit, node.at("unit", "\"us\", \"GB/s\" or \"1\""));
  K3_TRY(const std::size_t which, unit.one_of(kUnits));
  table.unit = kUnits[which];
  K3_TRY(table.source, text_at(node, "source"));
  K3_TRY(table.date, text_at(node, "date"));
  K3_TRY(const TextNode spread, node.at("spread", "the share by which repeats differ"));
  K3_TRY(table.spread, spread.number());
  if (table.spread < 0) return spread.fail("is negative; 0 means that repeats agree");
  K3_TRY_VOID(read_axes(node, table));
  K3_TRY(const TextNode values, node.at("values", "the measured values"));
  K3_TRY(table.values, positive_numbers(values));
  std::size_t expected = 1;
  for (const TableAxis& axis : table.axes)
    expected = std::min(expected * axis.points.size(), kMaxPoints);
  if (table.values.size() != expected) {
    return values.fail(
        fmt::format("{} values; the axes make {} points", table.values.size(), expected));
  }
  return table;
}

Json factor_json(const StepFactor& factor) {
  Json scenarios = Json::array();
  for (const std::string& scenario : factor.scenarios)
    scenarios.push(scenario);
  Json json = Json::object();
  json.set("about", kAboutFactor).set("unit", "1").set("source", factor.source);
  json.set("date", factor.date).set("value", factor.value);
  json.set("least", factor.least).set("most", factor.most).set("points", factor.points);
  return json.set("scenarios", std::move(scenarios));
}

Result<double> factor_at(const TextNode& node, std::string_view key) {
  K3_TRY(const TextNode value, node.at(key, "a ratio of two times"));
  K3_TRY(const double number, value.number());
  if (number >= kLeastStepFactor && number <= kMostStepFactor) return number;
  return value.fail(
      fmt::format("is {}; must lie between {} and {}", number, kLeastStepFactor, kMostStepFactor));
}

Result<StepFactor> read_step_factor(const TextNode& node) {
  constexpr std::array<std::string_view, 9> kKeys{"about", "unit", "source", "date",     "value",
                                                  "least", "most", "points", "scenarios"};
  constexpr std::array<std::string_view, 1> kUnit{"1"};
  K3_TRY_VOID(node.only_keys(kKeys));
  StepFactor factor;
  K3_TRY_VOID(text_at(node, "about"));
  K3_TRY(const TextNode unit, node.at("unit", "\"1\""));
  K3_TRY_VOID(unit.one_of(kUnit));
  K3_TRY(factor.source, text_at(node, "source"));
  K3_TRY(factor.date, text_at(node, "date"));
  K3_TRY(factor.value, factor_at(node, "value"));
  K3_TRY(factor.least, factor_at(node, "least"));
  K3_TRY(factor.most, factor_at(node, "most"));
  if (!(factor.least <= factor.value && factor.value <= factor.most)) {
    return node.fail(fmt::format("{} does not lie between least = {} and most = {}", factor.value,
                                 factor.least, factor.most));
  }
  K3_TRY(const TextNode points, node.at("points", "how many it was fitted to"));
  K3_TRY(const std::int64_t count, points.integer(1, kMaxPoints));
  factor.points = static_cast<int>(count);
  K3_TRY(const TextNode scenarios, node.at("scenarios", "fingerprints of the fitted sessions"));
  K3_TRY(const std::vector<TextNode> items, scenarios.items());
  for (const TextNode& item : items) {
    K3_TRY(factor.scenarios.emplace_back(), item.string());
  }
  return factor;
}

Result<void> read_host(const TextNode& root, HostDescription& host) {
  constexpr std::array<std::string_view, 4> kKeys{"cpu", "cores", "memory", "cache"};
  K3_TRY(const TextNode node, root.at("host", "the section is required"));
  K3_TRY_VOID(node.only_keys(kKeys));
  K3_TRY(host.cpu, text_at(node, "cpu"));
  K3_TRY(const TextNode cores, node.at("cores"));
  K3_TRY(const std::int64_t count, cores.integer(1, kMaxCores));
  host.cores = static_cast<int>(count);
  K3_TRY(host.memory, bytes_at(node, "memory"));
  K3_TRY(host.cache, bytes_at(node, "cache"));
  return {};
}

}  // namespace

std::string calibration_toml(const Calibration& calibration) {
  const HostDescription& host = calibration.host;
  Json tables = Json::object();
  for (const Table& table : calibration.set.tables)
    tables.set(table.name, table_json(table));
  Json document = Json::object();
  document.set("machine", calibration.machine).set("backend", calibration.backend);
  document.set("source", calibration.source).set("date", calibration.date);
  document.set("host", Json::object()
                           .set("cpu", host.cpu)
                           .set("cores", host.cores)
                           .set("memory", fmt::format("{} B", host.memory.count))
                           .set("cache", fmt::format("{} B", host.cache.count)));
  if (calibration.step_factor) document.set("step_factor", factor_json(*calibration.step_factor));
  document.set("table", std::move(tables));
  return dump_toml(document);
}

Result<Calibration> parse_calibration(std::string_view toml, const std::string& where) {
  constexpr std::array<std::string_view, 7> kKeys{"machine", "backend",     "source", "date",
                                                  "host",    "step_factor", "table"};
  K3_TRY(const Json document, parse_toml(toml, where));
  const TextNode root(document, where);
  K3_TRY_VOID(root.only_keys(kKeys));
  Calibration calibration;
  K3_TRY(calibration.machine, text_at(root, "machine"));
  K3_TRY(calibration.backend, text_at(root, "backend"));
  K3_TRY(calibration.source, text_at(root, "source"));
  K3_TRY(calibration.date, text_at(root, "date"));
  K3_TRY_VOID(read_host(root, calibration.host));
  if (const auto factor = root.find("step_factor")) {
    K3_TRY(calibration.step_factor, read_step_factor(*factor));
  }
  K3_TRY(const TextNode tables, root.at("table", "the measured tables"));
  K3_TRY(const std::vector<TextNode> members, tables.members());
  for (std::size_t i = 0; i < members.size(); ++i) {
    K3_TRY(Table table, read_table(members[i], tables.value().members()[i].key));
    calibration.set.tables.push_back(std::move(table));
  }
  return calibration;
}

Result<Calibration> load_calibration(const std::filesystem::path& path) {
  K3_TRY(const std::string text, read_text_file(path));
  return parse_calibration(text, path.string());
}

}  // namespace k3::sim
