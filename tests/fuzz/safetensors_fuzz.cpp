// Whatever bytes a safetensors file holds: an Error, or tensors whose data lies in the file.

#include <cstdint>
#include <fstream>

#include "engine/base/check.h"
#include "engine/weights/safetensors.h"
#include "tests/support/temp_dir.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const k3::test::TempDir kFolder;
  const auto path = kFolder / "model.safetensors";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  const auto file = k3::SafetensorsFile::open(path);
  if (!file) return 0;
  std::size_t sum = 0;
  for (const k3::StoredTensor& tensor : file->tensors()) {
    const auto view = file->view(tensor.name);
    if (!view) continue;  // a dtype that K3Rack does not compute with
    for (std::int64_t i = 0; i < view->bytes(); ++i) {
      sum += std::to_integer<std::size_t>(view->data[i]);
    }
  }
  K3_CHECK(sum <= 255 * size * file->tensors().size());
  return 0;
}
