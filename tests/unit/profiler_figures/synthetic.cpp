#include "tests/unit/profiler_figures/synthetic.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

#include "engine/base/rng.h"

namespace k3::test {
namespace {

bool is_mla(int layer, int layers) {
  return layer % 4 == 3 || layer == layers - 1;
}

/// Kinds of a layer with their time in µs at scale 1 and the waiting in it.
struct KindTime {
  TaskKind kind;
  double us;
  double wait_us;
};

std::vector<KindTime> kinds_of(int layer, int layers) {
  std::vector<KindTime> kinds{
      {TaskKind::attn_res, 6, 0},
      {TaskKind::norm, 2, 0},
      is_mla(layer, layers) ? KindTime{TaskKind::mla, 95, 0} : KindTime{TaskKind::kda, 52, 0}};
  if (layer == 0) {
    kinds.push_back({TaskKind::dense, 60, 0});
    return kinds;
  }
  const KindTime moe[] = {{TaskKind::router, 5, 0},    {TaskKind::latent, 22, 0},
                          {TaskKind::dispatch, 30, 9}, {TaskKind::experts, 110, 0},
                          {TaskKind::combine, 38, 15}, {TaskKind::shared, 24, 0}};
  kinds.insert(kinds.end(), std::begin(moe), std::end(moe));
  return kinds;
}

void add_costs(figures::RunDetail& run, const SyntheticRun& spec, Rng rng) {
  std::map<TaskKind, query::KindCost> kinds;
  const auto add = [&](TaskKind kind, int layer, double us, double wait_us) {
    const double factor = spec.seconds_scale * (0.9 + 0.2 * rng.uniform());
    query::LayerCost cost;
    cost.kind = kind;
    cost.layer = layer;
    cost.steps = 3;
    cost.mean_us = us * factor;
    cost.wait_us = wait_us * factor;
    cost.slowest_rank_us = cost.mean_us * 1.1;
    run.layers.push_back(cost);
    kinds[kind].kind = kind;
    kinds[kind].mean_us += cost.mean_us;
    kinds[kind].wait_us += cost.wait_us;
  };
  add(TaskKind::embed, -1, 12, 0);
  for (int layer = 0; layer < spec.layers; ++layer) {
    for (const KindTime& time : kinds_of(layer, spec.layers)) {
      add(time.kind, layer, time.us, time.wait_us);
    }
  }
  add(TaskKind::head, -1, 180, 0);
  add(TaskKind::sample, -1, 4, 0);
  double total = 0;
  for (const auto& [kind, cost] : kinds)
    total += cost.mean_us;
  for (auto& [kind, cost] : kinds) {
    cost.share = cost.mean_us / total;
    run.kinds.push_back(cost);
  }
  for (int step = 0; step < 3; ++step) {
    query::StepSummary summary;
    summary.step = step;
    summary.tokens = 64 * spec.ranks;
    summary.context = 1024 * (step + 1);
    summary.duration_ns = std::llround(total * 1000 * 0.97);
    run.attention.push_back({step, Phase::decode, summary.context, summary.tokens,
                             52 * spec.seconds_scale, (20.0 + 25 * step) * spec.seconds_scale});
    run.summary.steps.push_back(summary);
  }
}

void add_traffic(figures::RunDetail& run, const SyntheticRun& spec, Rng rng) {
  run.traffic.num_ranks = spec.ranks;
  std::vector<double> weight;
  for (int r = 0; r < spec.ranks; ++r)
    weight.push_back(std::exp(0.25 * rng.normal()));
  for (int source = 0; source < spec.ranks; ++source) {
    for (int destination = 0; destination < spec.ranks; ++destination) {
      const double rows =
          4000 * weight[static_cast<std::size_t>(destination)] * (0.95 + 0.1 * rng.uniform());
      run.traffic.bytes.push_back(static_cast<std::uint64_t>(rows) * 3696);
    }
  }
}

void add_load(figures::RunDetail& run, const SyntheticRun& spec, Rng rng) {
  for (int layer = 1; layer < spec.layers; ++layer) {
    query::ExpertLoad load;
    load.layer = layer;
    load.rank_tokens.assign(static_cast<std::size_t>(spec.ranks), 0);
    for (int expert = 0; expert < spec.experts; ++expert) {
      const auto tokens = static_cast<std::uint64_t>(400 * std::exp(0.5 * rng.normal()));
      load.expert_tokens.push_back(tokens);
      load.rank_tokens[static_cast<std::size_t>(expert * spec.ranks / spec.experts)] += tokens;
    }
    const auto balance = [](const std::vector<std::uint64_t>& tokens) {
      double sum = 0;
      for (const std::uint64_t t : tokens)
        sum += static_cast<double>(t);
      return static_cast<double>(*std::max_element(tokens.begin(), tokens.end())) *
             static_cast<double>(tokens.size()) / sum;
    };
    load.expert_balance = balance(load.expert_tokens);
    load.rank_balance = balance(load.rank_tokens);
    run.load.push_back(std::move(load));
  }
}

}  // namespace

figures::RunDetail make_run(const SyntheticRun& spec) {
  figures::RunDetail run;
  query::SessionSummary& summary = run.summary;
  summary.path = spec.path;
  summary.kind = spec.kind;
  summary.complete = true;
  summary.title = "K3 decode on a rack";
  summary.model = "kimi-k3";
  summary.machine = spec.machine;
  summary.num_ranks = spec.ranks;
  summary.num_spans = 123456;
  summary.scenario =
      "[model]\nconfig = \"/srv/somebody/kimi-k3.json\"\n[machine]\nlink = \"900 GB/s\"\n";
  summary.plans = {{0, "00c0ffee00c0ffee", Phase::decode, 4321}};
  summary.memory = {{"experts", 20LL << 30, 80LL << 30}, {"kv_cache", 3LL << 30, 12LL << 30}};
  summary.meta = {{"seed", "7"}, {"host", "secret-host"}, {"command_line", "k3rack run secret"}};
  const Rng rng(spec.seed);
  add_costs(run, spec, rng.split("costs"));
  add_traffic(run, spec, rng.split("traffic"));
  add_load(run, spec, rng.split("load"));
  return run;
}

query::Comparison make_comparison(const figures::RunDetail& a, const figures::RunDetail& b) {
  query::Comparison comparison;
  comparison.a = a.summary;
  comparison.b = b.summary;
  comparison.join = query::Join::by_task;
  for (std::size_t i = 0; i < std::min(a.layers.size(), b.layers.size()); ++i) {
    const query::LayerCost& measured = a.layers[i];
    const query::LayerCost& simulated = b.layers[i];
    comparison.rows.push_back({measured.kind, measured.layer, measured.mean_us, simulated.mean_us,
                               simulated.mean_us / measured.mean_us, measured.wait_us,
                               simulated.wait_us});
  }
  const auto milliseconds = [](const figures::RunDetail& run) {
    return static_cast<double>(run.summary.steps.front().duration_ns) * 1e-6;
  };
  comparison.step = {milliseconds(a), milliseconds(b), 3};
  if (a.traffic.num_ranks == b.traffic.num_ranks) {
    query::TrafficComparison& traffic = comparison.traffic;
    traffic.num_ranks = a.traffic.num_ranks;
    traffic.measured_bytes.assign(a.traffic.bytes.begin(), a.traffic.bytes.end());
    traffic.simulated_bytes.assign(b.traffic.bytes.begin(), b.traffic.bytes.end());
    for (std::size_t i = 0; i < traffic.measured_bytes.size(); ++i) {
      traffic.measured_total += traffic.measured_bytes[i];
      traffic.simulated_total += traffic.simulated_bytes[i];
      traffic.max_cell_error = std::max(
          traffic.max_cell_error, std::abs(traffic.simulated_bytes[i] - traffic.measured_bytes[i]));
    }
    traffic.max_cell_error *=
        static_cast<double>(traffic.measured_bytes.size()) / traffic.measured_total;
  }
  comparison.verdicts = {"Load balance is 1.31× measured and 1.29× simulated."};
  return comparison;
}

figures::Input make_pair(const SyntheticRun& a, const SyntheticRun& b) {
  figures::Input input;
  input.first = make_run(a);
  input.second = make_run(b);
  input.comparison = make_comparison(input.first, *input.second);
  return input;
}

}  // namespace k3::test
