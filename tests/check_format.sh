#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# check_format.sh CLANG_FORMAT SOURCE_ROOT: fails where a C or C++ file is not as .clang-format has it.
set -eu
cd "$2"
find src backends tests tools bench examples \
  \( -name '*.cpp' -o -name '*.hpp' -o -name '*.h' -o -name '*.c' -o -name '*.cu' -o -name '*.cuh' \) \
  -exec "$1" --dry-run --Werror {} +
