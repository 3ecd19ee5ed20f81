#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""run.py SOURCE [NAME...]: plants each fault in a copy of the source and demands a failing test.

A TAP line for each: the fault, where it was planted, the test that found it.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from mutants import MUTANTS

TESTS = ["scan", "state", "environment"]
CASES = "600"


def build_and_run(build):
    """The first failing test case, or None; a fault that does not compile raises."""
    targets = [f"tests/property/property_{t}" for t in TESTS]
    subprocess.run(["ninja", "-C", build, *targets], check=True, stdout=subprocess.DEVNULL)
    for target in targets:
        run = subprocess.run([build / target], capture_output=True, text=True, errors="replace",
                             env=os.environ | {"UPSWEEP_CASES": CASES}, timeout=900)
        if run.returncode:
            failed = re.search(r"\[  FAILED  \] ([^\s,]+)", run.stdout)
            return failed[1] if failed else f"{target}, exit {run.returncode}"
    return None


def main():
    source = pathlib.Path(sys.argv[1])
    chosen = [m for m in MUTANTS if len(sys.argv) == 2 or m[0] in sys.argv[2:]]
    with tempfile.TemporaryDirectory() as scratch:
        copy = pathlib.Path(scratch) / "source"
        shutil.copytree(source, copy, ignore=shutil.ignore_patterns("build*", ".git"))
        build = copy / "build"
        subprocess.run(["meson", "setup", build, copy, "-Dbuildtype=debugoptimized",
                        "-Doptimization=1", "-Ddebug=false", "-Dsimd_targets=two",
                        "-Dbench=disabled", "-Dcommand=disabled", "-Dexamples=disabled"],
                       check=True, stdout=subprocess.DEVNULL)
        print(f"1..{len(chosen) + 1}", flush=True)
        found = build_and_run(build)
        print(f"{'not ' if found else ''}ok 1 - no fault: {found or 'every test passes'}", flush=True)
        for number, (name, file, text, replacement) in enumerate(chosen, 2):
            path = copy / file
            original = path.read_text()
            if original.count(text) != 1:
                sys.exit(f"{name}: its text occurs {original.count(text)} times in {file}")
            line = original[:original.index(text)].count("\n") + 1
            path.write_text(original.replace(text, replacement))
            found = build_and_run(build)
            path.write_text(original)
            print(f"{'' if found else 'not '}ok {number} - {name}: {file}:{line}: "
                  f"{'found by ' + found if found else 'NOT FOUND'}", flush=True)


main()
