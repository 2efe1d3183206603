#!/usr/bin/env bash
# Times of the session store and of the model behind the timeline (store_bench.cpp).
# usage: tests/bench/store.sh BUILD_FOLDER OUTPUT.txt [SPANS]
# Needs the target store_bench, and about 1.2 GB in $TMPDIR for 10 million spans. Times of reading are the least of
# three or five runs; writing is one run between two runs of the bare insert.
set -euo pipefail
build=$(realpath "$1") output=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
{
  echo "Session store on $(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2- | xargs), $(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg) at the begin"
  echo "command: tests/bench/store.sh BUILD_FOLDER tests/bench/store.txt${3:+ $3}"
  echo
  "$build/tests/bench/store_bench" "$work" ${3:+"$3"}
} | tee "$output.new"
mv "$output.new" "$output"
