#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# quickstart.sh: from a bare Debian 12 to the values that README.md shows. Installs what is missing,
# builds into build/, lists the backends, and scans a hundred years of the Nile. Can run again.
source "$(dirname "$0")/common.sh"

tools/bootstrap.sh build
echo 'building into build/ (minutes the first time)'
configure_release
quiet build/logs/quickstart ninja -C build tools/upsweep/upsweep

PATH=$PWD/build/tools/upsweep:$PATH
mkdir -p build/quickstart
cd build/quickstart
ln -sfn ../../examples examples

# show COMMAND: says it, then runs it.
show() {
  echo "\$ $1"
  eval "$1"
}
show 'upsweep list'
show 'upsweep scan examples/data/nile.txt --dtype i32 -o mass-curve.txt --total'
show 'head -n 5 mass-curve.txt'
show 'upsweep scan examples/data/nile.txt --dtype i32 --op maximum -o - | uniq'
