#include "engine/model/model_config.h"

#include <algorithm>

#include "engine/text/file.h"

namespace k3 {

int ModelConfig::count(AttentionKind kind) const {
  return static_cast<int>(std::ranges::count(layers, kind, &LayerConfig::attention));
}

int ModelConfig::count(FfnKind kind) const {
  return static_cast<int>(std::ranges::count(layers, kind, &LayerConfig::ffn));
}

int ModelConfig::output_sources() const {
  return 1 + static_cast<int>(std::ranges::count(layers, true, &LayerConfig::pushes_block));
}

Result<ModelConfig> load_model_config(const std::filesystem::path& path) {
  K3_TRY(const std::string text, read_text_file(path));
  return parse_model_config(text, path.string());
}

}  // namespace k3
