#include <algorithm>

#include <fmt/core.h>

#include "engine/scenario/section_internal.h"
#include "engine/text/suggest.h"
#include "engine/text/units.h"

namespace k3 {

Result<Section> Section::open(const TextNode& root,
                              std::string_view name,
                              std::span<const std::string_view> known,
                              std::span<const std::string_view> later) {
  Section section;
  section.node_ = root.find(name);
  if (!section.node_) return section;
  for (const std::string_view key : later) {
    if (const auto node = section.find(key)) {
      return node->fail("is not supported yet; remove the key", Code::unsupported);
    }
  }
  K3_TRY_VOID(section.node_->only_keys(known));
  return section;
}

Result<void> Section::count(std::string_view key, std::int64_t least, std::int64_t& out) const {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;  // keeps sums of counts inside 64 bits
  const auto node = find(key);
  if (!node) return {};
  if (!node->value().is(Json::Kind::string)) {
    K3_TRY(out, node->integer(least, kMost));
    return {};
  }
  auto parsed = parse_count(node->value().string());
  if (!parsed) return tl::unexpected(std::move(parsed.error()).at(node->where()));
  out = *parsed;
  if (out < least) return node->fail(fmt::format("is {}; must be at least {}", out, least));
  if (out > kMost) return node->fail(fmt::format("is {}; must be at most {}", out, kMost));
  return {};
}

Result<void> Section::flag(std::string_view key, bool& out) const {
  if (const auto node = find(key)) {
    K3_TRY(out, node->boolean());
  }
  return {};
}

Result<void> Section::number(std::string_view key, double most, double& out) const {
  const auto node = find(key);
  if (!node) return {};
  K3_TRY(out, node->number());
  if (!(out >= 0 && out <= most)) {
    return node->fail(fmt::format("is {}; must be from 0 to {}", out, most));
  }
  return {};
}

Result<std::size_t> word_index(const TextNode& node,
                               std::span<const std::string_view> words,
                               std::span<const bool> supported) {
  K3_TRY(const std::size_t index, node.one_of(words));
  if (supported[index]) return index;
  std::string list;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (supported[i]) list += (list.empty() ? "" : ", ") + std::string(words[i]);
  }
  return node.fail(fmt::format("`{}` is not supported yet; supported: {}", words[index], list),
                   Code::unsupported);
}

}  // namespace k3
