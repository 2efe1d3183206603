#include "profiler/session/pinned_router.h"

#include <cstring>
#include <vector>

#include <fmt/core.h>

#include "engine/weights/safetensors.h"

namespace k3::session {
namespace {

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t size : shape)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", size);
  return "[" + text + "]";
}

Result<std::vector<std::int32_t>> read_ids(const SafetensorsFile& file,
                                           const std::string& name,
                                           const ModelConfig& model,
                                           std::size_t tokens) {
  const std::string where = file.path().string() + ": " + name;
  K3_TRY(const WeightView view, file.view(name));
  const std::vector<std::int64_t> shape{model.count(FfnKind::moe),
                                        static_cast<std::int64_t>(tokens), model.moe.top_k};
  if (view.dtype != DType::i32 || view.shape != shape) {
    return fail(Code::invalid_input,
                fmt::format("is {} {}; this run needs I32 {}", name_of(view.dtype),
                            shape_text(view.shape), shape_text(shape)),
                where);
  }
  std::vector<std::int32_t> ids(static_cast<std::size_t>(view.elements()));
  if (!ids.empty()) std::memcpy(ids.data(), view.data, ids.size() * sizeof(std::int32_t));
  for (const std::int32_t id : ids) {
    if (id >= 0 && id < model.moe.experts) continue;
    return fail(
        Code::invalid_input,
        fmt::format("names expert {}; the model has experts 0 to {}", id, model.moe.experts - 1),
        where);
  }
  return ids;
}

}  // namespace

Result<void> read_pinned_router(const std::filesystem::path& path,
                                const ModelConfig& model,
                                GenerateRequest& request) {
  K3_TRY(const SafetensorsFile file, SafetensorsFile::open(path));
  for (std::size_t s = 0; s < request.prompts.size(); ++s) {
    K3_TRY(std::vector<std::int32_t> prompt,
           read_ids(file, fmt::format("seq{}.router_ids", s), model, request.prompts[s].size()));
    request.pinned_prompt.push_back(std::move(prompt));
    if (request.forced.empty()) continue;
    K3_TRY(
        std::vector<std::int32_t> forced,
        read_ids(file, fmt::format("seq{}.decode_router_ids", s), model, request.forced[s].size()));
    request.pinned_forced.push_back(std::move(forced));
  }
  return {};
}

}  // namespace k3::session
