#include <utility>

#include <fmt/core.h>

#include "engine/routing/routing.h"

namespace k3 {

namespace {

class RecordedRouting final : public Routing {
 public:
  RecordedRouting(const RoutingShape& shape, std::vector<StepRouting> steps)
      : shape_(shape), steps_(std::move(steps)) {}

  Result<StepRouting> step(int step, std::span<const TokenPosition> tokens) const override {
    const std::string where = fmt::format("routing.recorded step {}", step);
    if (step < 0 || static_cast<std::size_t>(step) >= steps_.size()) {
      return fail(
          Code::invalid_input,
          fmt::format("the recording holds {} steps; simulate at most as many", steps_.size()),
          where);
    }
    const StepRouting& recorded = steps_[static_cast<std::size_t>(step)];
    if (recorded.num_layers != shape_.num_layers || recorded.top_k != shape_.top_k) {
      return fail(Code::invalid_input,
                  fmt::format("recorded {} MoE layers with top-{}; the model has {} with top-{}",
                              recorded.num_layers, recorded.top_k, shape_.num_layers, shape_.top_k),
                  where);
    }
    if (static_cast<std::size_t>(recorded.num_tokens) != tokens.size()) {
      return fail(
          Code::invalid_input,
          fmt::format("recorded {} tokens; this step has {}: take ranks, sequences_per_rank "
                      "and tokens_per_sequence of the recorded run",
                      recorded.num_tokens, tokens.size()),
          where);
    }
    K3_TRY_VOID(check_choices(recorded, where));
    return recorded;
  }

 private:
  Result<void> check_choices(const StepRouting& recorded, const std::string& where) const {
    std::vector<std::int64_t> chosen_by(static_cast<std::size_t>(shape_.num_experts), -1);
    std::int64_t mark = 0;
    for (int layer = 0; layer < recorded.num_layers; ++layer) {
      for (int token = 0; token < recorded.num_tokens; ++token, ++mark) {
        for (const std::uint16_t expert : recorded.choice(layer, token)) {
          if (expert >= shape_.num_experts) {
            return fail(
                Code::invalid_input,
                fmt::format("MoE layer {}, token {}: expert {}; the model has experts 0 to {}",
                            layer, token, expert, shape_.num_experts - 1),
                where);
          }
          if (std::exchange(chosen_by[expert], mark) == mark) {
            return fail(Code::invalid_input,
                        fmt::format("MoE layer {}, token {}: expert {} twice; choices are distinct",
                                    layer, token, expert),
                        where);
          }
        }
      }
    }
    return {};
  }

  RoutingShape shape_;
  std::vector<StepRouting> steps_;
};

}  // namespace

std::unique_ptr<Routing> make_recorded_routing(const RoutingShape& shape,
                                               std::vector<StepRouting> steps) {
  return std::make_unique<RecordedRouting>(shape, std::move(steps));
}

}  // namespace k3
