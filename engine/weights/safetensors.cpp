#include "engine/weights/safetensors.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "engine/text/json.h"

namespace k3 {
namespace {

constexpr std::int64_t kLengthBytes = 8;

/// Bytes per element. Source: enum Dtype of the safetensors library; types below a byte are left
/// out.
constexpr std::array<std::pair<std::string_view, std::int64_t>, 15> kTypeBytes{{{"BOOL", 1},
                                                                                {"U8", 1},
                                                                                {"I8", 1},
                                                                                {"F8_E5M2", 1},
                                                                                {"F8_E4M3", 1},
                                                                                {"F8_E8M0", 1},
                                                                                {"I16", 2},
                                                                                {"U16", 2},
                                                                                {"F16", 2},
                                                                                {"BF16", 2},
                                                                                {"I32", 4},
                                                                                {"U32", 4},
                                                                                {"F32", 4},
                                                                                {"F64", 8},
                                                                                {"I64", 8}}};

std::optional<std::int64_t> type_bytes(std::string_view name) {
  for (const auto& [known, bytes] : kTypeBytes) {
    if (known == name) return bytes;
  }
  if (name == "U64") return 8;
  return std::nullopt;
}

std::optional<DType> dtype_from(std::string_view name) {
  for (const DType type :
       {DType::f64, DType::f32, DType::bf16, DType::i64, DType::i32, DType::u8}) {
    if (name_of(type) == name) return type;
  }
  return std::nullopt;
}

/// One entry of the header; messages name the tensor.
class EntryReader {
 public:
  EntryReader(const Json::Member& member, const std::string& file) : member_(member), file_(file) {}

  Result<StoredTensor> read() const {
    StoredTensor tensor;
    tensor.name = member_.key;
    const Json* dtype = member_.value.find("dtype");
    if (dtype == nullptr || !dtype->is(Json::Kind::string)) return wrong("has no dtype");
    tensor.dtype = dtype->string();
    K3_TRY(tensor.shape, integers("shape"));
    K3_TRY(const std::vector<std::int64_t> offsets, integers("data_offsets"));
    if (offsets.size() != 2 || offsets[0] > offsets[1]) {
      return wrong("data_offsets must be two ascending numbers");
    }
    tensor.begin = offsets[0];
    tensor.end = offsets[1];
    K3_TRY_VOID(check_size(tensor));
    return tensor;
  }

 private:
  tl::unexpected<Error> wrong(const std::string& what) const {
    return fail(Code::corrupt, fmt::format("tensor {}: {}", member_.key, what), file_);
  }

  Result<std::vector<std::int64_t>> integers(std::string_view key) const {
    const Json* array = member_.value.find(key);
    std::vector<std::int64_t> values;
    const auto bad = [&] {
      return wrong(fmt::format("{} must be an array of integers >= 0", key));
    };
    if (array == nullptr || !array->is(Json::Kind::array)) return bad();
    for (const Json& item : array->items()) {
      if (!item.is(Json::Kind::integer) || item.integer() < 0) return bad();
      values.push_back(item.integer());
    }
    return values;
  }

  Result<void> check_size(const StoredTensor& tensor) const {
    const std::optional<std::int64_t> element = type_bytes(tensor.dtype);
    if (!element) return wrong(fmt::format("unknown dtype {}", tensor.dtype));
    std::int64_t bytes = *element;
    for (const std::int64_t size : tensor.shape) {
      if (__builtin_mul_overflow(bytes, size, &bytes)) return wrong("shape overflows 64 bits");
    }
    if (bytes != tensor.end - tensor.begin) {
      return wrong(fmt::format("{} bytes are stored; dtype and shape need {}",
                               tensor.end - tensor.begin, bytes));
    }
    return {};
  }

  const Json::Member& member_;
  const std::string& file_;
};

/// Sorts by offset and checks that tensors lie in the data and apart from each other.
Result<void> check_layout(std::vector<StoredTensor>& tensors,
                          std::int64_t data_bytes,
                          const std::string& file) {
  std::sort(tensors.begin(), tensors.end(), [](const StoredTensor& a, const StoredTensor& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  const StoredTensor* before = nullptr;
  for (const StoredTensor& tensor : tensors) {
    if (tensor.end > data_bytes) {
      return fail(Code::corrupt,
                  fmt::format("tensor {}: ends at byte {} of {}; the file is truncated or its "
                              "header is wrong",
                              tensor.name, tensor.end, data_bytes),
                  file);
    }
    if (before != nullptr && tensor.begin < before->end) {
      return fail(Code::corrupt,
                  fmt::format("tensors {} and {} overlap", before->name, tensor.name), file);
    }
    before = &tensor;
  }
  return {};
}

/// The text of the header.
Result<std::string_view> header_text(std::span<const std::byte> bytes, const std::string& file) {
  if (std::ssize(bytes) < kLengthBytes) {
    return fail(Code::corrupt, "is shorter than a safetensors header", file);
  }
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof(length));
  const std::span<const std::byte> rest = bytes.subspan(kLengthBytes);
  if (length > rest.size()) {
    return fail(Code::corrupt,
                fmt::format("header length {} exceeds the file; the file is truncated or no "
                            "safetensors file",
                            length),
                file);
  }
  return std::string_view(reinterpret_cast<const char*>(rest.data()), length);
}

Result<std::vector<StoredTensor>> read_header(std::string_view text, const std::string& file) {
  auto header = Json::parse(text, file);
  if (!header) {
    Error error = std::move(header).error();
    error.code = Code::corrupt;
    return tl::unexpected(std::move(error).with("safetensors header"));
  }
  if (!header->is(Json::Kind::object)) {
    return fail(Code::corrupt, "the safetensors header must be an object of tensors", file);
  }
  std::vector<StoredTensor> tensors;
  tensors.reserve(header->members().size());
  for (const Json::Member& member : header->members()) {
    if (member.key == "__metadata__") continue;
    K3_TRY(StoredTensor tensor, EntryReader(member, file).read());
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

}  // namespace

SafetensorsFile::SafetensorsFile(std::filesystem::path path,
                                 MappedFile file,
                                 std::int64_t data_begin,
                                 std::vector<StoredTensor> tensors)
    : path_(std::move(path)),
      file_(std::move(file)),
      data_begin_(data_begin),
      tensors_(std::move(tensors)) {
  by_name_.reserve(tensors_.size());
  for (std::size_t i = 0; i < tensors_.size(); ++i)
    by_name_.emplace(tensors_[i].name, i);
}

Result<SafetensorsFile> SafetensorsFile::open(const std::filesystem::path& path) {
  const std::string name = path.string();
  K3_TRY(MappedFile file, MappedFile::open(path));
  K3_TRY(const std::string_view text, header_text(file.bytes(), name));
  K3_TRY(std::vector<StoredTensor> tensors, read_header(text, name));
  const std::int64_t data_begin = kLengthBytes + std::ssize(text);
  K3_TRY_VOID(check_layout(tensors, std::ssize(file.bytes()) - data_begin, name));
  return SafetensorsFile(path, std::move(file), data_begin, std::move(tensors));
}

const StoredTensor* SafetensorsFile::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &tensors_[found->second];
}

Result<WeightView> SafetensorsFile::view(std::string_view name) const {
  const StoredTensor* tensor = find(name);
  if (tensor == nullptr) {
    return fail(Code::not_found, fmt::format("holds no tensor {}", name), path_.string());
  }
  const std::optional<DType> dtype = dtype_from(tensor->dtype);
  if (!dtype) {
    return fail(
        Code::unsupported,
        fmt::format("tensor {}: dtype {} cannot be used; BF16, F32, F64, I32, I64 and U8 can", name,
                    tensor->dtype),
        path_.string());
  }
  return WeightView{.data = file_.bytes().data() + data_begin_ + tensor->begin,
                    .dtype = *dtype,
                    .shape = tensor->shape};
}

}  // namespace k3
