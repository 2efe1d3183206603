#include "engine/weights/weight_store.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <iterator>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/model/tensor_spec.h"
#include "engine/weights/safetensors.h"
#include "tests/support/shared_data.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/engine_weights/small_model.h"

namespace k3::test {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kMoe = "language_model.model.layers.1.block_sparse_moe.";
const std::string kKda = "language_model.model.layers.0.self_attn.";

std::vector<std::byte> bytes_of(const WeightView& view) {
  return {view.data, view.data + view.bytes()};
}

TEST(WeightStore, OpensTheGoldenCheckpoints) {
  K3_SHARED_OR_SKIP(shared);
  for (const char* name : {"a_tiny", "b_wide", "c_long", "d_batch"}) {
    const std::filesystem::path folder = shared / "golden" / name;
    const auto model = load_model_config(folder / "config.json");
    ASSERT_TRUE(model) << model.error().text();
    const auto store = WeightStore::open(folder, *model);
    ASSERT_TRUE(store) << store.error().text();
    for (const TensorSpec& spec : tensor_specs(*model)) {
      const auto view = store->tensor(spec.name);
      ASSERT_TRUE(view) << view.error().text();
      EXPECT_EQ(view->shape, spec.shape);
      EXPECT_EQ(view->dtype, spec.dtype);
    }
  }
}

TEST(WeightStore, SyntheticAndItsCheckpointHoldTheSameBytes) {
  const ModelConfig model = small_model();
  const TempDir folder;
  write_checkpoint(folder.path(), tensors_of(model, 9));
  const auto stored = WeightStore::open(folder.path(), model);
  ASSERT_TRUE(stored) << stored.error().text();
  const WeightStore synthetic = WeightStore::synthetic(model, 9);
  for (const TensorSpec& spec : tensor_specs(model)) {
    EXPECT_EQ(bytes_of(*stored->tensor(spec.name)), bytes_of(*synthetic.tensor(spec.name)));
  }
}

TEST(WeightStore, MemoryIsAlignedAndStays) {
  const WeightStore store = WeightStore::synthetic(small_model(), 1);
  const auto first = store.tensor(kKda + "A_log");
  const auto again = store.tensor(kKda + "A_log");
  ASSERT_TRUE(first && again);
  EXPECT_EQ(first->data, again->data);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first->data) % 64, 0U);
  EXPECT_EQ(store.tensor("absent").error().code, Code::not_found);
}

TEST(WeightStore, LinearWeightsKnowTheirShapePackedOrNot) {
  const WeightStore store = WeightStore::synthetic(small_model(), 1);
  const auto plain = store.linear(kKda + "q_proj");
  ASSERT_TRUE(plain) << plain.error().text();
  EXPECT_FALSE(plain->packed());
  EXPECT_EQ(plain->rows, 32);
  EXPECT_EQ(plain->cols, 64);
  const auto packed = store.linear(kMoe + "experts.3.w2");
  ASSERT_TRUE(packed) << packed.error().text();
  EXPECT_TRUE(packed->packed());
  EXPECT_EQ(packed->rows, 32);
  EXPECT_EQ(packed->cols, 64);
  EXPECT_EQ(packed->scale, reinterpret_cast<const std::uint8_t*>(
                               store.tensor(kMoe + "experts.3.w2.weight_scale")->data));
  EXPECT_FALSE(store.linear(kKda + "nothing"));
}

TEST(WeightStore, FloatsAreConvertedOnceFromBf16) {
  const WeightStore store = WeightStore::synthetic(small_model(), 1);
  const auto stored = store.floats(kKda + "dt_bias");
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->size(), 32U);
  EXPECT_EQ(static_cast<const void*>(stored->data()), store.tensor(kKda + "dt_bias")->data);
  const std::string norm = "language_model.model.norm.weight";
  const auto converted = store.floats(norm);
  ASSERT_TRUE(converted);
  ASSERT_EQ(converted->size(), 64U);
  EXPECT_EQ(converted->data(), store.floats(norm)->data());
  std::uint32_t bits = 0;
  std::memcpy(reinterpret_cast<char*>(&bits) + 2, store.tensor(norm)->data, 2);
  EXPECT_EQ(std::bit_cast<std::uint32_t>((*converted)[0]), bits);
  EXPECT_EQ(store.floats(kMoe + "experts.0.w1.weight_packed").error().code, Code::unsupported);
}

TEST(WeightStore, RanksMayAskAtOnce) {
  const ModelConfig model = small_model();
  const WeightStore together = WeightStore::synthetic(model, 4);
  const WeightStore alone = WeightStore::synthetic(model, 4);
  const std::vector<TensorSpec> specs = tensor_specs(model);
  {
    std::vector<std::jthread> ranks;
    for (std::size_t rank = 0; rank < 4; ++rank) {
      ranks.emplace_back([&, rank] {
        for (std::size_t i = 0; i < specs.size(); ++i) {
          const TensorSpec& spec = specs[(i + rank * specs.size() / 4) % specs.size()];
          EXPECT_TRUE(together.tensor(spec.name));
          if (spec.dtype != DType::u8) {
            EXPECT_TRUE(together.floats(spec.name));
          }
        }
      });
    }
  }
  for (const TensorSpec& spec : specs) {
    EXPECT_EQ(bytes_of(*together.tensor(spec.name)), bytes_of(*alone.tensor(spec.name)));
  }
}

class CheckedCheckpoint : public testing::Test {
 protected:
  Result<WeightStore> open() {
    write_checkpoint(folder_.path(), tensors_);
    return WeightStore::open(folder_.path(), model_);
  }

  void remove(std::string_view name) {
    std::erase_if(tensors_, [&](const OwnedTensor& tensor) { return tensor.header.name == name; });
  }

  void add(const std::string& name, DType dtype, std::vector<std::int64_t> shape) {
    TensorHeader header{.name = name, .dtype = dtype, .shape = std::move(shape)};
    const auto bytes = static_cast<std::size_t>(header.bytes());
    tensors_.push_back({std::move(header), std::vector<std::byte>(bytes)});
  }

  ModelConfig model_ = small_model();
  std::vector<OwnedTensor> tensors_ = tensors_of(model_, 1);
  TempDir folder_;
};

TEST_F(CheckedCheckpoint, NamesEverythingThatDoesNotFitInOneError) {
  remove(kKda + "A_log");
  remove(kMoe + "experts.2.w1.weight_scale");
  add("language_model.model.layers.7.strange", DType::bf16, {3});
  tensor_named(tensors_, kKda + "q_proj.weight").header.shape = {64, 32};
  OwnedTensor& codes = tensor_named(tensors_, kMoe + "experts.1.w3.weight_packed");
  codes.header.dtype = DType::bf16;
  codes.header.shape = {64, 8};
  const auto store = open();
  ASSERT_FALSE(store);
  const std::string text = store.error().text();
  EXPECT_EQ(store.error().code, Code::invalid_input);
  EXPECT_THAT(text, HasSubstr("2 missing: "));
  EXPECT_THAT(text, HasSubstr("A_log"));
  EXPECT_THAT(text, HasSubstr("experts.2.w1.weight_scale"));
  EXPECT_THAT(text, HasSubstr("1 not in the model: language_model.model.layers.7.strange"));
  EXPECT_THAT(text, HasSubstr("2 of another shape or type: "));
  EXPECT_THAT(text, HasSubstr("q_proj.weight is BF16 64×32 instead of BF16 32×64"));
  EXPECT_THAT(text, HasSubstr("weight_packed is BF16 64×8 instead of U8 64×16"));
  EXPECT_THAT(text, Not(HasSubstr("\n")));
}

TEST_F(CheckedCheckpoint, ListsTenNamesAndTheCount) {
  for (int i = 10; i < 25; ++i)
    add("extra" + std::to_string(i), DType::u8, {1});
  const auto store = open();
  ASSERT_FALSE(store);
  EXPECT_THAT(store.error().text(), HasSubstr("15 not in the model: extra10, extra11"));
  EXPECT_THAT(store.error().text(), HasSubstr("extra19, …"));
  EXPECT_THAT(store.error().text(), Not(HasSubstr("extra20")));
}

TEST_F(CheckedCheckpoint, IgnoresVision) {
  add("vision_tower.encoder.blocks.0.wo.weight", DType::bf16, {3});
  add("mm_projector.proj.0.weight", DType::bf16, {3});
  EXPECT_TRUE(open());
  model_.vision = VisionConfig{.layers = 2, .hidden = 8};
  EXPECT_TRUE(open());
}

TEST_F(CheckedCheckpoint, TakesFloat32ForBf16) {
  OwnedTensor& norm = tensor_named(tensors_, "language_model.model.norm.weight");
  norm.header.dtype = DType::f32;
  norm.bytes.assign(64 * 4, std::byte{0});
  const auto store = open();
  ASSERT_TRUE(store) << store.error().text();
  EXPECT_EQ(store->tensor("language_model.model.norm.weight")->dtype, DType::f32);
}

TEST_F(CheckedCheckpoint, TakesPlainExpertsWhateverTheConfigDeclares) {
  for (const char* matrix : {"w1", "w2", "w3"}) {
    const std::string name = kMoe + "experts.0." + matrix + ".weight";
    remove(name + "_packed");
    remove(name + "_scale");
    const bool down = std::string_view(matrix) == "w2";
    add(name, DType::bf16,
        down ? std::vector<std::int64_t>{32, 64} : std::vector<std::int64_t>{64, 32});
  }
  auto store = open();
  ASSERT_TRUE(store) << store.error().text();
  EXPECT_FALSE(store->linear(kMoe + "experts.0.w1")->packed());
  EXPECT_TRUE(store->linear(kMoe + "experts.1.w1")->packed());
  model_.experts_mxfp4 = false;
  store = open();
  ASSERT_TRUE(store) << store.error().text();
  EXPECT_TRUE(store->linear(kMoe + "experts.1.w1")->packed());
  remove(kMoe + "experts.1.w1.weight_scale");
  EXPECT_THAT(open().error().text(), HasSubstr("1 missing: " + kMoe + "experts.1.w1.weight_scale"));
}

/// Lengthens the header by a blank: every tensor then lies one byte off its alignment.
void shift_data(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  bytes.insert(8 + length, " ");
  ++length;
  std::memcpy(bytes.data(), &length, 8);
  write_text(path, bytes);
}

TEST_F(CheckedCheckpoint, MisalignedTensorsAreCopiedToTheirAlignment) {
  write_checkpoint(folder_.path(), tensors_);
  shift_data(folder_ / "model.safetensors");
  const auto checkpoint = Checkpoint::open(folder_.path());
  const auto store = WeightStore::open(folder_.path(), model_);
  ASSERT_TRUE(checkpoint && store);
  for (const OwnedTensor& tensor : tensors_) {
    const auto view = store->tensor(tensor.header.name);
    ASSERT_TRUE(view);
    EXPECT_EQ(bytes_of(*view), tensor.bytes);
    const auto alignment = static_cast<std::uintptr_t>(size_of(view->dtype));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(view->data) % alignment, 0U);
    const auto raw = reinterpret_cast<std::uintptr_t>(checkpoint->view(tensor.header.name)->data);
    EXPECT_EQ(raw % alignment, alignment == 1 ? 0U : 1U);
  }
  const std::string bias = kKda + "dt_bias";
  EXPECT_EQ(store->tensor(bias)->data, store->tensor(bias)->data);
}

}  // namespace
}  // namespace k3::test
