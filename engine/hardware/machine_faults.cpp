#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "engine/hardware/machine_parts_internal.h"
#include "engine/hardware/topology.h"

namespace k3 {

Damage::Damage(std::span<const Fault> faults, const MachineParts& parts)
    : compute(static_cast<std::size_t>(parts.gpus()), 1.0),
      plane(static_cast<std::size_t>(parts.planes()), 1.0),
      nic(static_cast<std::size_t>(parts.nics()), 1.0),
      leaf(static_cast<std::size_t>(parts.leaves()), 1.0),
      spine(static_cast<std::size_t>(parts.spines()), 1.0) {
  for (const Fault& fault : faults)
    add(fault, parts);
}

double Damage::link(int gpu, int plane_index) const {
  double left = gone(gpu) ? 0.0 : plane[static_cast<std::size_t>(plane_index)];
  for (const Fault& fault : links) {
    if (fault.index == gpu && fault.plane == plane_index) left *= fault.fraction;
  }
  return left;
}

void Damage::add(const Fault& fault, const MachineParts& parts) {
  const auto index = static_cast<std::size_t>(fault.index);
  switch (fault.target) {
    case FaultTarget::link:
      links.push_back(fault);
      break;
    case FaultTarget::plane:
      plane.at(index) *= fault.fraction;
      break;
    case FaultTarget::nic:
      nic.at(index) *= fault.fraction;
      break;
    case FaultTarget::leaf:
      leaf.at(index) *= fault.fraction;
      break;
    case FaultTarget::spine:
      spine.at(index) *= fault.fraction;
      break;
    case FaultTarget::compute:
      compute.at(index) *= fault.fraction;
      break;
    case FaultTarget::gpu:
      compute.at(index) = 0;
      break;
    case FaultTarget::tray:
      for (int gpu = 0; gpu < parts.gpus(); ++gpu) {
        if (parts.tray_of(gpu) == fault.index) compute[static_cast<std::size_t>(gpu)] = 0;
      }
      break;
  }
}

namespace {

/// Why the machine cannot have this fault; nothing if it can.
std::optional<std::string> misfit(const Machine& machine, const Fault& fault) {
  const MachineParts parts(machine);
  const auto among = [&](std::string_view kind, int count) -> std::optional<std::string> {
    if (count == 0) return fmt::format("{} has no {}s", machine.name, kind);
    if (fault.index < count) return std::nullopt;
    return count == 1 ? fmt::format("{} has only {}0", machine.name, kind)
                      : fmt::format("{} has {}0 to {}{}", machine.name, kind, kind, count - 1);
  };
  switch (fault.target) {
    case FaultTarget::plane:
      return among("plane", parts.planes());
    case FaultTarget::nic:
      return among("nic", parts.nics());
    case FaultTarget::leaf:
      return among("leaf", parts.leaves());
    case FaultTarget::spine:
      return among("spine", parts.spines());
    case FaultTarget::tray:
      return among("tray", parts.trays());
    case FaultTarget::compute:
    case FaultTarget::gpu:
    case FaultTarget::link:
      break;
  }
  if (auto wrong = among("gpu", parts.gpus())) return wrong;
  if (fault.target != FaultTarget::link) return std::nullopt;
  if (machine.planes() == 0) return fmt::format("{} has no planes", machine.name);
  const int rack = parts.rack_of(fault.index);
  const int first = rack * machine.planes();
  if (fault.plane >= first && fault.plane < first + machine.planes()) return std::nullopt;
  return fmt::format("gpu{} of {} has links to plane{} to plane{}", fault.index, machine.name,
                     first, first + machine.planes() - 1);
}

bool same_part(const Fault& a, const Fault& b) {
  return a.target == b.target && a.index == b.index && a.plane == b.plane;
}

/// Whether `wide` is about everything that `narrow` is about, and more.
bool covers(const MachineParts& parts, const Fault& wide, const Fault& narrow) {
  const bool is_of_gpu = narrow.target == FaultTarget::link || narrow.target == FaultTarget::nic ||
                         narrow.target == FaultTarget::compute;
  switch (wide.target) {
    case FaultTarget::plane:
      return narrow.target == FaultTarget::link && narrow.plane == wide.index;
    case FaultTarget::gpu:
      return is_of_gpu && narrow.index == wide.index;
    case FaultTarget::tray:
      return is_of_gpu && parts.tray_of(narrow.index) == wide.index;
    case FaultTarget::link:
    case FaultTarget::nic:
    case FaultTarget::leaf:
    case FaultTarget::spine:
    case FaultTarget::compute:
      break;
  }
  return false;
}

/// The fault about less, where two say different things of one part; null where they go together:
/// other parts, the same said twice, or a part that is dead whatever else holds.
const Fault* contradicted(const MachineParts& parts, const Fault& a, const Fault& b) {
  if (same_part(a, b)) return a.fraction == b.fraction ? nullptr : &b;
  if (covers(parts, a, b)) return b.fraction > 0 ? &b : nullptr;
  if (covers(parts, b, a)) return a.fraction > 0 ? &a : nullptr;
  return nullptr;
}

}  // namespace

Result<Machine> with_faults(Machine machine, std::span<const Fault> faults) {
  for (const Fault& fault : faults) {
    if (const auto wrong = misfit(machine, fault)) {
      return fail(Code::invalid_input, fmt::format("`{}`: {}", fault.text, *wrong));
    }
    bool is_known = false;
    for (const Fault& earlier : machine.faults) {
      const Fault* narrower = contradicted(MachineParts(machine), earlier, fault);
      if (narrower != nullptr) {
        return fail(
            Code::invalid_input,
            fmt::format("`{}` and `{}` both say what is left of {}; give only one", earlier.text,
                        fault.text, narrower->text.substr(0, narrower->text.find('='))));
      }
      is_known = is_known || same_part(earlier, fault);
    }
    if (!is_known) machine.faults.push_back(fault);
  }
  return machine;
}

std::vector<double> gpu_speeds(const Machine& machine) {
  return Damage(machine.faults, MachineParts(machine)).compute;
}

std::vector<int> live_gpus(const Machine& machine) {
  const std::vector<double> speeds = gpu_speeds(machine);
  std::vector<int> live;
  for (std::size_t gpu = 0; gpu < speeds.size(); ++gpu) {
    if (speeds[gpu] > 0) live.push_back(static_cast<int>(gpu));
  }
  return live;
}

int num_live_gpus(const Machine& machine) {
  return machine.faults.empty() ? machine.num_gpus : static_cast<int>(live_gpus(machine).size());
}

std::string describe_gpus(const Machine& machine) {
  std::string gone;
  for (const Fault& fault : machine.faults) {
    if (fault.target != FaultTarget::gpu && fault.target != FaultTarget::tray) continue;
    gone += (gone.empty() ? " left after " : ", ") + fault.text;
  }
  const int left = num_live_gpus(machine);
  return fmt::format("{} has {} GPU{}{}", machine.name, left, left == 1 ? "" : "s", gone);
}

}  // namespace k3
