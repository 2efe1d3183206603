#!/usr/bin/env bash
# How fast sessions are exported, beside what reading their spans alone takes.
# usage: tests/bench/export.sh BUILD_FOLDER OUTPUT.txt [STEPS]
# The session is K3's decode on 72 ranks, simulated for STEPS steps (default 20: 2.2 million spans). Times are those of
# the whole program, the least of three; peak is its largest resident memory.
set -euo pipefail
build=$(realpath "$1") output=$2 steps=${3:-20}
k3rack=$build/profiler/cli/k3rack
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$k3rack" simulate "$source/scenarios/nvl72/k3-decode-72.toml" --network endpoint --set "workload.steps=$steps" \
  -o "$work/s.k3r" >/dev/null 2>&1
"$k3rack" simulate "$source/scenarios/nvl72/k3-decode-72.toml" --network endpoint --set workload.steps=2 \
  -o "$work/short.k3r" >/dev/null 2>&1

{
  echo "Export on $(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2- | xargs), $(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg) at the begin"
  echo "command: tests/bench/export.sh BUILD_FOLDER tests/bench/export.txt $steps"
  python3 - "$k3rack" "$work" <<'PYTHON'
import os, sqlite3, subprocess, sys, time
k3rack, work = sys.argv[1:]
spans = sqlite3.connect(f"{work}/s.k3r").execute("SELECT count(*) FROM span").fetchone()[0]
print(f"{spans:,} spans, session of {os.path.getsize(work + '/s.k3r') / 1e6:.0f} MB\n")

def timed(words):
    """Seconds (least of three) and peak MiB of a command, which a child of ours waits for."""
    best, peak = 1e9, 0
    for _ in range(3):
        subprocess.run(["rm", "-rf", f"{work}/out.pftrace", f"{work}/out.json", f"{work}/out.json.gz", f"{work}/out"])
        begin = time.perf_counter()
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        assert status == 0, words
        best = min(best, time.perf_counter() - begin)
        peak = max(peak, usage.ru_maxrss / 1024)
    return best, peak

def size(path):
    if os.path.isfile(path):
        return os.path.getsize(path)
    return sum(os.path.getsize(f"{path}/{name}") for name in os.listdir(path))

columns = "sum(lane_id + depth + step + task_id + layer + name_id + begin_ns + duration_ns + flops + bytes) + count(category)"
seconds, peak = timed([k3rack, "inspect", f"{work}/s.k3r", "--sql", f"SELECT {columns} FROM span"])
print(f"bound: SQLite reads every column of the spans  {seconds:6.2f} s  {spans / seconds / 1e6:5.2f} M spans/s")
for name, file in ("Perfetto", "out.pftrace"), ("Chrome JSON", "out.json"), ("Chrome JSON, gzip", "out.json.gz"), ("CSV, all tables", "out"):
    seconds, peak = timed([k3rack, "export", f"{work}/s.k3r", "-o", f"{work}/{file}"])
    bytes_ = size(f"{work}/{file}")
    _, short = timed([k3rack, "export", f"{work}/short.k3r", "-o", f"{work}/{file}"])
    print(f"{name:46} {seconds:6.2f} s  {spans / seconds / 1e6:5.2f} M spans/s  {bytes_ / seconds / 1e6:6.0f} MB/s  "
          f"{bytes_ / 1e6:6.0f} MB  peak {peak:.0f} MiB (2 steps: {short:.0f} MiB)")
PYTHON
} | tee "$output.new"
mv "$output.new" "$output"
