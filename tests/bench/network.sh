#!/usr/bin/env bash
# Times of the network model: one all-to-all, steps of the full model, and the solver beside SimGrid.
# usage: tests/bench/network.sh BUILD_FOLDER OUTPUT.txt
# BUILD_FOLDER/tests/bench/simgrid_bench is used where it has been built (target simgrid_bench, needs SimGrid).
# Every time is the least of three runs; all times are those that the programs report of their solvers.
set -euo pipefail
build=$(realpath "$1") output=$2
k3rack=$build/profiler/cli/k3rack
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

matrix() {  # RANKS FILE: every pair another size, log-normal
  python3 - "$1" >"$2" <<'PYTHON'
import random, sys
random.seed(1)
ranks = int(sys.argv[1])
for source in range(ranks):
    print(",".join("0" if source == d else str(int(random.lognormvariate(11, 1))) for d in range(ranks)))
PYTHON
}

least() {  # RUNS COMMAND…: the document with the least wall_s, on one line
  local runs=$1
  shift
  for _ in $(seq "$runs"); do "$@" --json 2>/dev/null | python3 -c 'import json,sys; print(json.dumps(json.load(sys.stdin)))'; done |
    python3 -c 'import json,sys; print(json.dumps(min(map(json.loads, sys.stdin), key=lambda d: d["wall_s"])))'
}

show() {  # FORMAT (a Python f-string over d)
  python3 -c "import json,sys; d=json.load(sys.stdin); print(f'''$1''')"
}

{
  echo "Network model on $(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2- | xargs), $(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg) at the begin"
  echo "command: tests/bench/network.sh BUILD_FOLDER tests/bench/network.txt"
  echo
  matrix 72 "$work/72.csv"
  faults=()
  for plane in $(seq 0 17); do faults+=(--fault "gpu$((4 * plane)):plane$plane=0.$((10 + 4 * plane))"); done
  least 3 "$k3rack" alltoall gb300-nvl72 "$work/72.csv" | show '72 ranks, all sizes different:              {d["subflows"]:>7,} sub-flows, {d["events"]:>7,} events  {d["wall_s"]*1e3:9.1f} ms'
  least 3 "$k3rack" alltoall gb300-nvl72 "$work/72.csv" "${faults[@]}" | show 'the same, 18 links with 18 different faults: {d["subflows"]:>7,} sub-flows, {d["events"]:>7,} events  {d["wall_s"]*1e3:9.1f} ms'
  for network in exact endpoint; do
    least 3 "$k3rack" simulate "$source/scenarios/nvl72/k3-decode-72.toml" --set workload.steps=1 --network $network |
      show 'step of K3, decode, 72 ranks, {d["network"]}: {d["tasks"]:,} tasks, {d["flows"]:,} flows  {d["wall_s"]*1e3:9.1f} ms'
  done
  if [ "${K3_BENCH_576:-1}" = 1 ]; then
    # One NVLink domain of 576 GPUs, as large as NVLink 5 allows; minutes.
    sed 's/^gpus = { value = 72,/gpus = { value = 576,/; s/^name = "gb300-nvl72"/name = "nvl576"/' \
      "$source/data/hardware/gb300-nvl72.toml" >"$work/nvl576.toml"
    matrix 576 "$work/576.csv"
    python3 - "$k3rack" "$work/nvl576.toml" "$work/576.csv" <<'PYTHON'
import json, resource, subprocess, sys
run = subprocess.run([sys.argv[1], "alltoall", sys.argv[2], sys.argv[3], "--json"], capture_output=True, check=True)
d = json.loads(run.stdout)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
print(f'576 ranks in one domain, all sizes different: {d["flows"]:,} flows, {d["subflows"]:,} sub-flows, '
      f'{d["events"]:,} events  {d["wall_s"]:.1f} s, {peak:.0f} MiB')
PYTHON
  fi
  bench=$build/tests/bench/simgrid_bench
  if [ -x "$bench" ]; then
    echo
    echo "solve_flows beside SimGrid 3.32 in one run (solver: least of 7; SimGrid: one run, without its set-up)"
    echo "72 ranks, all sizes different, 900 GB/s per rank: $("$bench" "$work/72.csv" agg)"
    echo "the same, hashed over 18 planes:                  $("$bench" "$work/72.csv" hash)"
    for name in k3_zipf08_dispatch uniform_64KiB zipf1_dst; do
      [ -f "$source/../shared/oracle/flow/$name.bytes.csv" ] || continue
      for mode in agg hash; do
        printf '%-19s %-4s %s\n' "$name" "$mode" "$("$bench" "$source/../shared/oracle/flow/$name.bytes.csv" "$mode")"
      done
    done
  fi
} | tee "$output.new"
mv "$output.new" "$output"
