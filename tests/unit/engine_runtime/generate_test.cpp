#include "engine/runtime/generate.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/engine_runtime/tiny_run.h"

namespace k3::test {
namespace {

using testing::HasSubstr;

std::string refusal(const GenerateRequest& request) {
  const auto checked = check_request(tiny_model(), request);
  return checked ? "" : checked.error().message;
}

TEST(GenerateRequest, NamesTheSequenceAndIndexOfAWrongId) {
  GenerateRequest request = tiny_request();
  EXPECT_EQ(refusal(request), "");
  request.prompts[2][3] = 101;
  EXPECT_EQ(refusal(request),
            "prompt of sequence 2: id 101 at index 3 is not in the vocabulary; ids are 0 to 100");
  request = tiny_request();
  request.forced[1][0] = -1;
  EXPECT_THAT(refusal(request), HasSubstr("forced ids of sequence 1: id -1 at index 0"));
}

TEST(GenerateRequest, RefusesWhatCannotRun) {
  EXPECT_EQ(refusal({}), "no prompt");
  EXPECT_EQ(refusal({.prompts = {{1}, {}}}), "prompt of sequence 1 is empty");
  EXPECT_THAT(refusal({.prompts = {{1}, {2}}, .forced = {{3}}}), HasSubstr("2 prompts"));
  EXPECT_THAT(refusal({.prompts = {{1}}, .greedy_tokens = -2}), HasSubstr("0 or more"));
  // The tiny model has 64 positions; the last greedy id is not fed back.
  EXPECT_EQ(refusal({.prompts = {{1, 2}}, .greedy_tokens = 63}), "");
  EXPECT_THAT(refusal({.prompts = {{1, 2}}, .greedy_tokens = 64}), HasSubstr("64 positions"));
  EXPECT_THAT(refusal({.prompts = {{1, 2}}, .pinned_prompt = {{1, 2, 3}}}),
              HasSubstr("its 2 tokens need 32"));
}

TEST(DumpTensors, AreSortedAndSizedFromShapesAlone) {
  const auto specs = dump_tensor_specs(tiny_model(), dump_lengths(tiny_request()));
  EXPECT_TRUE(std::ranges::is_sorted(specs, {}, &DumpTensorSpec::name));
  const auto find = [&](const std::string& name) {
    return *std::ranges::find(specs, name, &DumpTensorSpec::name);
  };
  using Shape = std::vector<std::int64_t>;
  EXPECT_EQ(find("seq2.logits").shape, (Shape{9, 101}));
  EXPECT_EQ(find("seq0.prefill_kda_state").shape, (Shape{3, 2, 16, 16}));
  EXPECT_EQ(find("seq1.prefill_mla_cache").shape, (Shape{2, 1, 40}));
  EXPECT_EQ(find("seq0.decode_conv_v").shape, (Shape{3, 3, 32}));
  EXPECT_EQ(find("seq0.router_ids").dtype, DType::i32);
  EXPECT_EQ(find("seq0.router_ids").bytes(), 4 * 4 * 5 * 4);
  EXPECT_EQ(find("moe_layers").shape, (Shape{4}));
}

TEST(DumpTensors, OnlyThoseAskedForAreKept) {
  const ModelConfig model = tiny_model();
  const WeightStore weights = WeightStore::synthetic(model, 7);
  const auto all = run_generation(model, weights, tiny_request(), {.ranks = 2});
  ASSERT_TRUE(all);
  const auto some =
      run_generation(model, weights, tiny_request(),
                     {.ranks = 2, .dump_names = {"seq1.greedy_logits", "seq2.stream"}});
  ASSERT_TRUE(some);
  ASSERT_EQ(some->dump.tensors().size(), 2U);
  // The last prompt row is enough for greedy_logits.
  EXPECT_FALSE(some->plans[0].shape().all_logits);
  for (const auto& [name, tensor] : some->dump.tensors()) {
    EXPECT_EQ(tensor.data, all->dump.tensors().at(name).data) << name;
  }
}

TEST(Generate, SequencesWithFewerForcedTokensDropOut) {
  const ModelConfig model = tiny_model();
  const WeightStore weights = WeightStore::synthetic(model, 7);
  GenerateRequest request = tiny_request();
  const auto equal = run_generation(model, weights, request, {.ranks = 2});
  ASSERT_TRUE(equal);
  request.forced = {{1, 2, 3}, {}, {7}};
  const auto unequal = run_generation(model, weights, request, {.ranks = 2});
  ASSERT_TRUE(unequal) << unequal.error().text();
  EXPECT_EQ(unequal->steps[1].sequences, 2);
  EXPECT_EQ(unequal->steps[3].sequences, 1);
  const auto& tensors = unequal->dump.tensors();
  EXPECT_FALSE(tensors.contains("seq1.decode_logits"));
  EXPECT_EQ(tensors.at("seq2.decode_logits").spec.shape[0], 1);
  const std::string whole = "seq0.decode_stream";
  EXPECT_EQ(tensors.at(whole).data, equal->dump.tensors().at(whole).data);
  EXPECT_EQ(unequal->output.greedy_ids, equal->output.greedy_ids);
}

TEST(Generate, AConsumerThatFailsEndsTheRun) {
  const ModelConfig model = tiny_model();
  const WeightStore weights = WeightStore::synthetic(model, 7);
  int seen = 0;
  const auto result =
      run_generation(model, weights, tiny_request(),
                     {.ranks = 2, .consume = [&](const StepRecord&) -> Result<void> {
                        if (++seen == 2) return fail(Code::io, "disk is full");
                        return {};
                      }});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "disk is full");
  EXPECT_EQ(seen, 2);
}

}  // namespace
}  // namespace k3::test
