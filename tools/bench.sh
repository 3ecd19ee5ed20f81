#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# bench.sh quick|threads|peers|full [BUILD_DIRECTORY [CASES]]
# Measures, keeps the medians under bench/results/, and writes docs/performance.md. quick: the first
# table alone; threads: teams of 1, 2, 4 ... threads beside copies by as many; peers: every other scan
# and numpy's, by one thread and two. The build directory is made if there is none (default:
# build-bench). CASES limits a full run: 'f32|f64' (default: all).
set -eu
cd "$(dirname "$0")/.."

suite=${1:-}
build=${2:-build-bench}
cases=${3:-.*}
case $suite in
  quick)
    filter='^scan/(f32|f64)/(memcpy|nt_copy|std.inclusive_scan|cpu.openmp)/[12]/(16384|67108864)/'
    repetitions=9
    min_time=0.2
    ;;
  threads)
    filter='^scan/(f32|f64)/(memcpy|nt_copy|cpu.openmp)/[0-9]+/'
    repetitions=3
    min_time=0.05
    ;;
  peers)
    filter='^scan/(f32|f64|i32|i64)/(memcpy|nt_copy|std[.].*|omp.scan|thrust[.].*|cpu.openmp)/[12]/'
    repetitions=3
    min_time=0.02
    ;;
  full)
    filter="^scan/($cases)/"
    repetitions=3
    min_time=0.05
    ;;
  *)
    echo 'usage: tools/bench.sh quick|threads|peers|full [BUILD_DIRECTORY [CASES]]' >&2
    exit 2
    ;;
esac

[ -e "$build/build.ninja" ] || meson setup "$build" -Dbench=enabled -Dtests=disabled \
  -Dcommand=disabled -Dexamples=disabled
meson compile -C "$build" bench/upsweep_bench

commit=$(git describe --always --dirty 2>/dev/null || echo unknown)
raw="$build/$suite.json"
"$build/bench/upsweep_bench" --benchmark_filter="$filter" \
  --benchmark_repetitions=$repetitions --benchmark_min_time=$min_time \
  --benchmark_enable_random_interleaving=true --benchmark_display_aggregates_only=true \
  --benchmark_context=commit="$commit",repetitions=$repetitions,min_time="$min_time s" \
  --benchmark_out="$raw" --benchmark_out_format=json
# Debian's Python has numpy and matplotlib; another one in front of it may not.
[ "$suite" != peers ] || PATH=/usr/bin:$PATH python3 bench/numpy_peer.py "$build/libupsweep.so" "$raw"
PATH=/usr/bin:$PATH python3 bench/report.py condense "$raw" bench/results "$suite"
PATH=/usr/bin:$PATH python3 bench/report.py publish bench/results docs/performance.md
