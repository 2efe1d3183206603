#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/report/html.h"
#include "tests/unit/profiler_figures/synthetic.h"
#include "tests/unit/profiler_visual/markup_check.h"

namespace k3::report {
namespace {

using test::make_pair;
using test::make_run;
using test::markup_error;
using test::SyntheticRun;
using testing::HasSubstr;
using testing::Not;

const SyntheticRun kMeasured{};
const SyntheticRun kSimulated{
    .kind = RunKind::simulated, .path = "simulated.k3r", .seconds_scale = 1.06, .seed = 2};

SyntheticRun on_machine(SyntheticRun run, const std::string& machine, double scale) {
  run.machine = machine;
  run.seconds_scale = scale;
  return run;
}

std::string render(const figures::Input& input) {
  const Result<std::string> html = make_document(input).map(to_html);
  EXPECT_TRUE(html.has_value()) << html.error().text();
  return html.value_or("");
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + part.size())) {
    ++found;
  }
  return found;
}

/// The text of one figure.
std::string figure(const std::string& html, const std::string& id) {
  const std::size_t begin = html.find("<figure id=\"figure-" + id + "\"");
  if (begin == std::string::npos) return {};
  return html.substr(begin, html.find("</figure>", begin) - begin);
}

TEST(Report, OfAPairHoldsEveryFigureAndTable) {
  const std::string html = render(make_pair(kMeasured, kSimulated));
  EXPECT_EQ(count(html, "<figure "), 5U);
  for (const char* id : {"step", "layers", "traffic", "load", "error"}) {
    const std::string part = figure(html, id);
    EXPECT_THAT(part, HasSubstr("<svg")) << id;
    EXPECT_THAT(part, HasSubstr("class=\"answer\"")) << id;
    EXPECT_THAT(part,
                HasSubstr("measured: measured.k3r (local) · simulated: simulated.k3r (local)"))
        << id;
    EXPECT_THAT(part, Not(HasSubstr("Nothing to show"))) << id;
  }
  for (const char* id : {"table-kinds", "table-layers", "table-memory", "table-runs"}) {
    EXPECT_THAT(html, HasSubstr(id));
  }
}

TEST(Report, NeedsNothingElse) {
  for (const figures::Input& input : {make_pair(kMeasured, kSimulated), figures::Input{}}) {
    const std::string html = render(input);
    EXPECT_EQ(markup_error(html), "");
    EXPECT_THAT(html, Not(HasSubstr("<script")));
    EXPECT_THAT(html, Not(HasSubstr("http")));
    EXPECT_THAT(html, Not(HasSubstr("<link")));
    EXPECT_THAT(html, Not(HasSubstr("<img")));
    EXPECT_THAT(html, Not(HasSubstr("@import")));
  }
}

TEST(Report, AnswersInItsHeadline) {
  figures::Input input = make_pair(kMeasured, kSimulated);
  input.comparison->step = {2.4, 2.52, 3};
  EXPECT_THAT(
      render(input),
      HasSubstr("<h1>A decode step takes 2.40 ms measured and 2.52 ms simulated (1.05×)</h1>"));
}

TEST(Report, SaysWhereTheStepGoes) {
  figures::Input input;
  input.first = make_run(kMeasured);
  input.first.kinds = {{Phase::decode, TaskKind::experts, 500, 0, 0.5},
                       {Phase::decode, TaskKind::kda, 300, 0, 0.3},
                       {Phase::decode, TaskKind::dispatch, 200, 150, 0.2}};
  EXPECT_THAT(figure(render(input), "step"),
              HasSubstr("Measured: routed experts 50.0 %, KDA 30.0 %, waiting for other ranks "
                        "15.0 %."));
}

TEST(Report, ComparesKdaWithFullAttention) {
  figures::Input input;
  input.first = make_run(kMeasured);
  query::LayerCost cost;
  cost.kind = TaskKind::kda;
  cost.layer = 0;
  cost.mean_us = 40;
  query::LayerCost full = cost;
  full.kind = TaskKind::mla;
  full.layer = 1;
  full.mean_us = 110;
  full.wait_us = 10;
  input.first.layers = {cost, full};
  EXPECT_THAT(figure(render(input), "layers"),
              HasSubstr("KDA 40.0 µs (1 layer), MLA 100 µs (1 layer); MLA costs 2.50× of KDA."));
}

TEST(Report, TellsHowAttentionGrowsWithContextAndWhereItMeetsKda) {
  figures::Input input;
  input.first = make_run(kMeasured);
  input.first.attention.clear();
  for (int step = 0; step < 4; ++step) {
    input.first.attention.push_back(
        {step, Phase::decode, 1024 * (step + 1), 8, 50, 10.0 + 20 * (step + 1)});
  }
  EXPECT_THAT(figure(render(input), "layers"),
              HasSubstr("KDA 50.0 µs per layer, MLA 60.0 µs; MLA grows by 20.0 µs per Ki tokens"));
  EXPECT_THAT(figure(render(input), "layers"),
              HasSubstr("it costs as much as KDA at 2 048 tokens"));
  for (query::AttentionStep& step : input.first.attention)
    step.context = 1024;
  EXPECT_THAT(figure(render(input), "layers"), HasSubstr("one context only"));
}

TEST(Report, NamesTheBusiestReceiverAndTheLargestCellError) {
  figures::Input input =
      make_pair(SyntheticRun{.ranks = 2}, SyntheticRun{.kind = RunKind::simulated, .ranks = 2});
  input.comparison->traffic = {2, {5, 1, 3, 5}, {5, 2, 3, 5}, 14, 15, 0.286};
  const std::string part = figure(render(input), "traffic");
  EXPECT_THAT(part, HasSubstr("rank 0 receives most, 1.50× the mean")) << "3 against a mean of 2";
  EXPECT_THAT(part, HasSubstr("Simulated is 1.07× of measured in total."));
  EXPECT_THAT(part, HasSubstr("The largest difference of a cell is 28.6 % of the mean cell."));
  EXPECT_EQ(count(part, "<svg"), 3U);
}

TEST(Report, UsesALogScaleForTrafficOfManyMagnitudes) {
  figures::Input input =
      make_pair(SyntheticRun{.ranks = 2}, SyntheticRun{.kind = RunKind::simulated, .ranks = 2});
  EXPECT_THAT(figure(render(input), "traffic"), HasSubstr("Linear scale"));
  input.comparison->traffic = {2, {5e9, 1, 3, 5}, {5, 2, 3, 5}, 5e9, 15, 1};
  EXPECT_THAT(figure(render(input), "traffic"), HasSubstr("Logarithmic scale"));
}

TEST(Report, StatesBalanceAndItsFormula) {
  figures::Input input;
  input.first = make_run(kMeasured);
  query::ExpertLoad load;
  load.layer = 3;
  load.expert_tokens = {30, 10, 10, 10};
  load.rank_tokens = {40, 20};
  load.expert_balance = 2;
  load.rank_balance = 4.0 / 3;
  input.first.load = {load};
  const std::string part = figure(render(input), "load");
  EXPECT_THAT(part, HasSubstr("the busiest rank has 1.33× the mean load on average over 1 layer, "
                              "1.33× in layer 3"));
  EXPECT_THAT(part, HasSubstr("max over ranks of tokens / mean over ranks of tokens"));
  input.first.load[0].rank_tokens.clear();
  EXPECT_THAT(figure(render(input), "load"), HasSubstr("the busiest expert has 2.00×"));
}

TEST(Report, CountsHowManyPredictionsAgree) {
  figures::Input input = make_pair(kMeasured, kSimulated);
  input.comparison->rows = {{TaskKind::kda, 0, 100, 110, 1.1, 0, 0},
                            {TaskKind::mla, 1, 100, 150, 1.5, 0, 0},
                            {TaskKind::kda, 2, 100, 81, 0.81, 0, 0},
                            {TaskKind::sample, -1, 0, 3, 0, 0, 0}};
  const std::string part = figure(render(input), "error");
  EXPECT_THAT(part, HasSubstr("2 of 3 pairs of kind and layer agree within 20 %; the median ratio "
                              "is 1.10×. The largest gap is in MLA (full attention): 100 µs "
                              "measured, 150 µs simulated."));
  EXPECT_THAT(part, HasSubstr("How well does the simulation predict the measurement?"));
}

TEST(Report, SaysThatAnotherMachineIsNoPredictionOfThisOne) {
  const std::string html = render(
      make_pair(on_machine(kMeasured, "local", 900), on_machine(kSimulated, "gb300-nvl72", 1)));
  EXPECT_THAT(html, HasSubstr("Not a prediction of this host."));
  EXPECT_THAT(html, HasSubstr("simulated on gb300-nvl72"));
  EXPECT_THAT(figure(html, "error"), HasSubstr("How do the two runs differ per kind of task?"));
  EXPECT_THAT(figure(html, "error"), HasSubstr("take the same share within 20 %"));
  EXPECT_THAT(figure(html, "step"), HasSubstr("drawn as shares of their own task time"));
  EXPECT_THAT(render(make_pair(kMeasured, kSimulated)), Not(HasSubstr("Not a prediction")));
}

TEST(Report, DoubtsAPredictionThatIsFarOff) {
  const std::string html = render(make_pair(on_machine(kMeasured, "gb300-nvl72", 900),
                                            on_machine(kSimulated, "gb300-nvl72", 1)));
  EXPECT_THAT(html, HasSubstr("Perhaps not a prediction of this host."));
}

TEST(Report, TellsTwoRunsOfOneKindApart) {
  const std::string html = render(make_pair(kSimulated, on_machine(kSimulated, "gb300-nvl72", 1)));
  EXPECT_THAT(html, HasSubstr("A: simulated"));
  EXPECT_THAT(html, HasSubstr("B: simulated"));
  EXPECT_THAT(html, Not(HasSubstr("class=\"warning\"")));
}

TEST(Report, OfOneSessionSaysWhatASecondWouldAdd) {
  figures::Input input;
  input.first = make_run(kMeasured);
  const std::string html = render(input);
  EXPECT_EQ(markup_error(html), "");
  EXPECT_EQ(count(html, "<figure "), 5U);
  EXPECT_THAT(html, HasSubstr("<h1>A decode step takes"));
  EXPECT_THAT(figure(html, "error"), HasSubstr("needs a measured and a simulated session"));
  EXPECT_EQ(count(figure(html, "traffic"), "<svg"), 1U);
}

TEST(Report, OfAnEmptySessionSaysWhatIsMissing) {
  const std::string html = render(figures::Input{});
  EXPECT_EQ(markup_error(html), "");
  EXPECT_THAT(html, HasSubstr("<h1>The session holds no complete step</h1>"));
  EXPECT_THAT(html, HasSubstr("Interrupted run."));
  for (const char* id : {"step", "layers", "traffic", "load", "error"}) {
    EXPECT_THAT(figure(html, id), HasSubstr("Nothing to show")) << id;
  }
}

TEST(Report, ShowsPrefillWhereThereIsNoDecode) {
  figures::Input input;
  input.first = make_run(kMeasured);
  for (query::StepSummary& step : input.first.summary.steps)
    step.phase = Phase::prefill;
  for (query::KindCost& cost : input.first.kinds)
    cost.phase = Phase::prefill;
  for (query::LayerCost& cost : input.first.layers)
    cost.phase = Phase::prefill;
  const std::string html = render(input);
  EXPECT_THAT(html, HasSubstr("<h1>A prefill step takes"));
  EXPECT_THAT(figure(html, "step"), Not(HasSubstr("Nothing to show")));
}

TEST(Report, CannotComputeADifferenceOfUnequalRanks) {
  const std::string html =
      render(make_pair(kMeasured, SyntheticRun{.kind = RunKind::simulated, .ranks = 2}));
  EXPECT_THAT(html, HasSubstr("Different numbers of ranks."));
  EXPECT_THAT(figure(html, "traffic"), HasSubstr("no difference: the runs have 4 and 2 ranks"));
}

TEST(Report, EscapesHostileText) {
  const std::string hostile = "<script>alert(\"1\")</script>&\x01\xff'";
  figures::Input input = make_pair(kMeasured, kSimulated);
  for (figures::RunDetail* run : {&input.first, &*input.second}) {
    query::SessionSummary& summary = run->summary;
    summary.title = hostile;
    summary.machine = hostile;
    summary.model = hostile;
    summary.path = hostile;
    summary.scenario = hostile;
    summary.warning = hostile;
    summary.plans[0].hash = hostile;
    summary.memory[0].what = hostile;
    summary.meta = {{"seed", hostile}, {"commit", hostile}};
  }
  input.comparison->verdicts = {hostile};
  const std::string html = render(input);
  EXPECT_EQ(markup_error(html), "");
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;"));
}

TEST(Report, SurvivesNumbersNobodyExpects) {
  figures::Input input = make_pair(kMeasured, kSimulated);
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  input.first.layers[3].mean_us = inf;
  input.first.layers[4].mean_us = nan;
  input.first.layers[5].layer = 32767;
  input.second->kinds[0].mean_us = -1;
  input.second->kinds[1].mean_us = nan;
  input.comparison->rows[0].measured_us = -5;
  input.comparison->rows[1].simulated_us = inf;
  input.comparison->traffic.measured_bytes[1] = nan;
  input.comparison->step.measured_ms = nan;
  input.first.load[0].expert_tokens.clear();
  EXPECT_EQ(markup_error(render(input)), "");
}

TEST(Report, RefusesAMatrixThatIsNotSquare) {
  figures::Input input;
  input.first = make_run(kMeasured);
  input.first.traffic.bytes.pop_back();
  const Result<std::string> html = make_document(input).map(to_html);
  ASSERT_FALSE(html.has_value());
  EXPECT_EQ(html.error().code, Code::invalid_input);
  EXPECT_THAT(html.error().message, HasSubstr("15 cells; 4 ranks need 16"));
}

TEST(Report, OfTheFullModelStaysSmall) {
  SyntheticRun measured{.layers = 93, .ranks = 72, .experts = 896};
  SyntheticRun simulated = measured;
  simulated.kind = RunKind::simulated;
  simulated.seed = 2;
  const std::string html = render(make_pair(measured, simulated));
  EXPECT_LT(html.size(), 3'000'000U);
  EXPECT_EQ(markup_error(html), "");
}

}  // namespace
}  // namespace k3::report
