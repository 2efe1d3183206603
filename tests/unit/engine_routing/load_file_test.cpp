#include "engine/routing/load_file.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace k3 {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr RoutingShape kShape{.num_layers = 2, .num_experts = 3, .top_k = 2};

std::string popularity_error(std::string_view json) {
  const auto result = parse_popularity(json, "load.json", kShape);
  EXPECT_FALSE(result.has_value()) << json;
  return result ? "" : result.error().text();
}

std::string placement_error(std::string_view json) {
  const auto result = parse_placement(json, "place.json", {1, 2, 1}, 2);
  EXPECT_FALSE(result.has_value()) << json;
  return result ? "" : result.error().text();
}

TEST(LoadFile, ReadsWeightsAndIgnoresOtherKeys) {
  EXPECT_THAT(
      parse_popularity(R"({"name": "x", "weight": [[1, 2.5, 3], [0, 5, 6]]})", "load.json", kShape)
          .value(),
      ElementsAre(1, 2.5, 3, 0, 5, 6));
}

TEST(LoadFile, SaysBothCountsWhenTheModelIsAnother) {
  EXPECT_THAT(popularity_error(R"({"weight": [[1, 2, 3]]})"),
              HasSubstr("1 layers; the model has 2 MoE layers"));
  EXPECT_THAT(popularity_error(R"({"weight": [[1, 2, 3], [1, 2]]})"),
              HasSubstr("2 experts; the model has 3"));
}

TEST(LoadFile, RefusesWeightsThatCannotBeDrawnFrom) {
  EXPECT_THAT(popularity_error(R"({"weight": [[1, 2, 3], [0, 0, 1]]})"),
              HasSubstr("1 experts with a positive weight; a token chooses 2"));
  EXPECT_THAT(popularity_error(R"({"weight": [[1, 2, -3], [1, 1, 1]]})"), HasSubstr("weight -3"));
  EXPECT_THAT(popularity_error(R"({"weight": [[1, 1e308, 1e308], [1, 1, 1]]})"),
              HasSubstr("sum to more"));
  EXPECT_THAT(popularity_error(R"({"weight": [[1, 2, "3"], [1, 1, 1]]})"),
              HasSubstr("load.json:1"));
  EXPECT_THAT(popularity_error(R"({"weights": []})"), HasSubstr("weight"));
  EXPECT_THAT(popularity_error("{"), HasSubstr("load.json:1"));
}

TEST(LoadFile, TakesCounts) {
  const std::array<std::uint64_t, 6> counts{4, 0, 5, 1, 1, 7};
  EXPECT_THAT(popularity_from_counts(counts, "run", kShape).value(), ElementsAre(4, 0, 5, 1, 1, 7));
  const auto few = popularity_from_counts(std::span(counts).first(3), "run", kShape);
  EXPECT_THAT(few.error().text(), HasSubstr("3 counts; the model has 2 MoE layers of 3 experts"));
  const std::array<std::uint64_t, 6> silent{4, 0, 5, 0, 0, 0};
  EXPECT_THAT(popularity_from_counts(silent, "run", kShape).error().text(),
              HasSubstr("run: MoE layer 1: 0 experts with a positive weight"));
}

TEST(LoadFile, ReadsAPlacement) {
  const Placement placement =
      parse_placement(R"({"wall_s": 1, "layers": [{"slot_to_expert": [0, 1, 1, -1], "bound": 1,
                          "slot_rank": [0, 0, 1, 1], "share": [1, 0.5, 0.5, 0]}]})",
                      "place.json", {1, 2, 1}, 2)
          .value();
  EXPECT_EQ(placement.num_ranks(), 2);
  EXPECT_THAT(placement.replica_slots(0, 1), ElementsAre(1, 2));
}

TEST(LoadFile, RefusesPlacementsOfAnotherModelOrMachine) {
  EXPECT_THAT(placement_error(R"({"layers": []})"),
              HasSubstr("0 layers; the model has 1 MoE layers"));
  EXPECT_THAT(
      placement_error(
          R"({"layers": [{"slot_to_expert": [0, 2], "slot_rank": [0, 1], "share": [1, 1]}]})"),
      HasSubstr("layers[0].slot_to_expert[1]"));
  EXPECT_THAT(
      placement_error(
          R"({"layers": [{"slot_to_expert": [0, 1], "slot_rank": [0, 2], "share": [1, 1]}]})"),
      HasSubstr("layers[0].slot_rank[1]"));
  EXPECT_THAT(
      placement_error(
          R"({"layers": [{"slot_to_expert": [0, 1], "slot_rank": [0, 1], "share": [1, 0.5]}]})"),
      HasSubstr("place.json: layers[0]: the shares of expert 1 sum to 0.5"));
  EXPECT_THAT(placement_error(R"({"layers": [{"slot_to_expert": [0, 1], "slot_rank": [0, 1]}]})"),
              HasSubstr("share"));
}

}  // namespace
}  // namespace k3
