#!/usr/bin/env bash
# Executes Mini K3 on 1, 2, 4 and 8 thread ranks and holds the simulator's prediction for this host against it.
# usage: tests/bench/local_accuracy.sh K3RACK OUTPUT.txt [REPEATS]
# In every repeat the host is measured anew between the runs, and the step factor is fitted to the runs on 1 and 4
# ranks of that repeat (half of the points); 2 and 8 ranks are judged, which nothing was fitted to. A line gives the
# median of all executed steps, the least of them (other work on the host only adds), the median of the predictions,
# both ratios predicted / measured, and predicted / median as it would be without the factor.
set -euo pipefail
k3rack=$(realpath "$1") output=$(realpath -m "$2") repeats=${3:-5}
source=$(cd "$(dirname "$0")/../.." && pwd)
scenario=$source/scenarios/demo/mini-8.toml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
for repeat in $(seq "$repeats"); do
  for ranks in 1 2; do
    "$k3rack" run "$scenario" --ranks "$ranks" -o "a$ranks.k3r" --force >/dev/null 2>&1
  done
  "$k3rack" calibrate --local -o tables.toml --force >/dev/null 2>&1
  for ranks in 4 8; do
    "$k3rack" run "$scenario" --ranks "$ranks" -o "a$ranks.k3r" --force >/dev/null 2>&1
  done
  "$k3rack" calibrate --local --tables-from tables.toml --steps-from a1.k3r --steps-from a4.k3r \
    -o t.toml --force --json >c.json 2>/dev/null
  for ranks in 1 2 4 8; do
    "$k3rack" simulate "$scenario" --set machine.preset=local --set machine.calibration=t.toml \
      --set "parallel.ranks=$ranks" --routing-from "a$ranks.k3r" -o b.k3r --force --json >s.json 2>/dev/null
    python3 - "$ranks" >>rows.txt <<'PYTHON'
import json, sqlite3, statistics, sys
simulated = json.load(open("s.json"))
factor = json.load(open("c.json"))["step_factor"]["value"]
largest = ", ".join(f"{k} {v / simulated['step_ms']:.0%}" for k, v in list(simulated["host_ms"].items())[:3])
def step_ms(session, phase):
    rows = sqlite3.connect(session).execute("SELECT duration_ns FROM step WHERE phase = ?", (phase,))
    return [row[0] * 1e-6 for row in rows]
for phase in ("prefill", "decode"):
    measured = " ".join(map(str, step_ms(f"a{sys.argv[1]}.k3r", phase)))
    print(sys.argv[1], phase, measured, statistics.mean(step_ms("b.k3r", phase)), factor, largest, sep="\t")
PYTHON
  done
done
python3 - "$repeats" >"$output.new" <<'PYTHON'
import os, statistics, sys
FITTED = (1, 4)
rows, factors = {}, []
for line in open("rows.txt"):
    ranks, phase, measured, simulated, factor, largest = line.rstrip("\n").split("\t")
    row = rows.setdefault((int(ranks), phase), {"measured": [], "simulated": [], "tables": []})
    row["measured"] += map(float, measured.split())
    row["simulated"].append(float(simulated))
    row["tables"].append(float(simulated) / float(factor))
    row["largest"] = largest if phase == "decode" else ""
    if (ranks, phase) == ("1", "prefill"):
        factors.append(float(factor))
cpu = next(l.split(":", 1)[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name"))
print(f"Mini K3 (scenarios/demo/mini-8.toml) on thread ranks of {cpu}, {len(os.sched_getaffinity(0))} cores,")
print(f"executed against simulated on machine `local`; {sys.argv[1]} repeats, load {os.getloadavg()[0]:.1f} when done")
print("command: tests/bench/local_accuracy.sh K3RACK tests/bench/local_accuracy.txt " + sys.argv[1])
print("measured: all steps, milliseconds; ratio: predicted / measured; /tables: predicted / median without the factor")
print("step factors, one per repeat, fitted to 1 and 4 ranks: " + " ".join(f"{f:.3f}" for f in factors) + "\n")
print(f"{'ranks':>5} {'phase':<8} {'steps':>5} {'median':>8} {'least':>8} {'predicted':>9} {'/median':>8} {'/least':>7}"
      f" {'/tables':>8}  {'use':<13}  where a decode step goes (predicted)")
worst = {"calibrated on": 0.0, "judged": 0.0}
for (ranks, phase), row in sorted(rows.items()):
    median, least = statistics.median(row["measured"]), min(row["measured"])
    predicted = statistics.median(row["simulated"])
    use = "calibrated on" if ranks in FITTED else "judged"
    worst[use] = max(worst[use], abs(predicted / median - 1))
    print(f"{ranks:>5} {phase:<8} {len(row['measured']):>5} {median:>8.1f} {least:>8.1f} {predicted:>9.1f} "
          f"{predicted / median:>8.2f} {predicted / least:>7.2f} {statistics.median(row['tables']) / median:>8.2f}"
          f"  {use:<13}  {row['largest']}")
print()
for use, error in worst.items():
    print(f"largest error against the median, {use}: {error:.0%}")
PYTHON
mv "$output.new" "$output"
cat "$output"
