// Whatever text an XML file holds: a tree within the limits, or an Error.

#include <cstdint>
#include <string_view>

#include "engine/base/check.h"
#include "engine/text/xml.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto document = k3::XmlDocument::parse(text, "file.xml");
  if (!document) return 0;
  K3_CHECK(!document->root().name.empty() && document->root().position.line > 0);
  return 0;
}
