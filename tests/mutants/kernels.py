#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""kernels.py SOURCE COMPILER... -- LIBRARY...: plants each fault in a copy of the kernels and demands
that the checked engine finds it, with the right message. COMPILER is a command line without input and
output. A TAP line for each: the fault, where it was planted, what found it.
"""
import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

KERNELS = "backends/kernels/"
SMALL = "tests/mutants/small_kernels.hpp"
LOOK_BACK = KERNELS + "look_back.hpp"
CHAINED = "check<textbooks::chained>"
LOOK = "check<textbooks::decoupled_lookback>"

# (fault, file, text that occurs once, its replacement, what to check, the message that finds it)
FAULTS = [
    ("missing middle barrier in Kogge-Stone", KERNELS + "block/kogge_stone.hpp",
     "if (i >= d) left = x_[i - d];\n      sync_block();", "if (i >= d) left = x_[i - d];",
     "check<textbooks::kogge_stone>", r"race: thread .* shared memory at .*kogge_stone.hpp"),
    ("missing second sync_warp", SMALL, "    sync_warp();  // all have written\n", "",
     "check_warp", r"race: thread .* shared memory at .*small_kernels.hpp"),
    ("shared memory reused without a barrier", KERNELS + "grid/single_block.hpp",
     "    sync_block();  // all have read this tile before the next replaces it\n", "",
     "check<single_block_kogge_stone>", r"race: thread .* writes shared memory"),
    ("flag stored relaxed", LOOK_BACK,
     ".store(mine.run, order::release)", ".store(mine.run, order::relaxed)",
     CHAINED, r"race: thread .* reads global memory at .*look_back.hpp"),
    ("flag stored before the payload", LOOK_BACK,
     "prefixes_[mine.tile] = prefix;\n"
     "    flags_.atomic(mine.tile).store(mine.run, order::release);",
     "flags_.atomic(mine.tile).store(mine.run, order::release);\n"
     "    prefixes_[mine.tile] = prefix;",
     CHAINED, r"race: thread .* global memory at .*look_back.hpp"),
    ("flag loaded relaxed", LOOK_BACK,
     ".load(order::acquire) != mine.run", ".load(order::relaxed) != mine.run",
     CHAINED, r"race: thread .* reads global memory at .*look_back.hpp"),
    ("release fence left out, payload atomic", SMALL, "    fence(order::release);\n", "",
     "check_hand_over", r"wrong result: an old value"),
    ("acquire fence left out, payload atomic", SMALL, "    fence(order::acquire);\n", "",
     "check_hand_over", r"wrong result: an old value"),
    ("block index used as ticket", LOOK_BACK,
     "const auto tile = static_cast<std::int64_t>(word - (run << ticket_bits));",
     "const std::int64_t tile = block_index();",
     CHAINED, r"stuck: nobody makes progress; waiting: thread .* at .*look_back.hpp"),
    ("lanes combined in the wrong order", KERNELS + "grid/decoupled_lookback.hpp",
     "x = Op::combine(left, x);", "x = Op::combine(x, left);", LOOK, r"wrong result"),
    ("windows combined in the wrong order", KERNELS + "grid/decoupled_lookback.hpp",
     "Op::combine(window, later.value)", "Op::combine(later.value, window)",
     "check_many_tiles<textbooks::decoupled_lookback>", r"wrong result"),
    ("block 0 reads totals[-1]", KERNELS + "grid/three_pass.hpp",
     "if (b > 0) before = {true, totals[b - 1]};", "before = {true, totals[b - 1]};",
     "check<textbooks::three_pass>",
     r"out of bounds: thread .* of block 0 at .*three_pass.hpp.* uses index -1"),
    ("exclusive result one element early", KERNELS + "tile.hpp",
     "const int last = what.exclusive ? i - 1 : i;", "const int last = i;",
     LOOK, r"wrong result"),
    ("a predecessor that never publishes", KERNELS + "grid/chained.hpp",
     "links.publish(mine, through);", "if (mine.tile != 3) links.publish(mine, through);",
     CHAINED, r"stuck: nobody makes progress; waiting: thread .* at .*look_back.hpp"),
    ("barrier that a part of the block reaches", KERNELS + "block/brent_kung.hpp",
     "      sync_block();\n      const int i = end_of_run(2 * d);\n"
     "      if (i < n) x_[i] = Op::combine(x_[i - d], x_[i]);",
     "      const int i = end_of_run(2 * d);\n"
     "      if (i < n) {\n        sync_block();\n        x_[i] = Op::combine(x_[i - d], x_[i]);\n"
     "      }",
     "check<textbooks::brent_kung>", r"divergent threads: thread .* at .*brent_kung.hpp"),
    ("flag of an earlier run accepted", LOOK_BACK,
     ".load(order::acquire) != mine.run", ".load(order::acquire) == 0",
     CHAINED, r"race: thread .* global memory at .*look_back.hpp"),
    ("status word of an earlier run accepted", LOOK_BACK,
     "while (word.tag / 4 != run) {", "while (word.tag == 0) {",
     LOOK, r"wrong result"),
    ("shared array too small by its padding", KERNELS + "block/blelloch.hpp",
     "return total(threads) + 1;", "return tile(threads) + 1;",
     "check<textbooks::blelloch>", r"out of bounds: thread .* of an array of .* in shared memory"),
]


def outcome(source, folder, checked, compiler, libraries):
    """What the program says of the kernels in a folder."""
    program = folder / "program"
    includes = [f"-I{folder}", f"-I{source}", f"-I{source / 'src'}"]  # the copy's before the right ones
    subprocess.run([*compiler, *includes, f"-DCHECKED={checked}", "-o", program,
                    folder / "tests/mutants/kernel_check.cpp", *libraries], check=True)
    run = subprocess.run([program], capture_output=True, text=True, timeout=300)
    return run.stdout.strip().replace(f"{folder}/", "") or f"exit {run.returncode}"


def try_fault(source, folder, fault, *command):
    """Whether a fault is found as it should be, and a TAP description."""
    for room in ["backends/kernels", "tests/mutants"]:
        shutil.copytree(source / room, folder / room)
    if fault is None:
        said = outcome(source, folder, "check_all", *command)
        return said == "right", "no fault: " + said
    name, file, text, replacement, checked, wanted = fault
    path = folder / file
    original = path.read_text()
    if original.count(text) != 1:
        return False, f"{name}: its text occurs {original.count(text)} times in {file}"
    line = original[:original.index(text)].count("\n") + 1
    path.write_text(original.replace(text, replacement))
    said = outcome(source, folder, checked, *command)
    return bool(re.search(wanted, said)), f"{name}: {file}:{line}: {said}"


def main():
    source = pathlib.Path(sys.argv[1])
    split = sys.argv.index("--")
    command = sys.argv[2:split], sys.argv[split + 1:]
    print(f"1..{len(FAULTS) + 1}", flush=True)
    with tempfile.TemporaryDirectory() as scratch, \
            concurrent.futures.ThreadPoolExecutor(2) as pool:
        tries = [pool.submit(try_fault, source, pathlib.Path(scratch) / str(i), fault, *command)
                 for i, fault in enumerate([None, *FAULTS])]
        for number, attempt in enumerate(tries, 1):
            passed, text = attempt.result()
            print(f"{'' if passed else 'not '}ok {number} - {text.replace('#', '')}", flush=True)


main()
