#include "engine/weights/checkpoint_check.h"

#include <string>
#include <unordered_set>
#include <vector>

#include <fmt/core.h>

#include "engine/weights/mxfp4.h"

namespace k3 {
namespace {

constexpr std::string_view kPacked = "_packed";
constexpr std::string_view kScale = "_scale";
constexpr std::string_view kWeight = ".weight";

/// Names of one sort of problem, the first few in full.
class Finding {
 public:
  explicit Finding(std::string_view title) : title_(title) {}

  void add(const std::string& entry) {
    constexpr std::size_t kShown = 10;
    if (count_ < kShown) list_ += (count_ == 0 ? "" : ", ") + entry;
    if (count_ == kShown) list_ += ", …";
    ++count_;
  }

  bool empty() const { return count_ == 0; }

  std::string text() const { return fmt::format("{} {}: {}", count_, title_, list_); }

 private:
  std::string_view title_;
  std::size_t count_ = 0;
  std::string list_;
};

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t size : shape) {
    text += (text.empty() ? "" : "×") + std::to_string(size);
  }
  return text;
}

/// Vision tower and projector: counted elsewhere, never read.
bool is_vision(std::string_view name) {
  return name.starts_with("vision_tower.") || name.starts_with("mm_projector.");
}

/// The other form in which an expert's matrix may be stored.
std::vector<TensorSpec> other_form(const TensorSpec& spec) {
  std::vector<TensorSpec> forms;
  if (spec.name.ends_with(kPacked)) {
    TensorSpec plain = spec;
    plain.name.resize(plain.name.size() - kPacked.size());
    plain.dtype = DType::bf16;
    plain.shape.back() *= 2;
    forms.push_back(plain);
  } else if (spec.name.ends_with(kWeight)) {
    TensorSpec packed = spec;
    packed.dtype = DType::u8;
    packed.name += kPacked;
    packed.shape.back() = spec.shape.back() / 2;
    TensorSpec scale = packed;
    scale.name = spec.name + std::string(kScale);
    scale.shape.back() = spec.shape.back() / kMxfp4Block;
    forms = {packed, scale};
  }
  return forms;
}

class Comparison {
 public:
  explicit Comparison(const Checkpoint& checkpoint) : checkpoint_(checkpoint) {}

  Result<void> expect(const TensorSpec& spec) {
    if (is_vision(spec.name)) return {};
    if (checkpoint_.has(spec.name)) return compare(spec);
    if (spec.expert < 0) {
      missing_.add(spec.name);
      return {};
    }
    if (spec.name.ends_with(kScale)) return expect_scale(spec);
    const std::vector<TensorSpec> forms = other_form(spec);
    if (forms.empty() || !checkpoint_.has(forms.front().name)) {
      missing_.add(spec.name);
      return {};
    }
    for (const TensorSpec& form : forms) {
      if (checkpoint_.has(form.name)) {
        K3_TRY_VOID(compare(form));
      } else {
        missing_.add(form.name);
      }
    }
    return {};
  }

  Result<void> finish() {
    for (const std::string_view name : checkpoint_.names()) {
      if (!expected_.contains(std::string(name)) && !is_vision(name)) extra_.add(std::string(name));
    }
    std::string message;
    for (const Finding* finding : {&missing_, &extra_, &wrong_}) {
      if (!finding->empty()) message += (message.empty() ? "" : "; ") + finding->text();
    }
    if (message.empty()) return {};
    return fail(Code::invalid_input, "checkpoint does not fit its config: " + message,
                checkpoint_.path().string());
  }

 private:
  /// A scale that is absent is right if the matrix is stored plain.
  Result<void> expect_scale(const TensorSpec& spec) {
    const std::string plain = spec.name.substr(0, spec.name.size() - kScale.size());
    if (!checkpoint_.has(plain)) missing_.add(spec.name);
    return {};
  }

  Result<void> compare(const TensorSpec& spec) {
    expected_.insert(spec.name);
    K3_TRY(const StoredTensor* stored, checkpoint_.stored(spec.name));
    const bool same_type = spec.dtype == DType::u8 ? stored->dtype == name_of(DType::u8)
                                                   : stored->dtype == name_of(DType::bf16) ||
                                                         stored->dtype == name_of(DType::f32);
    if (same_type && stored->shape == spec.shape) return {};
    wrong_.add(fmt::format("{} is {} {} instead of {} {}", spec.name, stored->dtype,
                           shape_text(stored->shape), name_of(spec.dtype), shape_text(spec.shape)));
    return {};
  }

  const Checkpoint& checkpoint_;
  std::unordered_set<std::string> expected_;
  Finding missing_{"missing"};
  Finding extra_{"not in the model"};
  Finding wrong_{"of another shape or type"};
};

}  // namespace

Result<void> check_checkpoint(const Checkpoint& checkpoint, std::span<const TensorSpec> specs) {
  Comparison comparison(checkpoint);
  for (const TensorSpec& spec : specs)
    K3_TRY_VOID(comparison.expect(spec));
  return comparison.finish();
}

}  // namespace k3
