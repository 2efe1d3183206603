#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "engine/base/result.h"
#include "engine/text/node.h"

namespace k3 {

/// One table of a scenario; an absent table has no keys, so that every default stays.
class Section {
 public:
  /// `later` are keys of the design that this version does not have yet.
  static Result<Section> open(const TextNode& root,
                              std::string_view name,
                              std::span<const std::string_view> known,
                              std::span<const std::string_view> later = {});

  bool present() const { return node_.has_value(); }

  std::optional<TextNode> find(std::string_view key) const {
    return node_ ? node_->find(key) : std::nullopt;
  }

  /// A count from `least` on, as an integer or as text with a binary prefix ("128 Ki").
  Result<void> count(std::string_view key, std::int64_t least, std::int64_t& out) const;
  Result<void> flag(std::string_view key, bool& out) const;
  /// A number in [0, most].
  Result<void> number(std::string_view key, double most, double& out) const;

 private:
  std::optional<TextNode> node_;
};

/// A word of a scenario and what it means; without a meaning: in the design, not in this version
/// yet.
template <class Value>
struct Word {
  std::string_view word;
  std::optional<Value> value;
};

/// Index of the node's text among `words`; `supported[i]` says whether words[i] has a meaning.
Result<std::size_t> word_index(const TextNode& node,
                               std::span<const std::string_view> words,
                               std::span<const bool> supported);

template <class Value, std::size_t N>
Result<void> read_word(const Section& section,
                       std::string_view key,
                       const std::array<Word<Value>, N>& words,
                       Value& out) {
  const auto node = section.find(key);
  if (!node) return {};
  std::array<std::string_view, N> names{};
  std::array<bool, N> supported{};
  for (std::size_t i = 0; i < N; ++i) {
    names[i] = words[i].word;
    supported[i] = words[i].value.has_value();
  }
  K3_TRY(const std::size_t index, word_index(*node, names, supported));
  out = *words[index].value;
  return {};
}

template <class Value, std::size_t N>
std::string_view word_of(const std::array<Word<Value>, N>& words, Value value) {
  for (const Word<Value>& word : words) {
    if (word.value == value) return word.word;
  }
  return "?";
}

}  // namespace k3
