#include "engine/hardware/topology_dump.h"

#include <algorithm>

#include <fmt/core.h>

#include "engine/hardware/hwloc_xml.h"
#include "engine/hardware/nccl_xml.h"
#include "engine/hardware/smi_nvlink.h"
#include "engine/hardware/smi_query.h"
#include "engine/hardware/smi_topology.h"
#include "engine/text/file.h"

namespace k3 {
namespace {

enum class Form : std::uint8_t { xml, matrix, nvlink, refused, none };

/// Outputs that are known and of no use here: a mark of theirs, and what to give instead.
struct OtherKind {
  std::string_view mark;
  std::string_view message;
};

constexpr OtherKind kOtherKinds[] = {
    {"NCCL INFO", "a log of NCCL; give the file that NCCL_TOPO_DUMP_FILE names"},
    {"NVSMI LOG", "the text of `nvidia-smi -q`; give `nvidia-smi -q -x`"},
    {"NVIDIA-SMI ", "the table of `nvidia-smi`; give `nvidia-smi topo -m`"},
    {"P2P", "peer capabilities (`nvidia-smi topo -p2p`) name no links; give `nvidia-smi topo -m`"},
    {"CNS", "peer capabilities (`nvidia-smi topo -p2p`) name no links; give `nvidia-smi topo -m`"},
    {"(UUID: ", "the list of `nvidia-smi -L` has no links; give `nvidia-smi topo -m`"},
    {"HostBridge", "the drawing of lstopo; give its XML (`lstopo --whole-io FILE.xml`)"},
    {"ROCm System Management", "an output of rocm-smi; only NVIDIA topologies are read"},
};

const OtherKind* other_kind(std::string_view text) {
  const auto* found = std::ranges::find_if(kOtherKinds, [&](const OtherKind& kind) {
    return text.find(kind.mark) != std::string_view::npos;
  });
  return found == std::end(kOtherKinds) ? nullptr : found;
}

/// Topologies are often pasted out of a page, with words before the root.
bool holds_root(std::string_view text) {
  constexpr std::string_view kRoots[] = {"<system", "<graphs",         "<pci ",
                                         "<cpu ",   "<nvidia_smi_log", "<topology"};
  return std::ranges::any_of(
      kRoots, [&](std::string_view root) { return text.find(root) != std::string_view::npos; });
}

/// Largest output of nvidia-smi that is looked at; real ones have some kilobytes.
constexpr std::size_t kMaxPlainBytes = std::size_t{8} << 20;

Form form_of(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return Form::none;
  if (text[first] == '<' && text.substr(first + 1, 8) != "inactive") return Form::xml;
  if (text.size() > kMaxPlainBytes) return Form::none;
  if (looks_like_smi_nvlink(text)) return Form::nvlink;
  // NOTE: peer capabilities have the same header as the matrix, so they are told first.
  const OtherKind* other = other_kind(text);
  if (other != nullptr && other->mark == "CNS") return Form::refused;
  if (looks_like_smi_topology(text)) return Form::matrix;
  if (holds_root(text)) return Form::xml;
  return other != nullptr ? Form::refused : Form::none;
}

Result<DiscoveredTopology> parse_xml(std::string_view text, const std::string& where) {
  K3_TRY(const XmlDocument document, XmlDocument::parse(text, where));
  const std::string& root = document.root().name;
  if (root == "system" || root == "cpu" || root == "pci") return read_nccl_topology(document);
  if (root == "graphs") return read_nccl_graph(document);
  if (root == "nvidia_smi_log") return read_smi_query(document);
  if (root == "topology") return read_hwloc(document);
  return document.fail(document.root(),
                       fmt::format("<{}> is no root of a topology; known: system, cpu and pci "
                                   "(NCCL), graphs (NCCL), nvidia_smi_log, topology (hwloc)",
                                   root));
}

}  // namespace

bool is_topology_dump(std::string_view text) {
  const Form form = form_of(text);
  return form != Form::none && form != Form::refused;
}

Result<DiscoveredTopology> parse_topology_dump(std::string_view text, const std::string& where) {
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    return fail(Code::unsupported, "UTF-16 text; save it as UTF-8", where);
  }
  switch (form_of(text)) {
    case Form::xml:
      return parse_xml(text, where);
    case Form::matrix:
      return read_smi_topology(text, where);
    case Form::nvlink:
      return read_smi_nvlink(text, where);
    case Form::refused:
      return fail(Code::unsupported, std::string(other_kind(text)->message), where);
    case Form::none:
      break;
  }
  return fail(Code::invalid_input,
              "no topology that is known here; give a file of NCCL_TOPO_DUMP_FILE, `nvidia-smi "
              "topo -m`, `nvidia-smi nvlink -R` or -s, `nvidia-smi -q -x`, or hwloc XML",
              where);
}

Result<DiscoveredTopology> load_topology_dump(const std::filesystem::path& path) {
  K3_TRY(const std::string text, read_text_file(path));
  return parse_topology_dump(text, path.string());
}

}  // namespace k3
