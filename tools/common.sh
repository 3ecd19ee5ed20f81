# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sourced by the scripts beside it, which run in the top folder.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# quiet LOG COMMAND...: the output goes to LOG, and is shown only if the command fails.
quiet() {
  local log=$1
  shift
  mkdir -p "$(dirname "$log")"
  "$@" > "$log" 2>&1 < /dev/null || {
    local status=$?
    tail -n 60 "$log" >&2
    echo "failed: $* (all of it: $log)" >&2
    return $status
  }
}

# configure DIR OPTION...: sets a build folder up, or takes up new options.
configure() {
  local dir=$1
  shift
  local again=
  if [ -f "$dir/build.ninja" ]; then again=--reconfigure; fi
  quiet "$dir/logs/setup" meson setup $again "$dir" "$@"
}

# The build of the quick start and of the tests; one folder for both saves a build.
configure_release() { configure build -Dbuildtype=release -Ddefault_library=both; }
