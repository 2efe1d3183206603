#!/usr/bin/env bash
# Frames of the timeline at several zooms, opening, sums over a range: a session with many spans.
# usage: tests/bench/timeline.sh BUILD_FOLDER OUTPUT.txt [MILLIONS_OF_SPANS]
# BUILD_FOLDER/tests/bench/timeline_bench must have been built (target timeline_bench).
set -euo pipefail
build=$(realpath "$1") output=$2 millions=${3:-10}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
{
  echo "Timeline on $(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2- | xargs), $(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg) at the begin"
  echo "command: tests/bench/timeline.sh BUILD_FOLDER tests/bench/timeline.txt $millions"
  echo
  "$build/tests/bench/timeline_bench" "$millions" "$work/bench.k3r"
} | tee "$output"
