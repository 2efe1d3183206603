#include "profiler/calibrate/operator_tables.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "profiler/calibrate/operator_bench_internal.h"
#include "profiler/calibrate/test_data.h"

namespace k3::calibrate {

using sim::Operator;

namespace {

const std::vector<double> kTokens{1, 8, 64, 512};
const std::vector<double> kWidths{64, 128, 512, 2048};
const std::vector<double> kValues{16, 128, 1024, 8192, 65536};
const std::vector<double> kHeadRows{4, 32, 256, 2048};

}  // namespace

std::vector<Bench> OperatorBench::dense() {
  return {
      {Operator::product,
       "tokens rows [in] times a bf16 matrix [out, in] as stored, float32 rows; one core",
       {{"tokens", {1, 2, 4, 8, 64, 512}}, {"in", {32, 128, 512}}, {"out", {16, 128, 1024, 4096}}},
       [this](Point at) { return product(at); }},
      {Operator::norm,
       "RMSNorm of tokens rows",
       {{"tokens", kTokens}, {"width", kWidths}},
       [this](Point at) { return norm(at); }},
      {Operator::mix,
       "attention residuals: mix of `sources` rows per token",
       {{"tokens", {1, 8, 64}}, {"sources", {1, 2, 4, 8, 16}}, {"width", {128, 512, 2048}}},
       [this](Point at) { return mix(at); }},
      {Operator::gather,
       "rows copied to another order",
       {{"rows", {1, 16, 128, 1024}}, {"width", kWidths}},
       [this](Point at) { return gather(at); }},
      {Operator::embed,
       "bf16 rows of an embedding table to float32",
       {{"values", kValues}},
       [this](Point at) { return embed(at); }},
      {Operator::argmax,
       "largest of each row of 4,096 logits",
       {{"values", {4096, 32768, 262144}}},
       [this](Point at) { return argmax(at); }}};
}

std::vector<Bench> OperatorBench::values() {
  const auto with = [this](auto run) {
    return [this, run](Point at) {
      const std::int64_t n = whole(at[0]);
      const std::vector<float> a = random_floats(n);
      const std::vector<float> b = random_floats(n, 7);
      std::vector<float> out = a;
      return run(*this, n, a.data(), b.data(), out.data());
    };
  };
  return {
      {Operator::situ,
       "SiTU of gate and up values",
       {{"values", kValues}},
       with([](OperatorBench& bench, std::int64_t n, const float* a, const float* b, float* out) {
         return bench.time(bench.kernels_.situ, ops::SituArgs{a, b, 4.0F, 25.0F, out, n});
       })},
      {Operator::add,
       "sum of two vectors",
       {{"values", kValues}},
       with([](OperatorBench& bench, std::int64_t n, const float* a, const float* b, float* out) {
         return bench.time(bench.kernels_.add, ops::AddArgs{a, b, out, n});
       })},
      {Operator::sigmoid,
       "sigmoid in place",
       {{"values", kValues}},
       with([](OperatorBench& bench, std::int64_t n, const float*, const float*, float* out) {
         return bench.time(bench.kernels_.sigmoid, ops::SigmoidArgs{out, n});
       })},
      {Operator::gate,
       "values times the sigmoid of a gate, in place",
       {{"values", kValues}},
       with([](OperatorBench& bench, std::int64_t n, const float*, const float* b, float* out) {
         return bench.time(bench.kernels_.sigmoid_gate, ops::SigmoidGateArgs{out, b, n});
       })}};
}

std::vector<Bench> OperatorBench::attention() {
  const std::vector<double> heads{4, 16};
  const std::vector<double> dims{32, 128};
  return {{Operator::conv,
           "KDA short convolution of four taps over the tokens of one sequence",
           {{"tokens", kTokens}, {"channels", {128, 512, 2048}}},
           [this](Point at) { return conv(at); }},
          {Operator::kda_gate,
           "KDA decay of rows = tokens · heads",
           {{"rows", kHeadRows}, {"dim", dims}},
           [this](Point at) { return kda_gate(at); }},
          {Operator::recurrence,
           "KDA recurrence, rows = tokens · heads of one sequence, state [dim, dim] per head",
           {{"rows", kHeadRows}, {"dim", dims}},
           [this](Point at) { return recurrence(at); }},
          {Operator::kda_output,
           "KDA output norm and gate, rows = tokens · heads",
           {{"rows", kHeadRows}, {"dim", dims}},
           [this](Point at) { return kda_output(at); }},
          {Operator::cache,
           "rows of latent and position key appended to a cache",
           {{"tokens", kTokens}, {"width", {64, 512}}},
           [this](Point at) { return cache(at); }},
          {Operator::absorbed,
           "absorbed MLA: one token of one sequence over `cached` rows",
           {{"cached", {1, 16, 64, 256, 1024}}, {"heads", heads}, {"dim", dims}},
           [this](Point at) { return attend(kernels_.mla_absorbed, 1, at); }},
          {Operator::expanded,
           "expanded MLA: the tokens of one prompt, nothing cached before",
           {{"tokens", {1, 16, 64, 256}}, {"heads", heads}, {"dim", dims}},
           [this](Point at) { return attend(kernels_.mla_expanded, whole(at[0]), at); }}};
}

std::vector<Bench> OperatorBench::experts() {
  return {{Operator::route,
           "scores, top 16 and weights of tokens",
           {{"tokens", {1, 8, 64}}, {"experts", {112, 896}}},
           [this](Point at) { return route(at); }},
          {Operator::expert,
           "one MXFP4 expert of rows [latent], inner width `width`",
           {{"rows", {1, 2, 4, 8, 64}}, {"latent", {64, 256, 1024}}, {"width", {64, 256, 1024}}},
           [this](Point at) { return expert(at); }},
          {Operator::combine,
           "weighted sum of 16 rows per token",
           {{"tokens", {1, 8, 64}}, {"width", {64, 512, 2048}}},
           [this](Point at) { return combine(at); }},
          {Operator::pack,
           "slot, rank and order of outgoing copies, 16 per token, 8 ranks",
           {{"copies", {16, 128, 1024, 8192}}},
           [this](Point at) { return pack(at); }},
          {Operator::order,
           "incoming copies sorted by slot",
           {{"copies", {16, 128, 1024, 8192}}, {"slots", {112, 896}}},
           [this](Point at) { return order(at); }}};
}

Result<void> add_operator_tables(Backend& backend, Recorder& recorder) {
  K3_TRY(std::unique_ptr<Stream> stream, backend.make_stream(0));
  const auto operators = std::make_shared<OperatorBench>(backend.kernels(), std::move(stream));
  for (Bench& bench : operators->all()) {
    recorder.add({.name = std::string(sim::name_of(bench.op)),
                  .about = std::move(bench.about),
                  .axes = std::move(bench.axes),
                  .sample = [operators, sample = std::move(bench.sample)](Point at, double budget) {
                    operators->set_budget(budget);
                    return sample(at);
                  }});
  }
  return {};
}

}  // namespace k3::calibrate
