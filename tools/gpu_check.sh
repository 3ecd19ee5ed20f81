#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# gpu_check.sh --part build|suite|bits|sanitize|bench: build makes the programs; the others run them on the
# GPU of this host, with nothing but a driver (sanitize: and compute-sanitizer; bits: and sha256sum), and end
# with a table.
# UPSWEEP_CASES=N: so many random cases in each property test of a backend (default: 3,000, and 20
# under compute-sanitizer). Logs: build-gpu/gpu-logs/, or UPSWEEP_GPU_LOGS.
source "$(dirname "$0")/common.sh"

at=build-gpu/gpu
logs=${UPSWEEP_GPU_LOGS:-build-gpu/gpu-logs}
mkdir -p "$logs"

backends() { "$at/upsweep" list | awk '$1 ~ /^cuda\./ && $5 == "yes" { print $1 }'; }
own() { backends | grep -v -e cub -e thrust; }

# row NAME LOG SECONDS: a line of the table, from what GoogleTest printed.
row() {
  local passed failed skipped
  passed=$(grep -c '^\[       OK \]' "$2" || true)
  failed=$(grep -c '^\[  FAILED  \].*(.* ms)$' "$2" || true)
  skipped=$(grep -c '^\[  SKIPPED \].*(.* ms)$' "$2" || true)
  grep -q '^\[  PASSED  \]' "$2" || failed="$failed+"  # it never came to its end
  printf '%-28s %6s passed %4s failed %4s skipped  %s  %4s s\n' "$1" "$passed" "$failed" "$skipped" \
    "$(sed -n 's/^  cases:.* run \([0-9]*\);.*/random cases \1/p' "$2" | tail -n 1)" "$3"
}

# tests NAME FILTER COMMAND...: runs the tests of a filter into the log NAME.
tests() {
  local name=$1 filter=$2 began=$SECONDS status=0
  shift 2
  timeout 450 "$@" "$at/cuda_suite" --gtest_filter="$filter" > "$logs/$name.log" 2>&1 || status=$?
  row "$name" "$logs/$name.log" $((SECONDS - began)) > "$logs/$name.row"
  return $status
}

# in_turn JOBS: runs the lines of standard input, so many at once.
in_turn() {
  local failed=0
  while read -r -a line; do
    while [ "$(jobs -rp | wc -l)" -ge "$1" ]; do wait -n || failed=1; done
    "${line[@]}" &
  done
  while [ -n "$(jobs -rp)" ]; do wait -n || failed=1; done
  return $failed
}

# table: all rows, and the exit status.
finish() {
  cat "$logs"/*.row
  ! command -v nvidia-smi > /dev/null || nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
  exit "$1"
}

suite() {
  local status=0
  export UPSWEEP_CASES=${UPSWEEP_CASES:-3000}
  # What looks at the clock or fills the GPU runs alone; random cases wait for their oracle mostly.
  tests host_side 'host_side*:probe.*:cases.*' || status=1
  tests endurance 'endurance.*:endurance_at_length.*' || status=1
  {
    backends | sed 's/cuda\.\(.*\)/tests \1 scans.*cuda_\1:surroundings.*cuda_\1:device_memory*cuda_\1/'
    echo 'tests states states.*cuda_single_pass:crossing.*cuda_single_pass'
    # Each kernel of the production scan whatever the length, and one block in all.
    for how in shape=tiles shape=supers shape=supers,blocks=1 shape=ring shape=ring,blocks=1 shape=ring,stages=2; do
      echo "tests single_pass.$how scans.equal*cuda_single_pass:device_memory*cuda_single_pass env UPSWEEP_SINGLE_PASS=$how"
    done
  } | in_turn 6 || status=1
  finish $status
}

# What proves the production scan: long runs alone on the GPU, then its bits, every type by itself.
bits() {
  local status=0
  tests endurance_of_production 'endurance_of_production.*' || status=1
  tests bits_beside_other_work 'bits_beside_other_work.*' || status=1
  for kind in f64 c64 affine_f32 f32 f16 bf16; do
    echo "tests bits.$kind bits.*/$kind"
  done | in_turn 6 || status=1
  grep -h sha256 "$logs"/bits.*.log || status=1
  finish $status
}

sanitize() {
  export UPSWEEP_CASES=${UPSWEEP_CASES:-20} UPSWEEP_MAX_LENGTH=${UPSWEEP_MAX_LENGTH:-20000}
  local status=0
  for tool in memcheck racecheck initcheck synccheck; do
    own | sed "s/cuda\.\(.*\)/tests $tool.\1 device_memory*cuda_\1 compute-sanitizer --tool $tool --error-exitcode 9/"
    for how in shape=tiles shape=supers shape=ring shape=ring,blocks=1,stages=2; do
      echo "tests $tool.single_pass.$how device_memory*cuda_single_pass env UPSWEEP_SINGLE_PASS=$how" \
        "compute-sanitizer --tool $tool --error-exitcode 9"
    done
  done | in_turn 8 || status=1
  for tool in memcheck racecheck initcheck synccheck; do
    echo "$tool: $(cat "$logs/$tool".*.log | grep -c -e 'ERROR SUMMARY: 0 errors' -e 'RACECHECK SUMMARY: 0 hazards') of" \
      "$(ls "$logs/$tool".*.log | wc -l) without an error"
  done
  finish $status
}

# profile NAME N: what a profiler counts in each kernel of one run of a claims' entry.
profile() {
  local log=$logs/profile.log
  if ! ncu --clock-control none --csv --page raw --metrics "$(
    IFS=,
    echo "gpu__time_duration.sum dram__bytes_read.sum dram__bytes_write.sum \
      l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum \
      smsp__thread_inst_executed_pred_on_per_inst_executed.ratio" | tr -s ' ' ,
  )" "$at/gpu_claims" --run "$1" "$2" > "$log" 2>&1 || ! grep -q '^"' "$log"; then
    echo "profile of '$1' failed:" >&2
    tail -n 5 "$log" >&2
    return 1
  fi
  sed -n "s/^\"/\"$1\",\"$2\",\"/p" "$log" >> "$logs/profile.csv"
}

bench() {
  local status=0 context
  context="\"commit\": \"$(cat "$at/commit")\", \"date\": \"$(date -u +%Y-%m-%dT%H:%M:%SZ)\", \"driver\": \"$(
    nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -n 1
  )\""
  timeout 330 "$at/gpu_bench" "$context" > "$logs/scans.json" || status=1
  timeout 120 "$at/gpu_claims" "$context" > "$logs/claims.json" || status=1
  : > "$logs/profile.csv"
  for scan in kogge_stone hillis_steele brent_kung warp_shuffle 'blelloch direct' 'blelloch padded' \
    'blelloch swizzled'; do
    profile "block $scan" 1024 || status=1
  done
  for scan in three_pass chained decoupled_lookback; do profile "$scan" $((1 << 26)) || status=1; done
  bench/gpu_report.py show "$logs"
  exit $status
}

case "${1-} ${2-}" in
  '--part build') exec tools/gpu_build.sh ;;
  '--part suite') suite ;;
  '--part bits') bits ;;
  '--part sanitize') sanitize ;;
  '--part bench') bench ;;
  *) echo 'usage: tools/gpu_check.sh --part build|suite|bits|sanitize|bench' >&2 && exit 2 ;;
esac
