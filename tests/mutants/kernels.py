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
CLUSTER = KERNELS + "grid/single_pass/cluster.hpp"
REGISTERS = KERNELS + "grid/single_pass/registers.hpp"
PERSISTENT = KERNELS + "grid/single_pass/persistent.hpp"
RUNS = KERNELS + "grid/single_pass/runs.hpp"
EXCHANGE = KERNELS + "grid/single_pass/exchange.hpp"
A_CLUSTER = "check_cluster<order1_sizes, 1>"
PAIRS = "check_cluster<order1_sizes, 2>"
UNITS = "check_registers<small_sizes, false>"
WIDE_UNITS = "check_registers<small_sizes, false, affine_op<std::uint64_t>>"
TILES = "check_registers<four_tiles, true>"
SUPERS = "check_registers<four_chunks, false>"
RING = "check_ring<small_sizes>"
TOTALS = "check_totals<four_chunks, false>"
FLAT = KERNELS + "grid/single_pass/flat.hpp"
BYTES = KERNELS + "grid/single_pass/bytes.hpp"
LENS = KERNELS + "grid/single_pass/lens.hpp"
RING_OF_TILES = "check_ring<four_tiles>"
STUCK = r"stuck: nobody makes progress; waiting: .*thread .* at .*"

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
     "drawn[0] = draw_of(0);", "drawn[0] = {block_index(), draw_of(0).run};",
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

    # Of the production scan.
    ("total of an earlier run accepted", LOOK_BACK,
     "got[i].tag == run)", "got[i].tag != 0)", TILES, r"wrong result"),
    ("total of an earlier run accepted in a ring", LOOK_BACK,
     "got[i].tag == run)", "got[i].tag != 0)", RING, r"wrong result"),
    ("total accepted with half of it there", LOOK_BACK,
     "for (int i = 0; i < count * words; ++i)\n        all =",
     "for (int i = 0; i < count * words; i += words)\n        all =", WIDE_UNITS, r"wrong result"),
    ("tickets reset with a draw in flight", LOOK_BACK,
     "units + grid_size() - 1)", "units + grid_size() - 2)", UNITS, STUCK + "look_back.hpp"),
    ("tickets of a ring reset with a draw in flight", LOOK_BACK,
     "units + grid_size() - 1)", "units + grid_size() - 2)", RING, STUCK + "look_back.hpp"),
    ("run ended by its first unit", REGISTERS,
     "unit == units - 1 && thread_index()", "unit == 0 && thread_index()",
     UNITS, STUCK + "look_back.hpp"),
    ("run ended before its totals are read", REGISTERS,
     "    part.scan();\n",
     "    if (!draws && unit == units - 1 && thread_index() == 0) more.finish(next.run);\n"
     "    part.scan();\n",
     UNITS, STUCK + "look_back.hpp"),
    ("end not handed to a ring's roles", PERSISTENT,
     "        named[stage] = {s,", "        if (s >= supers) break;\n        named[stage] = {s,",
     RING, STUCK + r"persistent.hpp:\d+ \(phase \d of the barrier lacks \d+ of \d+ arrivals"),
    ("end not handed to all of a ring's look-backs", PERSISTENT,
     "int ends = how.stages;", "int ends = roles::look_backs;",
     RING, STUCK + r"persistent.hpp:\d+ \(phase \d of the barrier lacks \d+ of \d+ arrivals"),
    ("bytes of a stage not expected", PERSISTENT,
     "landed.arrive_expecting(stage, bytes);", "landed.arrive(stage);",
     RING, r"(barrier misuse|race|uninitialised read): .*persistent.hpp"),
    ("stage freed by one arrival less", PERSISTENT,
     "roles::scanners * warp_size + 1", "roles::scanners * warp_size", RING_OF_TILES,
     r"race: (a bulk copy of )?thread .* shared memory"),
    ("stage freed before its tiles' totals are read", PERSISTENT,
     "          T of_tiles[tiles];\n"
     "          UPSWEEP_UNROLL\n"
     "          for (int k = 0; k < tiles; ++k) of_tiles[k] = tile_totals[stage * tiles + k];\n"
     "          totals.publish(mine.super, mine.run, tree_total<Op>(of_tiles));\n"
     "          freed.arrive(stage);",
     "          freed.arrive(stage);\n"
     "          T of_tiles[tiles];\n"
     "          UPSWEEP_UNROLL\n"
     "          for (int k = 0; k < tiles; ++k) of_tiles[k] = tile_totals[stage * tiles + k];\n"
     "          totals.publish(mine.super, mine.run, tree_total<Op>(of_tiles));",
     RING_OF_TILES, r"race: thread .* writes shared memory at .*; thread .* read it"),
    ("stage freed before its borders are read", PERSISTENT,
     "        T w[each + 1];\n", "        freed.arrive(stage);\n        T w[each + 1];\n",
     RING, r"race: thread .* writes shared memory at .*; thread .* read it"),
    ("stage reduced by one arrival less", PERSISTENT,
     "roles::reducers * warp_size", "roles::reducers * warp_size - 1", RING_OF_TILES,
     r"(barrier misuse|race|uninitialised read): .*persistent.hpp"),
    ("stage not cleared behind the end", PERSISTENT,
     " store_as(memory, to + b, quad{});", " fence_async();",
     RING, r"uninitialised read: thread .* shared memory at .*runs.hpp"),
    ("vec at the end taken for a whole one", LENS,
     "      if (count >= size) {", "      if (count > 0) {",
     TILES, r"out of bounds: thread .* at .*lens.hpp"),
    ("end of the rows a vec too soon", LENS,
     "        ++row;\n", "", TILES, r"wrong result"),
    ("carry handed on before all lanes have read the one before", PERSISTENT,
     "      sync_warp();  // all lanes have read\n", "",
     RING, r"race: thread .* shared memory at .*"),
    ("carry taken before it is there", PERSISTENT,
     "            folded.wait(before, stage > 0 ? parity : parity ^ 1);\n", "",
     RING, r"(race|uninitialised read): thread .* shared memory at .*persistent.hpp"),
    ("scanner that does not wait for its place", PERSISTENT,
     "        placed.wait(stage, parity);\n", "",
     RING, r"(race|uninitialised read): thread .* shared memory at .*persistent.hpp"),
    ("totals of a stage read before it is reduced", PERSISTENT,
     "      reduced.wait(stage, parity);\n      const auto chunk_total", "      const auto chunk_total",
     RING_OF_TILES, r"(race|uninitialised read): thread .* shared memory at .*persistent.hpp"),
    ("results of runs read before all are written", RUNS,
     "    sync_warp();\n  }\n\n  // And takes", "  }\n\n  // And takes",
     RING, r"(race|uninitialised read): thread .* shared memory at .*runs.hpp"),
    ("runs taken of rows before all are written", RUNS,
     "x.row[r];\n    sync_warp();", "x.row[r];",
     RING, r"(race|uninitialised read): thread .* shared memory at .*runs.hpp"),
    ("rows written where the last chunk's runs are taken", RUNS,
     "    sync_warp();  // before others write there; likewise below\n", "",
     RING_OF_TILES, r"race: thread .* shared memory at .*runs.hpp"),
    ("runs written where words of a misaligned store are read", RUNS,
     "vec_at(m));\n    }\n    sync_warp();", "vec_at(m));\n    }",
     RING_OF_TILES, r"race: thread .* shared memory at .*runs.hpp"),
    ("misaligned vec taken of one word alone", RUNS,
     "at - off + place(k) * stride + bytes)", "at - off + place(k) * stride)",
     RING, r"wrong result"),
    ("end of a chunk left out of a misaligned store", RUNS,
     "if (lane_index() < 2) {", "if (lane_index() < 1) {", RING, r"wrong result"),
    ("rows read where the next chunk's runs are written", RUNS,
     "    sync_warp();\n    return y;", "    return y;",
     RING_OF_TILES, r"race: thread .* shared memory at .*runs.hpp"),
    ("look-back that does not wait for its stage", PERSISTENT,
     "      landed.wait(stage, parity);\n"
     "      const work mine = named[stage];\n"
     "      if (mine.super >= supers) break;\n"
     "      // Not",
     "      const work mine = named[stage];\n"
     "      if (mine.super >= supers) break;\n"
     "      // Not",
     RING, r"(race|uninitialised read): thread .* shared memory at .*persistent.hpp"),
    ("proxy fence left out after a copy by hand", PERSISTENT,
     "      fence_async();  // before the next copy to here\n", "",
     RING, r"missing proxy fence: a bulk copy of thread .* writes shared memory"),
    ("totals of a block read before all are written", CLUSTER,
     "part_totals[warp] = total;\n  sync_block();", "part_totals[warp] = total;",
     A_CLUSTER, r"(race|uninitialised read): thread .* shared memory at .*cluster.hpp"),
    ("totals of a cluster read before all have come", CLUSTER,
     "    sent.wait_sent(0, 0);\n", "",
     A_CLUSTER, r"(race|uninitialised read): thread .* shared memory at .*cluster.hpp"),
    ("totals of a cluster not all expected", CLUSTER,
     "blocks * unit::tiles * static_cast<int>", "(blocks - 1) * unit::tiles * static_cast<int>",
     A_CLUSTER, r"(barrier misuse: phase 0 of the barrier|uninitialised read|race): .*cluster.hpp"),
    ("second tile's total sent in the place of the first", CLUSTER,
     "mine * unit::tiles + k, x", "mine * unit::tiles, x", PAIRS,
     r"race|wrong result|uninitialised read"),
    ("sent to a block before it is there", CLUSTER,
     "    wait_cluster();  // all blocks are here\n", "",
     A_CLUSTER, r"(unknown memory|barrier misuse): thread .* at .*cluster.hpp"),
    ("first half of a chunk left out of the second", CLUSTER,
     "      part.follow(first_half);\n", "      part.follow(Op::identity());\n",
     A_CLUSTER, r"wrong result"),
    ("end of a unit made of what is before it", EXCHANGE,
     "groups.then(part.with)}", "groups.then(part.before)}", UNITS, r"wrong result"),
    ("groups combined in the wrong order", REGISTERS,
     "groups.then(of_group)};", "groups.any ? Op::combine(of_group, groups.value) : of_group};",
     SUPERS, r"wrong result"),
    ("groups of a ring combined in the wrong order", PERSISTENT,
     "groups.then(g)};", "groups.any ? Op::combine(g, groups.value) : g};",
     RING, r"wrong result"),
    ("block of a state put where another begins", FLAT,
     "left < (mine & (~mine + 1))", "left <= (mine & (~mine + 1))", UNITS,
     r"wrong result|uninitialised read"),
    ("words read beside what others write", FLAT,
     "in.data() == out.data() ? 0 : in.size()", "in.size()",
     UNITS, r"race: thread .* global memory"),
    ("word before an array read", FLAT,
     "return begin >= 0 && begin", "return begin",
     UNITS, r"out of bounds: thread .* global memory"),
    ("row's next vec taken from the row itself", BYTES,
     "x.row[r < last ? r + 1 : last]", "x.row[r]",
     A_CLUSTER, r"wrong result"),
    ("copy by hand without zeros around it", PERSISTENT,
     "if (head < begin) by_hand(head);", "if (head < begin && head >= x.begin) by_hand(head);",
     RING, r"uninitialised read: thread .* shared memory"),
    ("elements before a ring's arrays looked for in memory", PERSISTENT,
     "return (i < 0 ? 0 : i < there ? i : there)", "return (i < there ? i : there)",
     RING, r"out of bounds: thread .* in global memory"),
    ("totals of an aggregate with the number of a run to come", LOOK_BACK,
     "no_run = 0;", "no_run = 2;", TOTALS, r"wrong result"),
    ("reversed vec stored as it was scanned", LENS,
     "(view, at - r * (warp_size * bytes), reversed(y.row[r]));",
     "(view, at - r * (warp_size * bytes), y.row[r]);", UNITS, r"wrong result"),
    ("reversed stage read from its beginning", PERSISTENT,
     "(down ? last_vec * static_cast<int>(sizeof(In)) : 0)", "0",
     RING, r"wrong result|uninitialised read|out of bounds"),
    ("totals of a cluster waited for as the block's own", CLUSTER,
     "sent.wait_sent(0, 0);", "sent.wait(0, 0);",
     A_CLUSTER, r"barrier misuse: .*cluster.hpp.* by wait\(\) for what blocks have sent"),
]

# No fault is planted in these, nor in what they include.
UNCHANGED = [KERNELS + "port.hpp", "backends/simt/device.hpp"]

# Of schedules. The first seed's find every fault: right kernels must be silent there, and run in
# hundreds of others in simt_properties.
SEEDS_OF_RIGHT, SEEDS_OF_FAULTS = 1, 3


def precompile(source, scratch, compiler):
    """A header of what no fault changes. Where its compilation fails, programs parse its text."""
    header = scratch / "unchanged.hpp"
    text = (source / "tests/mutants/kernel_check.cpp").read_text()
    header.write_text("\n".join(re.findall("^#include <.*>$", text, re.MULTILINE)
                                + [f'#include "{file}"' for file in UNCHANGED] + [""]))
    subprocess.run([*compiler, f"-I{source}", f"-I{source / 'src'}", "-x", "c++-header", header,
                    "-o", scratch / "unchanged.hpp.gch"], stderr=subprocess.DEVNULL)
    return header


def outcome(source, folder, checked, seeds, header, compiler, libraries):
    """What the program says of the kernels in a folder."""
    program = folder / "program"
    includes = [f"-I{folder}", f"-I{source}", f"-I{source / 'src'}"]  # the copy's before the right ones
    subprocess.run([*compiler, "-include", header, *includes, f"-DCHECKED={checked}",
                    f"-DSEEDS={seeds}", "-o", program,
                    folder / "tests/mutants/kernel_check.cpp", *libraries], check=True)
    run = subprocess.run([program], capture_output=True, text=True, timeout=300)
    return run.stdout.strip().replace(f"{folder}/", "") or f"exit {run.returncode}"


def try_fault(source, folder, fault, *command):
    """Whether a fault is found as it should be, and a TAP description."""
    for room in ["backends/kernels", "tests/mutants"]:
        shutil.copytree(source / room, folder / room)
    if fault is None:
        said = outcome(source, folder, "check_all", SEEDS_OF_RIGHT, *command)
        return said == "right", "no fault: " + said
    name, file, text, replacement, checked, wanted = fault
    path = folder / file
    original = path.read_text()
    if original.count(text) != 1:
        return False, f"{name}: its text occurs {original.count(text)} times in {file}"
    line = original[:original.index(text)].count("\n") + 1
    path.write_text(original.replace(text, replacement))
    said = outcome(source, folder, checked, SEEDS_OF_FAULTS, *command)
    return bool(re.search(wanted, said)), f"{name}: {file}:{line}: {said}"


def main():
    source = pathlib.Path(sys.argv[1])
    split = sys.argv.index("--")
    compiler, libraries = sys.argv[2:split], sys.argv[split + 1:]
    print(f"1..{len(FAULTS) + 1}", flush=True)
    with tempfile.TemporaryDirectory() as scratch, \
            concurrent.futures.ThreadPoolExecutor(2) as pool:
        header = precompile(source, pathlib.Path(scratch), compiler)
        tries = [pool.submit(try_fault, source, pathlib.Path(scratch) / str(i), fault,
                             header, compiler, libraries)
                 for i, fault in enumerate([None, *FAULTS])]
        for number, attempt in enumerate(tries, 1):
            passed, text = attempt.result()
            print(f"{'' if passed else 'not '}ok {number} - {text.replace('#', '')}", flush=True)


main()
