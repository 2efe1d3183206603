#include "engine/hardware/fault.h"

#include <array>
#include <charconv>
#include <limits>
#include <optional>

#include <fmt/core.h>

#include "engine/text/printable.h"

namespace k3 {
namespace {

constexpr std::string_view kForms =
    "write gpu3:plane7=0.5, plane4=0, nic3=0.5, leaf0=0, spine1=0.5, gpu5.compute=0.8, gpu9=gone "
    "or "
    "tray2=gone";

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// The number of a part's name: 7 of "plane7". Digits only, so that every part has one name.
std::optional<int> index_of(std::string_view text, std::string_view kind) {
  if (!text.starts_with(kind)) return std::nullopt;
  text.remove_prefix(kind.size());
  int index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  const bool digits = !text.empty() && text.front() != '-' && (text == "0" || text.front() != '0');
  return whole && digits ? std::optional(index) : std::nullopt;
}

struct Part {
  FaultTarget target = FaultTarget::link;
  int index = 0;
  int plane = 0;
};

std::optional<Part> part_of(std::string_view text) {
  constexpr std::string_view kCompute = ".compute";
  if (const auto colon = text.find(':'); colon != std::string_view::npos) {
    const auto gpu = index_of(text.substr(0, colon), "gpu");
    const auto plane = index_of(text.substr(colon + 1), "plane");
    if (!gpu || !plane) return std::nullopt;
    return Part{FaultTarget::link, *gpu, *plane};
  }
  if (text.ends_with(kCompute)) {
    const auto gpu = index_of(text.substr(0, text.size() - kCompute.size()), "gpu");
    return gpu ? std::optional(Part{FaultTarget::compute, *gpu, 0}) : std::nullopt;
  }

  struct Kind {
    std::string_view name;
    FaultTarget target;
  };

  constexpr std::array kKinds{Kind{"gpu", FaultTarget::gpu},     Kind{"tray", FaultTarget::tray},
                              Kind{"plane", FaultTarget::plane}, Kind{"nic", FaultTarget::nic},
                              Kind{"leaf", FaultTarget::leaf},   Kind{"spine", FaultTarget::spine}};
  for (const Kind& kind : kKinds) {
    if (const auto index = index_of(text, kind.name)) return Part{kind.target, *index, 0};
  }
  return std::nullopt;
}

/// A plain decimal number that is all of `text`; NaN if it is none.
double number_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size() && !text.empty();
  return whole ? value : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

Result<Fault> parse_fault(std::string_view text) {
  const auto wrong = [&](std::string_view what) {
    return fail(Code::invalid_input, fmt::format("`{}` {}", printable(text.substr(0, 80)), what));
  };
  const auto equals = text.find('=');
  if (equals == std::string_view::npos) {
    return wrong(fmt::format("is no fault; {}", kForms));
  }
  const std::string_view name = trimmed(text.substr(0, equals));
  const std::string_view value = trimmed(text.substr(equals + 1));
  const auto part = part_of(name);
  if (!part) return wrong(fmt::format("names no part of a machine; {}", kForms));
  Fault fault{.target = part->target,
              .index = part->index,
              .plane = part->plane,
              .text = fmt::format("{}={}", name, value)};
  if (fault.target == FaultTarget::gpu || fault.target == FaultTarget::tray) {
    if (value != "gone") return wrong(fmt::format("must be {}=gone", name));
    return fault;
  }
  fault.fraction = number_of(value);
  if (!(fault.fraction >= 0 && fault.fraction <= 1)) {
    return wrong(fmt::format("must be a fraction from 0 to 1, like {}=0.5", name));
  }
  if (fault.target == FaultTarget::compute && fault.fraction == 0) {
    return wrong(fmt::format("leaves no speed; write gpu{}=gone", fault.index));
  }
  return fault;
}

}  // namespace k3
