#include "engine/weights/safetensors_writer.h"

#include <algorithm>
#include <cerrno>
#include <functional>
#include <numeric>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include "engine/text/json.h"

namespace k3 {
namespace {

void sort_by_name(std::vector<TensorHeader>& tensors) {
  std::sort(tensors.begin(), tensors.end(),
            [](const TensorHeader& a, const TensorHeader& b) { return a.name < b.name; });
}

std::int64_t data_bytes(const std::vector<TensorHeader>& tensors) {
  std::int64_t sum = 0;
  for (const TensorHeader& tensor : tensors)
    sum += tensor.bytes();
  return sum;
}

/// Length and JSON of the header, padded with blanks so that the data begins at a multiple of 8.
std::string header_of(const std::vector<TensorHeader>& sorted) {
  Json header = Json::object();
  std::int64_t offset = 0;
  for (const TensorHeader& tensor : sorted) {
    Json shape = Json::array();
    for (const std::int64_t size : tensor.shape)
      shape.push(size);
    Json entry = Json::object();
    entry.add({"dtype", name_of(tensor.dtype), {}});
    entry.add({"shape", std::move(shape), {}});
    entry.add({"data_offsets", Json(Json::Array{offset, offset + tensor.bytes()}), {}});
    header.add({tensor.name, std::move(entry), {}});
    offset += tensor.bytes();
  }
  std::string text = header.dump(-1);
  text.resize((text.size() + 7) / 8 * 8, ' ');
  std::string bytes(8, '\0');
  for (std::size_t i = 0; i < 8; ++i)
    bytes[i] = static_cast<char>(text.size() >> (8 * i) & 255);
  return bytes + text;
}

std::string system_reason() {
  return std::generic_category().message(errno);
}

}  // namespace

std::int64_t TensorHeader::bytes() const {
  return std::accumulate(shape.begin(), shape.end(), size_of(dtype), std::multiplies<>());
}

std::int64_t SafetensorsWriter::file_bytes(std::vector<TensorHeader> tensors) {
  sort_by_name(tensors);
  return std::ssize(header_of(tensors)) + data_bytes(tensors);
}

SafetensorsWriter::SafetensorsWriter(std::filesystem::path path, std::vector<TensorHeader> tensors)
    : path_(std::move(path)),
      temporary_(temporary_name(path_)),
      tensors_(std::move(tensors)),
      missing_(data_bytes(tensors_)) {}

SafetensorsWriter::SafetensorsWriter(SafetensorsWriter&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::move(other.temporary_)),
      tensors_(std::move(other.tensors_)),
      file_(std::exchange(other.file_, nullptr)),
      missing_(other.missing_) {}

SafetensorsWriter::~SafetensorsWriter() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
}

Result<SafetensorsWriter> SafetensorsWriter::create(const std::filesystem::path& path,
                                                    std::vector<TensorHeader> tensors,
                                                    Overwrite overwrite) {
  K3_TRY_VOID(check_output(path, overwrite));
  sort_by_name(tensors);
  const auto twin = std::adjacent_find(
      tensors.begin(), tensors.end(),
      [](const TensorHeader& a, const TensorHeader& b) { return a.name == b.name; });
  if (twin != tensors.end()) {
    return fail(Code::invalid_input, fmt::format("two tensors are named {}", twin->name),
                path.string());
  }
  SafetensorsWriter writer(path, std::move(tensors));
  writer.file_ = std::fopen(writer.temporary_.c_str(), "wb");
  if (writer.file_ == nullptr) return fail(Code::io, system_reason(), writer.temporary_.string());
  const std::string header = header_of(writer.tensors_);
  if (std::fwrite(header.data(), 1, header.size(), writer.file_) != header.size()) {
    return fail(Code::io, system_reason(), path.string());
  }
  return writer;
}

Result<void> SafetensorsWriter::append(std::span<const std::byte> bytes) {
  if (std::ssize(bytes) > missing_) {
    return fail(Code::internal, "more bytes than the header says", path_.string());
  }
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) {
    return fail(Code::io, system_reason(), path_.string());
  }
  missing_ -= std::ssize(bytes);
  return {};
}

Result<void> SafetensorsWriter::finish() {
  if (missing_ != 0) {
    return fail(Code::internal, fmt::format("{} bytes are missing", missing_), path_.string());
  }
  if (std::fflush(file_) != 0) return fail(Code::io, system_reason(), path_.string());
  K3_TRY_VOID(publish_file(temporary_, path_));
  std::fclose(std::exchange(file_, nullptr));
  return {};
}

Result<void> write_safetensors(const std::filesystem::path& path,
                               std::span<const TensorData> tensors,
                               Overwrite overwrite) {
  std::vector<const TensorData*> sorted;
  std::vector<TensorHeader> headers;
  for (const TensorData& tensor : tensors) {
    sorted.push_back(&tensor);
    headers.push_back(tensor.header);
  }
  std::sort(sorted.begin(), sorted.end(), [](const TensorData* a, const TensorData* b) {
    return a->header.name < b->header.name;
  });
  K3_TRY(SafetensorsWriter writer, SafetensorsWriter::create(path, std::move(headers), overwrite));
  for (const TensorData* tensor : sorted) {
    if (std::ssize(tensor->bytes) != tensor->header.bytes()) {
      return fail(Code::internal,
                  fmt::format("tensor {}: {} bytes for a shape of {}", tensor->header.name,
                              tensor->bytes.size(), tensor->header.bytes()),
                  path.string());
    }
    K3_TRY_VOID(writer.append(tensor->bytes));
  }
  return writer.finish();
}

}  // namespace k3
