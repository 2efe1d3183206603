#include "engine/text/xml.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/core.h>
#include <pugixml.hpp>

#include "engine/text/printable.h"

namespace k3 {
namespace {

/// Finds the line and column of a byte offset.
class LineIndex {
 public:
  explicit LineIndex(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\n') begins_.push_back(i + 1);
    }
  }

  TextPosition at(std::size_t offset) const {
    const auto line = std::ranges::upper_bound(begins_, offset);
    return {static_cast<int>(line - begins_.begin()),
            static_cast<int>(offset - *std::prev(line)) + 1};
  }

 private:
  std::vector<std::size_t> begins_{0};
};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

/// Copies the library's tree within the limits.
class Converter {
 public:
  Converter(std::string_view text, const std::string& where) : lines_(text), where_(where) {}

  tl::unexpected<Error> fail_at(std::size_t offset, const std::string& message) const {
    const TextPosition at = lines_.at(offset);
    return fail(Code::invalid_input, message, fmt::format("{}:{}:{}", where_, at.line, at.column));
  }

  Result<XmlElement> convert(const pugi::xml_node& node, int depth) {
    const auto offset = static_cast<std::size_t>(std::max<std::ptrdiff_t>(node.offset_debug(), 0));
    if (depth > XmlDocument::kMaxDepth) {
      return fail_at(
          offset, fmt::format("more than {} elements inside each other", XmlDocument::kMaxDepth));
    }
    if (++num_elements_ > XmlDocument::kMaxElements) {
      return fail_at(offset, fmt::format("more than {} elements", XmlDocument::kMaxElements));
    }
    XmlElement element;
    element.name = node.name();
    element.position = lines_.at(offset);
    for (const pugi::xml_attribute& attribute : node.attributes()) {
      if (element.attribute(attribute.name()) != nullptr) {
        return fail_at(offset, fmt::format("`{}` is given twice in <{}>",
                                           printable(attribute.name()), printable(element.name)));
      }
      if (element.attributes.size() == XmlDocument::kMaxAttributes) {
        return fail_at(offset, fmt::format("more than {} attributes in one element",
                                           XmlDocument::kMaxAttributes));
      }
      element.attributes.push_back({attribute.name(), attribute.value()});
    }
    std::string text;
    for (const pugi::xml_node& child : node.children()) {
      if (child.type() == pugi::node_element) {
        K3_TRY(XmlElement inner, convert(child, depth + 1));
        element.children.push_back(std::move(inner));
      } else {
        text += child.value();
      }
    }
    element.text = trimmed(text);
    return element;
  }

 private:
  LineIndex lines_;
  const std::string& where_;
  std::size_t num_elements_ = 0;
};

/// What the library's status means to a person.
std::string_view reason_of(pugi::xml_parse_status status) {
  switch (status) {
    case pugi::status_end_element_mismatch:
      return "the element is not closed, or another one is closed here; is the file complete?";
    case pugi::status_no_document_element:
      return "holds no element; an XML document has one";
    case pugi::status_bad_start_element:
    case pugi::status_unrecognized_tag:
      return "no start of an element; `<` in text is written `&lt;`";
    case pugi::status_bad_attribute:
      return "no attribute; it would be name=\"value\"";
    case pugi::status_bad_end_element:
      return "no end of an element; it would be </name>";
    case pugi::status_bad_comment:
      return "the comment does not end";
    case pugi::status_bad_doctype:
      return "the document type does not end";
    case pugi::status_bad_cdata:
      return "the CDATA section does not end";
    default:
      return "no XML";
  }
}

}  // namespace

const std::string* XmlElement::attribute(std::string_view key) const {
  const auto found = std::ranges::find(attributes, key, &Attribute::name);
  return found == attributes.end() ? nullptr : &found->value;
}

const XmlElement* XmlElement::child(std::string_view key) const {
  const auto found = std::ranges::find(children, key, &XmlElement::name);
  return found == children.end() ? nullptr : &*found;
}

std::string_view XmlElement::child_text(std::string_view key) const {
  const XmlElement* found = child(key);
  return found == nullptr ? std::string_view() : std::string_view(found->text);
}

Result<XmlDocument> XmlDocument::parse(std::string_view text, const std::string& where) {
  if (text.size() > kMaxBytes) {
    return k3::fail(Code::invalid_input,
                    fmt::format("too large for an XML file; at most {} MiB", kMaxBytes >> 20),
                    where);
  }
  Converter converter(text, where);
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
    return converter.fail_at(zero, "a zero byte; XML is read as UTF-8 text");
  }
  pugi::xml_document document;
  // NOTE: the encoding is fixed, so that offsets are those of the text as it was given.
  const pugi::xml_parse_result result =
      document.load_buffer(text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!result) {
    const auto offset = static_cast<std::size_t>(std::max<std::ptrdiff_t>(result.offset, 0));
    return converter.fail_at(std::min(offset, text.size()), std::string(reason_of(result.status)));
  }
  const pugi::xml_node root = document.document_element();
  for (pugi::xml_node other = root.next_sibling(); other; other = other.next_sibling()) {
    if (other.type() != pugi::node_element) continue;
    return converter.fail_at(
        static_cast<std::size_t>(other.offset_debug()),
        fmt::format("a second root element <{}>; a document has one", printable(other.name())));
  }
  K3_TRY(XmlElement element, converter.convert(root, 1));
  return XmlDocument(std::move(element), where);
}

std::string XmlDocument::where(const XmlElement& element) const {
  return fmt::format("{}:{}:{}", file_, element.position.line, element.position.column);
}

tl::unexpected<Error> XmlDocument::fail(const XmlElement& element, std::string_view message) const {
  return k3::fail(Code::invalid_input, printable(message), where(element));
}

Result<std::optional<std::int64_t>> XmlDocument::integer(const XmlElement& element,
                                                         std::string_view key,
                                                         std::int64_t least,
                                                         std::int64_t most) const {
  const std::string* given = element.attribute(key);
  if (given == nullptr || given->empty()) return std::nullopt;
  const bool hex = given->starts_with("0x") || given->starts_with("0X");
  const char* begin = given->data() + (hex ? 2 : 0);
  const char* end = given->data() + given->size();
  std::int64_t value = 0;
  const auto [rest, error] = std::from_chars(begin, end, value, hex ? 16 : 10);
  if (error != std::errc() || rest != end || (hex && *begin == '-')) {
    return fail(element, fmt::format("{}=\"{}\" in <{}> is no whole number; write one like \"18\"",
                                     key, *given, element.name));
  }
  if (value < least || value > most) {
    return fail(element, fmt::format("{}=\"{}\" in <{}> is out of range; {} to {} are possible",
                                     key, *given, element.name, least, most));
  }
  return value;
}

Result<std::optional<double>> XmlDocument::real(const XmlElement& element,
                                                std::string_view key) const {
  const std::string* given = element.attribute(key);
  if (given == nullptr || given->empty()) return std::nullopt;
  double value = 0;
  const char* end = given->data() + given->size();
  const auto [rest, error] = std::from_chars(given->data(), end, value);
  if (error != std::errc() || rest != end || !std::isfinite(value) || value < 0) {
    return fail(element, fmt::format("{}=\"{}\" in <{}> is no number; write one like \"45.5\"", key,
                                     *given, element.name));
  }
  return value;
}

}  // namespace k3
