#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# bootstrap.sh [build|full]: installs the Debian packages that upsweep needs. With `build`, only those
# that the library and the command need; else those of tests, benchmarks and checks too; with `full`,
# also the cross compiler and the emulator of `test.sh --full`.
set -eu

# dpkg-dev tells Meson where Debian has its libraries.
build="g++ meson ninja-build pkg-config dpkg-dev libhwy-dev libcli11-dev libfmt-dev
  libboost-context-dev"
# Tests; sanitisers, fuzzing and TSan through OpenMP (clang, its run-time libraries, Archer); consumers;
# numpy as a second opinion; benchmarks with their peers and charts; style.
more="libgtest-dev librapidcheck-dev
  clang libclang-rt-dev libomp-dev llvm
  cmake python3-numpy time
  libbenchmark-dev libtbb-dev libthrust-dev python3-matplotlib
  clang-format clang-tidy"

case "${1-}" in
  build) wanted=$build ;;
  '') wanted="$build $more" ;;
  full) wanted="$build $more g++-aarch64-linux-gnu qemu-user" ;;
  *) echo "usage: tools/bootstrap.sh [build|full]" >&2 && exit 2 ;;
esac

if ! command -v apt-get > /dev/null; then
  echo "bootstrap.sh: no apt-get here; install what docs/building.md lists" >&2
  exit 0
fi

missing=
for package in $wanted; do
  case "$(dpkg-query --show --showformat='${Status}' "$package" 2> /dev/null)" in
    *' installed') ;;
    *) missing="$missing $package" ;;
  esac
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo > /dev/null || {
    echo "bootstrap.sh: run as root, or install sudo; missing:$missing" >&2
    exit 1
  }
  as_root=sudo
fi

echo "installing:$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt_get() {
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 "$@" > "$log" 2>&1 || {
    cat "$log" >&2
    exit 1
  }
}
apt_get update
# shellcheck disable=SC2086  # a list of words
apt_get install --yes --no-install-recommends $missing
