#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""run.py SNIPPET INCLUDE_DIR COMPILER...: compiles one snippet and checks what the compiler says.

Each line `// expect: TEXT` of the snippet must appear in an error of the compiler; a snippet without
one must compile.
"""

import re
import subprocess
import sys


def main() -> int:
    snippet, include_dir, *compiler = sys.argv[1:]
    with open(snippet, encoding="utf-8") as f:
        expected = re.findall(r"^// expect: (.+)$", f.read(), re.MULTILINE)
    command = [*compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror",
               "-I", include_dir, snippet]
    compiled = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    # Not the carets and quoted source lines: those are our own words, no diagnostics.
    errors = "\n".join(line for line in compiled.stderr.splitlines()
                       if re.search(r":\d+:\d+:  *(error:|note:|required)", line))
    if not expected:
        print(compiled.stderr, end="")
        return compiled.returncode
    if compiled.returncode == 0:
        print(f"{snippet} compiles, but should be refused with: {expected}")
        return 1
    missing = [text for text in expected if text not in errors]
    for text in missing:
        print(f"{snippet}: no diagnostic says: {text}\n{compiled.stderr}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
