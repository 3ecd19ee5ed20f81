#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# gpu_build.sh: builds what tools/gpu_check.sh runs into build-gpu/gpu/, for a host that has a driver
# and libc and nothing else. UPSWEEP_GPU_ARCHS: compute capabilities (default: 90).
source "$(dirname "$0")/common.sh"

configure build-gpu -Dbuildtype=release -Ddefault_library=static -Dcuda=enabled \
  -Dnvcc_archs="${UPSWEEP_GPU_ARCHS:-90}" -Dopenmp=enabled -Dsimt=disabled -Dexamples=disabled \
  -Dbench=auto -Dcpp_link_args='-Wl,-rpath,$ORIGIN'

programs=(tests/cuda/cuda_suite tools/upsweep/upsweep bench/gpu/gpu_bench bench/gpu/gpu_claims)
quiet build-gpu/logs/build ninja -C build-gpu "${programs[@]}"

to=build-gpu/gpu
rm -rf "$to"
mkdir "$to"
for program in "${programs[@]}"; do
  strip -o "$to/$(basename "$program")" "build-gpu/$program"
done
# Libraries that the other host may lack lie beside the programs, which look there first.
ldd "$to"/* | awk '/=> \// && $1 !~ /^lib(c|m|dl|rt|pthread)\.so/ { print $3 }' | sort -u |
  xargs -r cp -t "$to"
git describe --always --dirty > "$to/commit" 2> /dev/null || echo unknown > "$to/commit"
du -sh "$to"
