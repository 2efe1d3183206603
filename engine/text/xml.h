#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/text/json.h"

namespace k3 {

/// One element of an XML document: name, attributes and children in the order of the text, and the
/// character data directly inside it (pieces joined, blanks at both ends removed). Comments,
/// processing instructions and the document type are not kept; nothing is ever expanded but the
/// five entities of XML and character references.
struct XmlElement {
  struct Attribute {
    std::string name;
    std::string value;
  };

  std::string name;
  std::vector<Attribute> attributes;
  std::vector<XmlElement> children;
  std::string text;
  TextPosition position;  ///< of the name

  /// Value of an attribute, null pointer if absent.
  const std::string* attribute(std::string_view key) const;
  /// First child of that name, null pointer if there is none.
  const XmlElement* child(std::string_view key) const;
  /// Text of the first child of that name; empty if there is none.
  std::string_view child_text(std::string_view key) const;
};

/// A document with its file name, for errors that name `FILE:LINE:COLUMN`.
class XmlDocument {
 public:
  // What a document may hold, so that no input exhausts memory or stack.
  static constexpr int kMaxDepth = 128;
  static constexpr std::size_t kMaxBytes = std::size_t{64} << 20;
  static constexpr std::size_t kMaxElements = 1'000'000;
  static constexpr std::size_t kMaxAttributes = 256;  ///< of one element

  /// Reads exactly one root element; other text around it is passed over (topologies are often
  /// pasted out of a log or a page).
  /// Errors: `where:LINE:COLUMN`; syntax, a second root, an attribute given twice, the limits
  static Result<XmlDocument> parse(std::string_view text, const std::string& where);

  const XmlElement& root() const { return root_; }

  const std::string& file() const { return file_; }

  std::string where(const XmlElement& element) const;

  /// An error at this element; what is not printable in the message is escaped.
  tl::unexpected<Error> fail(const XmlElement& element, std::string_view message) const;

  /// A whole number, decimal or 0x…; nothing if the attribute is absent or empty.
  /// Errors: no whole number, or outside the limits
  Result<std::optional<std::int64_t>> integer(
      const XmlElement& element,
      std::string_view key,
      std::int64_t least = 0,
      std::int64_t most = std::numeric_limits<std::int32_t>::max()) const;

  /// A finite number that is not negative; nothing if the attribute is absent or empty.
  Result<std::optional<double>> real(const XmlElement& element, std::string_view key) const;

 private:
  XmlDocument(XmlElement root, std::string file) : root_(std::move(root)), file_(std::move(file)) {}

  XmlElement root_;
  std::string file_;
};

}  // namespace k3
