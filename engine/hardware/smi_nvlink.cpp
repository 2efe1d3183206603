#include "engine/hardware/smi_nvlink.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include <fmt/core.h>

#include "engine/hardware/smi_lines_internal.h"
#include "engine/text/units.h"

namespace k3 {
namespace {

/// One link as its line says.
struct LinkLine {
  int gpu = 0;
  std::optional<Bandwidth> speed;  ///< of -s
  std::string remote;              ///< bus id, of -R
  int port = -1;                   ///< of the remote device
  bool active = true;
};

/// "GPU 3: NVIDIA B200 (UUID: GPU-…)".
bool is_gpu_line(const SmiLine& line) {
  return line.word(0) == "GPU" && line.word(1).ends_with(':') &&
         number_after("", line.word(1).substr(0, line.word(1).size() - 1)) >= 0;
}

/// "Link 3: 50 GB/s", "Link 3: Remote Device 00000000:C5:00.0: Link 46", "Link 3: <inactive>".
bool is_link_line(const SmiLine& line) {
  return line.word(0) == "Link" && line.word(1).ends_with(':') &&
         number_after("", line.word(1).substr(0, line.word(1).size() - 1)) >= 0;
}

class NvlinkReader {
 public:
  NvlinkReader(std::string_view text, const std::string& where) : text_(text), where_(where) {
    topology_.file = where;
    topology_.kind = DumpKind::smi_nvlink_status;
    topology_.hosts.emplace_back();
  }

  Result<DiscoveredTopology> read() {
    for (const SmiLine& line : smi_lines(text_)) {
      if (is_gpu_line(line)) {
        K3_TRY_VOID(add_gpu(line));
      } else if (is_link_line(line)) {
        K3_TRY_VOID(add_link(line));
      }
    }
    name_gpus(topology_);
    add_rows();
    note_inactive();
    judge_nvlinks(topology_);
    return std::move(topology_);
  }

 private:
  tl::unexpected<Error> fail_at(const SmiLine& line, const std::string& message) const {
    return fail(Code::invalid_input, message,
                fmt::format("{}:{}:{}", where_, line.number, line.words[0].column));
  }

  Result<void> add_gpu(const SmiLine& line) {
    DiscoveredGpu gpu;
    gpu.device = number_after("", line.word(1).substr(0, line.word(1).size() - 1));
    for (std::size_t i = 2; i < line.words.size() && !line.word(i).starts_with('('); ++i)
      gpu.product += (gpu.product.empty() ? "" : " ") + line.words[i].text;
    if (!devices_.insert(*gpu.device).second) {
      return fail_at(line, fmt::format("GPU {} a second time; give one output of one host per file",
                                       *gpu.device));
    }
    topology_.gpus.push_back(std::move(gpu));
    return {};
  }

  Result<void> add_link(const SmiLine& line) {
    if (topology_.gpus.empty()) {
      return fail_at(line, "a link before the first line `GPU 0: …`; is the begin missing?");
    }
    LinkLine link;
    link.gpu = static_cast<int>(topology_.gpus.size()) - 1;
    if (line.word(2) == "Remote" && line.word(3) == "Device") {
      topology_.kind = DumpKind::smi_nvlink_remote;
      link.remote = line.word(4);
      if (link.remote.ends_with(':')) link.remote.pop_back();
      if (link.remote.empty()) return fail_at(line, "a link without the bus id of its other end");
      link.port = number_after("", line.word(6));
    } else if (line.text.find("nactive") != std::string::npos) {
      link.active = false;
    } else {
      auto speed = parse_bandwidth(std::string(line.word(2)) + " " + std::string(line.word(3)));
      if (!speed) return fail_at(line, std::move(speed).error().message);
      link.speed = *speed;
    }
    links_.push_back(std::move(link));
    return {};
  }

  /// Remote devices that are switches by what the file shows.
  std::set<std::string> known_switches() const {
    std::map<std::string, std::set<int>> gpus;
    std::set<std::string> switches;
    std::vector<int> num_links(topology_.gpus.size());
    for (const LinkLine& link : links_)
      ++num_links[static_cast<std::size_t>(link.gpu)];
    for (const LinkLine& link : links_) {
      if (link.remote.empty()) continue;
      gpus[link.remote].insert(link.gpu);
      if (link.port >= num_links[static_cast<std::size_t>(link.gpu)]) switches.insert(link.remote);
    }
    for (const auto& [remote, users] : gpus) {
      if (users.size() > 1 && users.size() == topology_.gpus.size()) switches.insert(remote);
    }
    return switches;
  }

  void add_rows() {
    const std::set<std::string> switches = known_switches();
    std::map<std::string, int> index;
    std::map<std::pair<int, std::string>, std::size_t> rows;
    bool unknown = false;
    for (const LinkLine& link : links_) {
      if (!link.active) continue;
      DiscoveredGpu& gpu = topology_.gpus[static_cast<std::size_t>(link.gpu)];
      const auto [row, is_new] = rows.emplace(std::pair(link.gpu, link.remote), gpu.nvlinks.size());
      if (is_new) {
        NvlinkRow added;
        added.target = link.remote;
        added.count = 0;
        const bool hidden = normal_bus_id(link.remote).starts_with("ffff");
        if (hidden || switches.contains(link.remote)) {
          added.end = hidden ? LinkEnd::hidden_switch : LinkEnd::named_switch;
          added.index = switch_index(link.remote, added.end, index);
        } else {
          unknown = true;
        }
        gpu.nvlinks.push_back(std::move(added));
      }
      NvlinkRow& counted = gpu.nvlinks[row->second];
      ++*counted.count;
      if (link.speed) {
        counted.bandwidth = Bandwidth{counted.bandwidth.value_or(Bandwidth{}).bytes_per_second +
                                      link.speed->bytes_per_second};
      }
    }
    note_speed();
    if (unknown) note_unknown();
  }

  int switch_index(const std::string& remote, LinkEnd end, std::map<std::string, int>& index) {
    const auto [found, is_new] = index.emplace(remote, topology_.switches.size());
    if (is_new && end == LinkEnd::hidden_switch) {
      topology_.switches.push_back({"unnamed NVSwitch domain", 0, "", true});
    } else if (is_new) {
      topology_.switches.push_back({"switch " + remote, 0, remote});
    }
    return found->second;
  }

  void note_unknown() {
    topology_.network_gap = "where links lead is not in it";
    topology_.add(Severity::note,
                  topology_.kind == DumpKind::smi_nvlink_status
                      ? "where the links lead is not in this file; `nvidia-smi nvlink -R` or a "
                        "dump made with NCCL_TOPO_DUMP_FILE says it"
                      : "whether the other ends are GPUs or switches is not in this file: it holds "
                        "no bus ids of the GPUs");
  }

  void note_speed() {
    std::set<double> speeds;
    for (const LinkLine& link : links_) {
      if (link.speed) speeds.insert(link.speed->bytes_per_second);
    }
    if (speeds.empty()) return;
    if (speeds.size() > 1) {
      topology_.add(Severity::fault, fmt::format("links of {} different speeds: {} to {}",
                                                 speeds.size(), format_bandwidth({*speeds.begin()}),
                                                 format_bandwidth({*speeds.rbegin()})));
      return;
    }
    topology_.nvlink_rate = Bandwidth{*speeds.begin()};
    // Source: NVLink 4 and 5 datasheets: 25 and 50 GB/s of payload per link and direction
    for (const auto& [signalling, payload] : {std::pair(26.562e9, 25), std::pair(53.125e9, 50)}) {
      if (*speeds.begin() != signalling) continue;
      topology_.add(Severity::note,
                    fmt::format("{:.3f} GB/s is the signalling rate; such a link carries {} GB/s",
                                signalling * 1e-9, payload));
    }
  }

  void note_inactive() {
    std::map<int, int> inactive;
    for (const LinkLine& link : links_) {
      if (!link.active) ++inactive[link.gpu];
    }
    for (const auto& [gpu, count] : inactive) {
      topology_.add(Severity::fault, fmt::format("{}: {} link{} inactive",
                                                 topology_.gpus[static_cast<std::size_t>(gpu)].name,
                                                 count, count == 1 ? " is" : "s are"));
    }
  }

  std::string_view text_;
  const std::string& where_;
  DiscoveredTopology topology_;
  std::vector<LinkLine> links_;
  std::set<int> devices_;
};

}  // namespace

bool looks_like_smi_nvlink(std::string_view text) {
  const std::vector<SmiLine> lines = smi_lines(text);
  const auto gpu = std::ranges::find_if(lines, is_gpu_line);
  return gpu != lines.end() && std::find_if(gpu, lines.end(), is_link_line) != lines.end();
}

Result<DiscoveredTopology> read_smi_nvlink(std::string_view text, const std::string& where) {
  return NvlinkReader(text, where).read();
}

}  // namespace k3
