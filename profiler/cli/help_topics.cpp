#include "profiler/cli/help.h"

namespace k3::cli {

const std::vector<HelpTopic>& help_topics() {
  static const std::vector<HelpTopic> topics{
      {"scenario", "the file that says what to run",
       R"(A scenario is a TOML file, one key per line:

  [model]      preset = "mini"            or config = FILE, checkpoint = DIR
  [machine]    preset = "gb300-nvl72"     or file = FILE (needed by simulate); preset = "local" is this
               computer as calibration = FILE describes it
               faults = ["gpu3:plane7=0.5", "plane4=0", "gpu5.compute=0.8", "gpu9=gone", "tray2=gone"]
  [parallel]   ranks = 72
  [workload]   phase = "decode", sequences_per_rank = 64, context = "128 Ki", steps = 3
               (prefill: tokens_per_rank)
  [routing]    source = "lognormal", sigma = 0.3, seed = 1
               uniform | zipf (exponent) | lognormal (sigma) | file (file = loads.json)
               | recorded (session = S.k3r)
  [placement]  policy = "contiguous"      or "file" (file = P.json)
  [dispatch]   dedup = true
  [combine]    reduce = "rank"            or "none"
  [precision]  mode = "serving"           or "float32"; single keys override
  [execution]  overlap = "shared-expert"  or "none"; graph = true
  [simulation] network = "exact"          or "endpoint"; links = "totals", "none", "layers" or
               "samples": what a session keeps of link use (not on machine local)

Sequence s belongs to rank s mod ranks; context counts the tokens in the cache before the first
step. Ranks, layers and experts are 0-based. Any key can be overridden: --set parallel.ranks=64.
Paths are looked up beside the file that names them, then in the data folders (--data DIR,
$XDG_DATA_HOME/k3rack, the installation, the source tree). `k3rack presets` lists what ships.
)"},
      {"units", "how quantities are written and printed",
       R"(Quantities in files and options carry their unit: "900 GB/s", "1.5 us", "128 Ki", "16 GiB".
Bandwidth is decimal (1 GB/s = 1e9 B/s), memory binary (1 GiB = 2^30 B), Ki = 1024, Mi = 1024 Ki.
Times are ns, us, ms, s. FLOPs count a multiply-add as two.

A copy is one (token, expert) choice; a row is what is moved. With dispatch.dedup a token that chose
several experts of one rank is one row and several copies. Matrices are source x destination and
include source = destination, which no link carries. Row bytes of K3's latent (3584 values): bf16
7168, fp8 and mxfp8 3696, nvfp4 2016; expert ids and weights (8 B per copy) are counted apart.
)"},
      {"placement", "which rank holds which expert",
       R"(policy = "contiguous": with E experts on R ranks the first E mod R ranks own one expert more.
policy = "file": JSON with layers[i].slot_to_expert (-1 = empty), slot_rank (ascending) and share
(sums to 1 per expert). A copy goes to the replica that u = splitmix64(sequence, position, layer,
expert) / 2^64 falls on in the cumulative share, in slot order: executor and simulator agree.
)"},
      {"calibration", "this computer as machine `local`",
       R"(`k3rack calibrate --local -o T.toml` measures this computer in some 15 s: single operators of the
executor's backend at several shapes, memory, threads and their communicator. It never runs a step
of a model. Every table in T.toml has a unit, a source, a date and the spread of its repeats.

  k3rack run SCENARIO --ranks 8 -o a.k3r
  k3rack simulate SCENARIO --set machine.preset=local --set machine.calibration=T.toml
                  --set parallel.ranks=8 --routing-from a.k3r -o b.k3r
  k3rack compare a.k3r b.k3r

Ranks are threads; more ranks than cores share them. Inside a table's range values are interpolated in
logarithms, beyond it the rate of the edge is kept. `simulate` says what threads and cores spend the step on.
Measure on a computer that does nothing else, and again after a new build of K3Rack.

What micro-benchmarks cannot see (caches cold between tasks, first touches of buffers, the host's
changing clock) goes into one step factor: time of a step over the sum of its micro-benchmarked
parts. It is fitted only on request, to complete runs of this computer:

  k3rack calibrate --local --steps-from a1.k3r --steps-from a4.k3r -o T.toml
  k3rack calibrate --local --tables-from T0.toml --steps-from a.k3r -o T.toml   (nothing measured)

Each session's steps are simulated on the tables with its own expert choices; a point is a phase of
a session, median measured / predicted, and the factor is the geometric mean of all points. T.toml
keeps it in [step_factor] with the range of the points and what was fitted, and every time of a
simulated step is multiplied by it. `simulate` says "fitted factor 1.13 from 4 points", or that
none was. Judge a prediction on runs that were not fitted.
)"},
      {"comparing", "how two sessions are joined",
       R"(`k3rack compare A B` takes A as measured and B as simulated. Plans with equal hashes are joined task
by task: the i-th step of a plan in A with the i-th step of the same plan in B, (step, task id).
Otherwise times are joined by phase, kind, layer and stage, and the output says so.

A time in a row is the mean over steps and ranks of that kind's tasks in that layer, waiting apart
from moving. The ratio is simulated / measured. Balance is max / mean tokens per rank, mean over MoE
layers. --fail-above 5% ends with exit code 3 when the step time differs by more.
)"},
  };
  return topics;
}

}  // namespace k3::cli
