// Whatever text a JSON file holds: a document that reads back equal once written, or an Error.

#include <cstdint>
#include <string_view>

#include "engine/base/check.h"
#include "engine/text/json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto document = k3::Json::parse(text, "file.json");
  if (!document) return 0;
  for (const int indent : {-1, 2}) {
    const auto again = k3::Json::parse(document->dump(indent), "dump");
    K3_CHECK(again && *again == *document);
  }
  return 0;
}
