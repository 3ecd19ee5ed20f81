#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""junit.py [--failed N] FILE...: sums the test cases of JUnit files.

Names the cases that failed, then prints `N passed, N failed, N skipped`. `--failed N` adds failures
that no file tells of, such as a build that broke. Exits with 1 if anything failed.
"""

import argparse
import sys
import xml.etree.ElementTree as ET


def outcome(case):
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    skipped = case.find("skipped") is not None or case.get("status") == "notrun"
    return "skipped" if skipped else "passed"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--failed", type=int, default=0)
    parser.add_argument("files", nargs="*")
    args = parser.parse_args()
    count = {"passed": 0, "failed": args.failed, "skipped": 0}
    for name in args.files:
        # Each case, wherever it stands: the counts that Meson writes at the root are wrong.
        for case in ET.parse(name).iter("testcase"):
            result = outcome(case)
            count[result] += 1
            if result == "failed":
                print(f"FAILED {case.get('classname')}.{case.get('name')} ({name})")
    print(", ".join(f"{n} {result}" for result, n in count.items()))
    return 1 if count["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
