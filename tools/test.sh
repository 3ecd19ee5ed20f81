#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# test.sh [--full]: builds and runs the tests that every commit must pass: in a release build, under
# ASan and UBSan, under TSan, and the fuzz targets for half a minute each. --full adds the long runs:
# ten times the random cases, ten minutes of fuzzing, other build options, 64-bit ARM by emulation,
# clang-tidy. Can run again.
# UPSWEEP_CASES=N: so many random cases in each property test instead.
source "$(dirname "$0")/common.sh"

full=
case "${1-}" in
  '') ;;
  --full) full=yes ;;
  *) echo 'usage: tools/test.sh [--full]' >&2 && exit 2 ;;
esac

results=()  # JUnit files
broken=0    # failures that no result file tells of

# The last line is the sum, also where a build breaks.
finish() {
  local status=$?
  [ "$status" -eq 0 ] || broken=$((broken + 1))
  tools/junit.py --failed "$broken" "${results[@]}"
  exit
}
trap finish EXIT

# run_tests NAME DIR ARGUMENT...: builds what the tests need and runs them.
run_tests() {
  local name=$1 dir=$2 began=$SECONDS sum='no result' passed=yes counted=
  shift 2
  local result=$dir/meson-logs/$name.junit.xml
  rm -f "$result"
  quiet "$dir/logs/$name" \
    meson test -C "$dir" --logbase "$name" --print-errorlogs "$@" || passed=
  if [ -f "$result" ]; then
    results+=("$result")
    sum=$(tools/junit.py "$result" | tail -n 1) || counted=yes
  fi
  if [ -z "$passed" ] && [ -z "$counted" ]; then broken=$((broken + 1)); fi
  echo "$name: $sum ($((SECONDS - began)) s)"
}

# Checks of the source itself and of the installed copy need no second build.
once=(--no-suite headers --no-suite compile_fail --no-suite consumers --no-suite style
  --no-suite conformance)
fuzz_seconds=30
clang_simt=disabled
if [ "$full" ]; then
  export UPSWEEP_CASES_TIMES=10
  fuzz_seconds=600
  clang_simt=enabled
fi
# Optimised less, since the SIMD kernels take minutes to instrument otherwise.
# Reports show lines; a debugger's variables cost compile time.
sanitised=(-Dbuildtype=debugoptimized -Doptimization=1 -Dsimd_targets=two -Dsimt_kernels=few
  -Dbench=disabled -Dc_args=-gline-tables-only -Dcpp_args=-gline-tables-only)

tools/bootstrap.sh ${full:+full}

configure_release
quiet build/logs/build ninja -C build
run_tests release build
grep -h '^ok [0-9]* - .*hpp:' build/meson-logs/release.txt | cut -c1-150 || true  # faults in kernels

# clang instruments the SIMD kernels in half of g++'s time.
CC=clang CXX=clang++ configure build-asan "${sanitised[@]}" -Db_sanitize=address,undefined \
  -Db_lundef=false -Dfuzz=disabled -Dwerror=true
UPSWEEP_BITS_N=300019 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
  LSAN_OPTIONS=suppressions=$PWD/tools/lsan.supp:print_suppressions=0 \
  run_tests asan build-asan "${once[@]}"

# g++'s OpenMP run-time library gives false reports; clang's tells TSan of its barriers, by Archer.
CC=clang CXX=clang++ configure build-tsan "${sanitised[@]}" -Db_sanitize=thread -Db_lundef=false \
  -Dfuzz=disabled -Dwerror=true
OMP_TOOL_LIBRARIES=$(llvm-config --libdir)/libarcher.so \
  TSAN_OPTIONS=ignore_noninstrumented_modules=1:halt_on_error=1 \
  run_tests tsan build-tsan "${once[@]}" --no-suite command --no-suite conformance --no-suite examples

# The fuzz targets are instrumented by themselves, whatever the rest of the build is, and run no
# scan on fibers; --full runs the other tests of this build too.
CC=clang CXX=clang++ configure build-clang -Dfuzz=enabled -Dbench=disabled -Dcuda=disabled \
  -Dsimt=$clang_simt -Dwerror=true
run_tests fuzz build-clang --suite fuzz --timeout-multiplier 0 \
  --test-args="-max_total_time=$fuzz_seconds"

if [ -z "$full" ]; then exit; fi

run_tests long build --suite large --suite long

# other NAME OPTION...: the tests in a build with other options.
other() {
  configure "build-$1" -Dbench=disabled -Dcuda=disabled "${@:2}"
  run_tests "$1" "build-$1" "${once[@]}"
}
run_tests clang build-clang "${once[@]}" --no-suite fuzz
other no-openmp -Dopenmp=disabled
other static -Ddefault_library=static
other unity --unity=on

# NEON. What the cross compiler does not find is built from the wraps; emulation leaves time for few cases.
configure build-aarch64 --cross-file tools/aarch64.ini --wrap-mode=forcefallback -Dcuda=disabled \
  -Dsimt=disabled -Dbench=disabled -Dcommand=disabled -Dexamples=disabled
UPSWEEP_CASES=2000 UPSWEEP_CASES_TIMES=1 run_tests aarch64 build-aarch64 --suite unit --suite property

# Not the SIMD files, which include themselves once a target.
quiet build-clang/logs/tidy run-clang-tidy -quiet -p build-clang \
  '/(src|backends|tools)/([a-z_]+/)*(?!simd)[a-z_]+\.cpp$'
