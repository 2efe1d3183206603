#!/usr/bin/env bash
# Executes Mini K3 on 1, 2, 4 and 8 thread ranks and holds the simulator's prediction for this host against it.
# usage: tests/bench/local_accuracy.sh K3RACK OUTPUT.txt [REPEATS]
# The host is calibrated anew for every repeat, between the runs. Nothing is fitted to a step. A line gives the
# median of all executed steps, the least of them (other work on the host only adds), the median of the
# predictions, and both ratios predicted / measured.
set -euo pipefail
k3rack=$(realpath "$1") output=$(realpath -m "$2") repeats=${3:-5}
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
    return [row[0] * 1e-6 for row in rows]
for phase in ("prefill", "decode"):
    measured = " ".join(map(str, step_ms("a.k3r", phase)))
    print(sys.argv[1], phase, measured, statistics.mean(step_ms("b.k3r", phase)), largest, sep="\t")
PYTHON
  done
done
python3 - "$repeats" >"$output.new" <<'PYTHON'
import os, statistics, sys
rows = {}
for line in open("rows.txt"):
    ranks, phase, measured, simulated, largest = line.rstrip("\n").split("\t")
    row = rows.setdefault((int(ranks), phase), {"measured": [], "simulated": []})
    row["measured"] += map(float, measured.split())
    row["simulated"].append(float(simulated))
    row["largest"] = largest if phase == "decode" else ""
cpu = next(l.split(":", 1)[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name"))
print(f"Mini K3 (scenarios/demo/mini-8.toml) on thread ranks of {cpu}, {len(os.sched_getaffinity(0))} cores,")
print(f"executed against simulated on machine `local`; {sys.argv[1]} repeats, load {os.getloadavg()[0]:.1f} when done")
print("command: tests/bench/local_accuracy.sh K3RACK tests/bench/local_accuracy.txt " + sys.argv[1])
print("measured: all steps, milliseconds; ratio: predicted / measured\n")
print(f"{'ranks':>5} {'phase':<8} {'steps':>5} {'median':>8} {'least':>8} {'predicted':>9} {'/median':>8} {'/least':>7}"
      "  where a decode step goes (predicted)")
for (ranks, phase), row in sorted(rows.items()):
    median, least = statistics.median(row["measured"]), min(row["measured"])
    predicted = statistics.median(row["simulated"])
    print(f"{ranks:>5} {phase:<8} {len(row['measured']):>5} {median:>8.1f} {least:>8.1f} {predicted:>9.1f} "
          f"{predicted / median:>8.2f} {predicted / least:>7.2f}  {row['largest']}")
PYTHON
mv "$output.new" "$output"
cat "$output"
