#include <array>
#include <charconv>
#include <cmath>
#include <iterator>

#include <fmt/core.h>

#include "engine/text/json.h"
#include "engine/text/utf8_internal.h"

namespace k3 {
namespace {

void append_escaped(char c, std::string& out) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  if (static_cast<unsigned char>(c) < 0x20) {
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
  } else {
    out += c;
  }
}

void append_string(std::string_view text, std::string& out) {
  out += '"';
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 1) {
      append_escaped(text[0], out);
    } else if (length == 0) {
      out += "\xef\xbf\xbd";
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out += '"';
}

class Writer {
 public:
  explicit Writer(int indent) : indent_(indent) {}

  void write(const Json& json) {
    switch (json.kind()) {
      case Json::Kind::null:
        out_ += "null";
        return;
      case Json::Kind::boolean:
        out_ += json.boolean() ? "true" : "false";
        return;
      case Json::Kind::integer:
        out_ += std::to_string(json.integer());
        return;
      case Json::Kind::real:
        out_ += std::isfinite(json.number()) ? shortest_text(json.number()) : "null";
        return;
      case Json::Kind::string:
        append_string(json.string(), out_);
        return;
      case Json::Kind::array:
        write_block("[]", json.items(), [this](const Json& item) { write(item); });
        return;
      case Json::Kind::object:
        write_block("{}", json.members(), [this](const Json::Member& member) {
          append_string(member.key, out_);
          out_ += indent_ < 0 ? ":" : ": ";
          write(member.value);
        });
        return;
    }
  }

  std::string take() { return std::move(out_); }

 private:
  template <class Items, class WriteItem>
  void write_block(std::string_view brackets, const Items& items, const WriteItem& write_item) {
    out_ += brackets[0];
    ++level_;
    bool first = true;
    for (const auto& item : items) {
      if (!first) out_ += ',';
      first = false;
      new_line();
      write_item(item);
    }
    --level_;
    if (!items.empty()) new_line();
    out_ += brackets[1];
  }

  void new_line() {
    if (indent_ < 0) return;
    out_ += '\n';
    out_.append(static_cast<std::size_t>(level_) * static_cast<std::size_t>(indent_), ' ');
  }

  std::string out_;
  int indent_;
  int level_ = 0;
};

}  // namespace

std::string shortest_text(double value) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  std::string text(digits.data(), end);
  if (std::isfinite(value) && text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string Json::dump(int indent) const {
  Writer writer(indent);
  writer.write(*this);
  return writer.take();
}

}  // namespace k3
