#include <algorithm>
#include <map>
#include <system_error>

#include <fmt/core.h>

#include "engine/text/file.h"
#include "engine/text/json.h"
#include "engine/weights/safetensors.h"

namespace k3 {
namespace fs = std::filesystem;

namespace {

constexpr std::string_view kSingle = "model.safetensors";
constexpr std::string_view kIndex = "model.safetensors.index.json";

/// A shard must be a file of the folder itself: an index never reaches into other places.
bool is_plain_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\\\0", 3)) == std::string::npos;
}

}  // namespace

Checkpoint::Checkpoint(fs::path path)
    : path_(std::move(path)),
      mutex_(std::make_unique<std::mutex>()),
      names_(std::make_unique<std::vector<std::string>>()) {}

Result<Checkpoint> Checkpoint::open(const fs::path& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    return fail(Code::not_found, "checkpoint does not exist", path.string());
  }
  if (!fs::is_directory(path, ignored)) return open_single(path, path);
  if (fs::exists(path / kIndex, ignored)) return open_index(path, path / kIndex);
  if (fs::exists(path / kSingle, ignored)) return open_single(path, path / kSingle);
  return fail(Code::not_found,
              fmt::format("folder holds no weights; {} or {} is expected", kSingle, kIndex),
              path.string());
}

Result<Checkpoint> Checkpoint::open_single(const fs::path& path, const fs::path& file) {
  K3_TRY(SafetensorsFile opened, SafetensorsFile::open(file));
  Checkpoint checkpoint(path);
  checkpoint.shards_.push_back(
      {.path = file, .promised = {}, .file = std::make_unique<SafetensorsFile>(std::move(opened))});
  for (const StoredTensor& tensor : checkpoint.shards_.front().file->tensors()) {
    checkpoint.shard_of_.emplace(tensor.name, 0);
  }
  return checkpoint;
}

Result<Checkpoint> Checkpoint::open_index(const fs::path& folder, const fs::path& index) {
  K3_TRY(const std::string text, read_text_file(index));
  Checkpoint checkpoint(folder);
  K3_TRY_VOID(checkpoint.read_index(text, index));
  for (const Shard& shard : checkpoint.shards_) {
    std::error_code ignored;
    if (fs::is_regular_file(shard.path, ignored)) continue;
    return fail(Code::not_found,
                fmt::format("shard {} is missing; {} of the index's tensors are in it",
                            shard.path.filename().string(), shard.promised.size()),
                index.string());
  }
  return checkpoint;
}

/// Fills names_, shards_ (in order of file names) and shard_of_ from `weight_map`.
Result<void> Checkpoint::read_index(std::string_view text, const fs::path& index) {
  const std::string where = index.string();
  K3_TRY(const Json document, Json::parse(text, where));
  const Json* map = document.find("weight_map");
  if (map == nullptr || !map->is(Json::Kind::object)) {
    return fail(Code::corrupt, "weight_map is missing; tensor names with their files", where);
  }
  std::map<std::string, std::size_t> shard_index;
  for (const Json::Member& member : map->members()) {
    if (!member.value.is(Json::Kind::string) || !is_plain_name(member.value.string())) {
      return fail(
          Code::corrupt,
          fmt::format("weight_map.{}: must be the name of a file in this folder", member.key),
          where);
    }
    shard_index.emplace(member.value.string(), 0);
    names_->push_back(member.key);
  }
  for (auto& [file, number] : shard_index) {
    number = shards_.size();
    shards_.push_back({.path = index.parent_path() / file, .promised = {}, .file = nullptr});
  }
  shard_of_.reserve(names_->size());
  for (std::size_t i = 0; i < names_->size(); ++i) {
    const std::size_t shard = shard_index.at(map->members()[i].value.string());
    shards_[shard].promised.emplace_back((*names_)[i]);
    shard_of_.emplace((*names_)[i], shard);
  }
  return {};
}

std::vector<std::string_view> Checkpoint::names() const {
  std::vector<std::string_view> names;
  names.reserve(shard_of_.size());
  for (const auto& [name, shard] : shard_of_)
    names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

Result<const SafetensorsFile*> Checkpoint::shard_file(std::string_view tensor) const {
  const auto found = shard_of_.find(tensor);
  if (found == shard_of_.end()) {
    return fail(Code::not_found, fmt::format("holds no tensor {}", tensor), path_.string());
  }
  const std::lock_guard lock(*mutex_);
  Shard& shard = shards_[found->second];
  if (shard.file == nullptr) {
    K3_TRY(SafetensorsFile file, SafetensorsFile::open(shard.path));
    for (const std::string_view promised : shard.promised) {
      if (file.find(promised) != nullptr) continue;
      return fail(Code::corrupt,
                  fmt::format("holds no tensor {}, which the index puts here", promised),
                  shard.path.string());
    }
    shard.file = std::make_unique<SafetensorsFile>(std::move(file));
  }
  return shard.file.get();
}

Result<const StoredTensor*> Checkpoint::stored(std::string_view name) const {
  K3_TRY(const SafetensorsFile* file, shard_file(name));
  return file->find(name);
}

Result<WeightView> Checkpoint::view(std::string_view name) const {
  K3_TRY(const SafetensorsFile* file, shard_file(name));
  return file->view(name);
}

}  // namespace k3
