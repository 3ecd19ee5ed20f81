#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""instruction_sets.py OBJDUMP ARCHIVE: code for AVX and above stays in its target's namespace.

A function outside those namespaces can be merged by the linker with the same function of another
object, and then runs on machines that lack the instructions.
"""
import re
import subprocess
import sys

objdump, archive = sys.argv[1:]
text = subprocess.run([objdump, "-d", "-C", "--no-show-raw-insn", archive],
                      check=True, capture_output=True, text=True).stdout
name, vex, leaks = "", set(), set()
for line in text.splitlines():
    if match := re.match(r"[0-9a-f]+ <(.*)>:$", line):
        name = match[1]
    elif re.search(r"\tv[a-z0-9]+\s", line):  # every VEX and EVEX mnemonic begins with v
        vex.add(name)
        if "::N_AVX" not in name:
            leaks.add(name)
if not vex:
    sys.exit(f"{archive}: no AVX code found, so nothing was checked")
for leak in sorted(leaks):
    print(f"AVX code outside a target's namespace: {leak}")
print(f"{len(vex)} functions with AVX code, {len(leaks)} outside a target's namespace")
sys.exit(1 if leaks else 0)
