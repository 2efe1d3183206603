// Whatever text a TOML file holds: a document that reads back equal once written, or an Error.

#include <cstdint>
#include <string_view>

#include "engine/base/check.h"
#include "engine/text/toml.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto document = k3::parse_toml(text, "file.toml");
  if (!document) return 0;
  const auto again = k3::parse_toml(k3::dump_toml(*document), "dump");
  K3_CHECK(again && *again == *document);
  return 0;
}
