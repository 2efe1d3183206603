#include "engine/hardware/machine.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "engine/text/file.h"
#include "engine/text/node.h"
#include "engine/text/toml.h"
#include "engine/text/units.h"

namespace k3 {
namespace {

constexpr std::int64_t kMaxGpus = 16384;
constexpr std::int64_t kMaxPlanes = 1024;
constexpr std::int64_t kMaxLines = 1024;  ///< parallel ones, and down-links of a leaf
/// Above that a graph of the machine is no longer a matter of milliseconds.
constexpr std::int64_t kMaxLinks = 1 << 20;

bool is_date(std::string_view text) {
  constexpr std::string_view kPattern = "dddd-dd-dd";
  if (text.size() != kPattern.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (kPattern[i] == 'd' ? !digit : text[i] != '-') return false;
  }
  return true;
}

/// One section of a machine file: tables of value, source and date, each of which is kept as read.
class Section {
 public:
  Section(TextNode node, std::vector<SourcedValue>& sources)
      : node_(std::move(node)), sources_(sources) {}

  /// The node of `value`, its source noted.
  Result<TextNode> sourced(std::string_view key) {
    constexpr std::array<std::string_view, 3> kKeys{"value", "source", "date"};
    constexpr std::string_view kShape = "{ value = …, source = \"…\", date = \"YYYY-MM-DD\" }";
    K3_TRY(const TextNode entry, node_.at(key, fmt::format("write {} = {}", key, kShape)));
    if (!entry.value().is(Json::Kind::object)) {
      return entry.fail(
          fmt::format("is {} without a source; write {}", name_of(entry.value().kind()), kShape));
    }
    K3_TRY_VOID(entry.only_keys(kKeys));
    K3_TRY(const TextNode value, entry.at("value", "a number or a quantity with its unit"));
    K3_TRY(const TextNode source, entry.at("source", "a sentence that says where it is from"));
    K3_TRY(const std::string source_text, source.string());
    if (source_text.empty()) return source.fail("is empty; say where the value is from");
    K3_TRY(const TextNode date, entry.at("date", "the day it was looked up, \"YYYY-MM-DD\""));
    K3_TRY(const std::string date_text, date.string());
    if (!is_date(date_text)) {
      return date.fail(fmt::format("`{:.40}` is no date; write \"YYYY-MM-DD\"", date_text));
    }
    const Json& raw = value.value();
    sources_.push_back({entry.path(), raw.is(Json::Kind::string) ? raw.string() : raw.dump(-1),
                        source_text, date_text});
    return value;
  }

  /// A quantity with a unit; `parse` is one of the readers of units.h.
  template <class T>
  Result<void> quantity(std::string_view key, Result<T> (*parse)(std::string_view), T& out) {
    K3_TRY(const TextNode value, sourced(key));
    if (value.value().is_number()) return without_unit(value, parse);
    K3_TRY(const std::string text, value.string());
    auto parsed = parse(text);
    if (!parsed) return tl::unexpected(std::move(parsed.error()).at(value.where()));
    out = *parsed;
    return {};
  }

  Result<void> count(std::string_view key, std::int64_t most, int& out) {
    K3_TRY(const TextNode value, sourced(key));
    return read_count(value, most, out);
  }

  /// One count for all of `out`, or a list with one for each.
  Result<void> counts(std::string_view key, std::int64_t most, std::vector<int>& out) {
    K3_TRY(const TextNode value, sourced(key));
    if (!value.value().is(Json::Kind::array)) {
      int all = 0;
      K3_TRY_VOID(read_count(value, most, all));
      out.assign(out.size(), all);
      return {};
    }
    K3_TRY(const std::vector<TextNode> items, value.items());
    if (items.size() != out.size()) {
      return value.fail(fmt::format("lists {} counts; must be {}", items.size(), out.size()));
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
      K3_TRY_VOID(read_count(items[i], most, out[i]));
    }
    return {};
  }

  Result<void> share(std::string_view key, double& out) {
    K3_TRY(const TextNode value, sourced(key));
    K3_TRY(out, value.number());
    if (!(out > 0 && out <= 1)) {
      return value.fail(fmt::format("is {}; must be above 0 and at most 1", out));
    }
    return {};
  }

  const TextNode& node() const { return node_; }

 private:
  static Result<void> read_count(const TextNode& value, std::int64_t most, int& out) {
    K3_TRY(const std::int64_t number, value.integer(1, most));
    out = static_cast<int>(number);
    return {};
  }

  template <class T>
  static tl::unexpected<Error> without_unit(const TextNode& value,
                                            Result<T> (*parse)(std::string_view)) {
    auto parsed = parse(value.value().dump(-1));
    if (parsed) return value.fail("is a bare number; write a quantity in quotes");
    return tl::unexpected(std::move(parsed.error()).at(value.where()));
  }

  TextNode node_;
  std::vector<SourcedValue>& sources_;
};

template <std::size_t N>
Result<Section> open_section(const TextNode& root,
                             std::string_view name,
                             const std::array<std::string_view, N>& keys,
                             Machine& machine) {
  K3_TRY(const TextNode node, root.at(name, "the section is required"));
  K3_TRY_VOID(node.only_keys(keys));
  return Section(node, machine.sources);
}

/// Peaks of 0 would divide by zero later.
Result<void> demand_positive(const Section& section, std::string_view key, double value) {
  if (value > 0) return {};
  K3_TRY(const TextNode node, section.node().at(key));
  return node.fail("is 0; must be positive");
}

Result<void> read_gpu(const TextNode& root, Machine& machine) {
  constexpr std::array<std::string_view, 6> kKeys{"name", "bf16",   "fp8",
                                                  "fp32", "memory", "memory_bandwidth"};
  K3_TRY(Section section, open_section(root, "gpu", kKeys, machine));
  GpuSpec& gpu = machine.gpu;
  K3_TRY(const TextNode name, section.node().at("name", "a name like \"GB300\""));
  K3_TRY(gpu.name, name.string());
  K3_TRY_VOID(section.quantity("bf16", parse_flop_rate, gpu.bf16));
  K3_TRY_VOID(section.quantity("fp8", parse_flop_rate, gpu.fp8));
  K3_TRY_VOID(section.quantity("fp32", parse_flop_rate, gpu.fp32));
  K3_TRY_VOID(section.quantity("memory", parse_bytes, gpu.memory));
  K3_TRY_VOID(section.quantity("memory_bandwidth", parse_bandwidth, gpu.memory_bandwidth));
  K3_TRY_VOID(demand_positive(section, "bf16", gpu.bf16.per_second));
  K3_TRY_VOID(demand_positive(section, "fp8", gpu.fp8.per_second));
  K3_TRY_VOID(demand_positive(section, "fp32", gpu.fp32.per_second));
  K3_TRY_VOID(demand_positive(section, "memory", gpu.memory.value()));
  return demand_positive(section, "memory_bandwidth", gpu.memory_bandwidth.bytes_per_second);
}

/// Bandwidths are summed over lines, so that they must stay far from the largest double.
Result<void> demand_bandwidth(const Section& section, std::string_view key, Bandwidth value) {
  constexpr double kMost = 1e18;
  K3_TRY_VOID(demand_positive(section, key, value.bytes_per_second));
  if (value.bytes_per_second <= kMost) return {};
  K3_TRY(const TextNode node, section.node().at(key));
  return node.fail("must be at most 1000 PB/s");
}

Result<void> read_size(const TextNode& root, Machine& machine) {
  constexpr std::array<std::string_view, 3> kKeys{"gpus", "gpus_per_tray", "racks"};
  K3_TRY(Section section, open_section(root, "size", kKeys, machine));
  K3_TRY_VOID(section.count("gpus", kMaxGpus, machine.num_gpus));
  const auto racks = section.node().find("racks");
  if (racks) {
    K3_TRY_VOID(section.count("racks", machine.num_gpus, machine.racks));
    if (machine.num_gpus % machine.racks != 0) {
      return racks->fail(fmt::format("is {}; {} GPUs do not spread evenly over them", machine.racks,
                                     machine.num_gpus));
    }
  }
  return section.count("gpus_per_tray", machine.gpus_per_rack(), machine.gpus_per_tray);
}

Result<void> read_fabric(const TextNode& root, Machine& machine) {
  constexpr std::array<std::string_view, 4> kKeys{"planes", "links_per_plane", "link_bandwidth",
                                                  "link_latency"};
  K3_TRY(Section section, open_section(root, "fabric", kKeys, machine));
  int planes = 0;
  K3_TRY_VOID(section.count("planes", kMaxPlanes, planes));
  machine.plane_links.resize(static_cast<std::size_t>(planes));
  K3_TRY_VOID(section.counts("links_per_plane", kMaxLines, machine.plane_links));
  K3_TRY_VOID(section.quantity("link_bandwidth", parse_bandwidth, machine.link_bandwidth));
  K3_TRY_VOID(section.quantity("link_latency", parse_time, machine.link_latency));
  return demand_bandwidth(section, "link_bandwidth", machine.link_bandwidth);
}

/// What joins the racks; a single rack may have it too.
Result<void> read_scale_out(const TextNode& root, Machine& machine) {
  constexpr std::array<std::string_view, 6> kKeys{"nic_bandwidth",   "latency",
                                                  "leaf_down_links", "spines",
                                                  "links_per_spine", "spine_bandwidth"};
  if (!root.find("scale_out")) {
    if (machine.racks == 1) return {};
    K3_TRY(const TextNode size, root.at("size"));
    return size.fail("has several racks that nothing joins; add a section [scale_out]");
  }
  K3_TRY(Section section, open_section(root, "scale_out", kKeys, machine));
  ScaleOut& out = machine.scale_out.emplace();
  K3_TRY_VOID(section.quantity("nic_bandwidth", parse_bandwidth, out.nic_bandwidth));
  K3_TRY_VOID(section.quantity("latency", parse_time, out.latency));
  K3_TRY_VOID(section.count("leaf_down_links", kMaxLines, out.leaf_down_links));
  K3_TRY_VOID(section.count("spines", kMaxLines, out.spines));
  K3_TRY_VOID(section.count("links_per_spine", kMaxLines, out.links_per_spine));
  K3_TRY_VOID(section.quantity("spine_bandwidth", parse_bandwidth, out.spine_bandwidth));
  K3_TRY_VOID(demand_bandwidth(section, "nic_bandwidth", out.nic_bandwidth));
  return demand_bandwidth(section, "spine_bandwidth", out.spine_bandwidth);
}

/// NOTE: counts leaves from above, as if each served one tray.
Result<void> check_links(const TextNode& root, const Machine& machine) {
  std::int64_t links = std::int64_t{machine.num_gpus} * machine.planes();
  if (machine.scale_out) links += std::int64_t{machine.num_gpus} * machine.scale_out->spines;
  if (links <= kMaxLinks) return {};
  K3_TRY(const TextNode size, root.at("size"));
  return size.fail(
      fmt::format("makes {} links with the planes and spines given; must be at most {}", links,
                  kMaxLinks),
      Code::does_not_fit);
}

Result<void> read_roofline(const TextNode& root, Machine& machine) {
  constexpr std::array<std::string_view, 6> kKeys{
      "memory_efficiency", "compute_efficiency", "network_efficiency", "kernel_floor", "launch",
      "transfer_start"};
  K3_TRY(Section section, open_section(root, "roofline", kKeys, machine));
  RooflineConstants& constants = machine.roofline;
  K3_TRY_VOID(section.share("memory_efficiency", constants.memory_efficiency));
  K3_TRY_VOID(section.share("compute_efficiency", constants.compute_efficiency));
  K3_TRY_VOID(section.share("network_efficiency", constants.network_efficiency));
  K3_TRY_VOID(section.quantity("kernel_floor", parse_time, constants.kernel_floor));
  K3_TRY_VOID(section.quantity("launch", parse_time, constants.launch));
  return section.quantity("transfer_start", parse_time, constants.transfer_start);
}

}  // namespace

Result<Machine> parse_machine(std::string_view toml, const std::string& where) {
  constexpr std::array<std::string_view, 7> kKeys{"name",   "title",     "gpu",     "size",
                                                  "fabric", "scale_out", "roofline"};
  K3_TRY(const Json document, parse_toml(toml, where));
  const TextNode root(document, where);
  K3_TRY_VOID(root.only_keys(kKeys));
  Machine machine;
  K3_TRY(const TextNode name, root.at("name", "the preset's name"));
  K3_TRY(machine.name, name.string());
  K3_TRY(const TextNode title, root.at("title", "a line for people"));
  K3_TRY(machine.title, title.string());
  K3_TRY_VOID(read_gpu(root, machine));
  K3_TRY_VOID(read_size(root, machine));
  K3_TRY_VOID(read_fabric(root, machine));
  K3_TRY_VOID(read_scale_out(root, machine));
  K3_TRY_VOID(check_links(root, machine));
  K3_TRY_VOID(read_roofline(root, machine));
  return machine;
}

Result<Machine> load_machine(const std::filesystem::path& path) {
  K3_TRY(const std::string text, read_text_file(path));
  return parse_machine(text, path.string());
}

}  // namespace k3
