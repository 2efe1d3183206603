#!/usr/bin/env bash
# Executes Mini K3 on 1, 2, 4 and 8 thread ranks and holds the simulator's prediction for this host against it.
# usage: tests/bench/local_accuracy.sh K3RACK OUTPUT.txt [REPEATS]
# The host is calibrated anew for every repeat, between the runs; a line gives medians over the repeats: of the
# prefill step, and of the median decode step of each run. Nothing is fitted to a step.
set -euo pipefail
k3rack=$1 output=$2 repeats=${3:-5}
source=$(cd "$(dirname "$0")/../.." && pwd)
scenario=$source/scenarios/demo/mini-8.toml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
for repeat in $(seq "$repeats"); do
  "$k3rack" calibrate --local -o "t$repeat.toml" >/dev/null 2>&1
  for ranks in 1 2 4 8; do
    "$k3rack" run "$scenario" --ranks "$ranks" -o a.k3r --force >/dev/null 2>&1
    "$k3rack" simulate "$scenario" --set machine.preset=local --set "machine.calibration=t$repeat.toml" \
      --set "parallel.ranks=$ranks" --routing-from a.k3r -o b.k3r --force --json >s.json 2>/dev/null
    python3 - "$ranks" >>rows.txt <<'PYTHON'
import json, sqlite3, statistics, sys
simulated = json.load(open("s.json"))
largest = ", ".join(f"{k} {v / simulated['step_ms']:.0%}" for k, v in list(simulated["host_ms"].items())[:3])
def step_ms(session, phase):
    rows = sqlite3.connect(session).execute("SELECT duration_ns FROM step WHERE phase = ?", (phase,))
    return statistics.median(row[0] * 1e-6 for row in rows)
for phase in ("prefill", "decode"):
    print(sys.argv[1], phase, step_ms("a.k3r", phase), step_ms("b.k3r", phase), largest, sep="\t")
PYTHON
  done
done
python3 - "$repeats" >"$output.new" <<'PYTHON'
import statistics, sys
rows = {}
for line in open("rows.txt"):
    ranks, phase, measured, simulated, largest = line.rstrip("\n").split("\t")
    rows.setdefault((int(ranks), phase), []).append((float(measured), float(simulated), largest))
cpu = next(l.split(":", 1)[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name"))
import os
print(f"Mini K3 (scenarios/demo/mini-8.toml) on thread ranks of {cpu}, {len(os.sched_getaffinity(0))} cores:")
print(f"executed against simulated on machine `local`, medians of {sys.argv[1]} repeats (range of measured)")
print("command: tests/bench/local_accuracy.sh K3RACK tests/bench/local_accuracy.txt " + sys.argv[1] + "\n")
print(f"{'ranks':>5} {'phase':<8} {'measured/ms':>11} {'range/ms':>15} {'predicted/ms':>12} {'ratio':>6}  where a decode step goes (predicted)")
for (ranks, phase), samples in sorted(rows.items()):
    measured = statistics.median(m for m, _, _ in samples)
    simulated = statistics.median(s for _, s, _ in samples)
    spread = f"{min(m for m, _, _ in samples):.1f}-{max(m for m, _, _ in samples):.1f}"
    print(f"{ranks:>5} {phase:<8} {measured:>11.1f} {spread:>15} {simulated:>12.1f} {simulated / measured:>6.2f}  {samples[-1][2] if phase == 'decode' else ''}")
PYTHON
mv "$output.new" "$output"
cat "$output"
