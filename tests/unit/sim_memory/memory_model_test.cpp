#include "sim/memory/memory_model.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/shared_data.h"
#include "tests/support/tiny_machine.h"
#include "tests/support/tiny_model.h"

namespace k3::sim {
namespace {

using testing::HasSubstr;

const PrecisionSpec kPrecision{};
const ExecutionSpec kExecution{};

std::vector<RankMemory> tiny_memory(const Placement& placement, const StepShape& shape) {
  const ModelConfig model = test::tiny_model();
  return memory_per_rank({.model = model,
                          .precision = kPrecision,
                          .execution = kExecution,
                          .placement = placement,
                          .shape = shape});
}

TEST(Memory, CachesAndStatesByHand) {
  // Two ranks, 3 sequences each, 10 tokens in the cache and one new.
  const StepShape shape = StepShape::uniform(Phase::decode, 2, 3, 10, 1);
  const auto ranks = tiny_memory(Placement::contiguous(3, 8, 2), shape);
  ASSERT_EQ(ranks.size(), 2U);
  const RankMemory& rank = ranks[0];
  // Two MLA layers, latent 16 + 4, fp8 with one scale for all: 20 bytes.
  EXPECT_EQ(rank[MemoryPart::kv_cache].count, 3 * 11 * 20 * 2);
  // Two KDA layers, 2 heads × 8 × 8, float32.
  EXPECT_EQ(rank[MemoryPart::kda_state].count, 3 * 2 * 128 * 4);
  // Two KDA layers, three tokens of q, k and v, 16 wide, bf16.
  EXPECT_EQ(rank[MemoryPart::conv_state].count, 3 * 2 * 3 * 48 * 2);
  EXPECT_EQ(rank.total().count, ranks[1].total().count);
}

TEST(Memory, ExpertsFollowThePlacement) {
  const StepShape shape = StepShape::uniform(Phase::decode, 3, 1, 0, 1);
  const auto ranks = tiny_memory(Placement::contiguous(3, 8, 3), shape);  // 3, 3 and 2 experts
  // MXFP4: w1 and w3 32 rows of 32 values (16 + 1 bytes), w2 likewise; three MoE layers.
  const std::int64_t expert = 3 * 32 * 17;
  EXPECT_EQ(ranks[0][MemoryPart::experts].count, 3 * 3 * expert);
  EXPECT_EQ(ranks[2][MemoryPart::experts].count, 3 * 2 * expert);

  const LayerPlacement replicated{.slot_to_expert = {0, 1, 2, 3, 4, 5, 6, 7, 0, -1},
                                  .slot_rank = {0, 0, 0, 0, 1, 1, 1, 1, 1, 1},
                                  .share = {0.5, 1, 1, 1, 1, 1, 1, 1, 0.5, 0}};
  const auto more =
      tiny_memory(Placement::from_layers(8, 2, {replicated, replicated, replicated}).value(),
                  StepShape::uniform(Phase::decode, 2, 1, 0, 1));
  EXPECT_EQ(more[0][MemoryPart::experts].count, 3 * 4 * expert);
  EXPECT_EQ(more[1][MemoryPart::experts].count, 3 * 5 * expert);  // the empty slot holds nothing
}

TEST(Memory, RankWithoutSequencesHoldsWeightsOnly) {
  StepShape shape = StepShape::uniform(Phase::decode, 2, 2, 10, 1);
  std::erase_if(shape.sequences, [](const SequenceShape& s) { return s.rank == 1; });
  const auto ranks = tiny_memory(Placement::contiguous(3, 8, 2), shape);
  EXPECT_EQ(ranks[1][MemoryPart::kv_cache].count, 0);
  EXPECT_EQ(ranks[1][MemoryPart::activations].count, 0);
  EXPECT_GT(ranks[1][MemoryPart::weights].count, 0);
  EXPECT_GT(ranks[1][MemoryPart::buffers].count, 0);  // others may send it rows
}

TEST(Memory, RefusalNamesTheLargestPartAndWhatFits) {
  const StepShape shape = StepShape::uniform(Phase::decode, 2, 100, 100'000, 1);
  const auto ranks = tiny_memory(Placement::contiguous(3, 8, 2), shape);
  Machine machine = test::tiny_machine(2);
  const auto refused = check_memory(ranks, shape, machine);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Code::does_not_fit);
  EXPECT_THAT(refused.error().message, HasSubstr("largest part is kv_cache"));
  EXPECT_THAT(refused.error().message, HasSubstr("at most 16 sequences per rank"));

  // The promise holds: 16 fit, 17 do not.
  for (const int sequences : {16, 17}) {
    const StepShape smaller = StepShape::uniform(Phase::decode, 2, sequences, 100'000, 1);
    const auto memory = tiny_memory(Placement::contiguous(3, 8, 2), smaller);
    EXPECT_EQ(check_memory(memory, smaller, machine).has_value(), sequences == 16);
  }
}

TEST(Memory, RefusalSaysWhenNothingFits) {
  Machine machine = test::tiny_machine(1);
  const StepShape shape = StepShape::uniform(Phase::decode, 1, 1, 10'000'000, 1);
  const auto ranks = tiny_memory(Placement::contiguous(3, 8, 1), shape);
  EXPECT_THAT(check_memory(ranks, shape, machine).error().message,
              HasSubstr("not even one sequence fits"));
  machine.gpu.memory = {1000};
  EXPECT_THAT(check_memory(ranks, shape, machine).error().message, HasSubstr("weights alone take"));
}

TEST(Memory, TextHasThreeDigitsAndTheUnitThatSuits) {
  EXPECT_EQ(memory_text({0}), "0 B");
  EXPECT_EQ(memory_text({1023}), "1023 B");
  EXPECT_EQ(memory_text({1024}), "1.00 KiB");
  EXPECT_EQ(memory_text({12'600}), "12.3 KiB");
  EXPECT_EQ(memory_text({123'456}), "121 KiB");
  EXPECT_EQ(memory_text({1'048'575}), "1.00 MiB");
  EXPECT_EQ(memory_text({10'480'520}), "10.0 MiB");  // a little above 9.995
  EXPECT_EQ(memory_text(288_GiB), "288 GiB");
  EXPECT_EQ(memory_text({2'000'000'000'000}), "1863 GiB");
}

TEST(Memory, ARefusalOfASmallModelSaysHowSmall) {
  const StepShape shape = StepShape::uniform(Phase::decode, 2, 1, 10, 1);
  const auto ranks = tiny_memory(Placement::contiguous(3, 8, 2), shape);
  Machine machine = test::tiny_machine(2);
  machine.gpu.memory = {2048};
  EXPECT_THAT(check_memory(ranks, shape, machine).error().message, HasSubstr(" has 2.00 KiB; "));
}

TEST(Memory, KimiK3WeightsAreThoseOfTheCheckpoint) {
  const ModelConfig model =
      load_model_config(test::source_dir() / "data" / "model" / "kimi-k3.json").value();
  const Placement placement = Placement::contiguous(92, 896, 64);
  const StepShape shape = StepShape::uniform(Phase::decode, 64, 1, 1023, 1);
  const auto ranks = memory_per_rank({.model = model,
                                      .precision = kPrecision,
                                      .execution = kExecution,
                                      .placement = placement,
                                      .shape = shape});
  // Source: k3 specification, section 5 (byte total of the official index, split by hand).
  EXPECT_EQ(ranks[0][MemoryPart::weights].count, 113'509'540'864);
  EXPECT_EQ(ranks[0][MemoryPart::experts].count, 22'600'876'032);
  EXPECT_EQ(ranks[0][MemoryPart::kda_state].count, 434'110'464);
  EXPECT_EQ(ranks[0][MemoryPart::conv_state].count, 15'261'696);
  EXPECT_EQ(ranks[0][MemoryPart::kv_cache].count, 13'824 * 1024);
}

}  // namespace
}  // namespace k3::sim
