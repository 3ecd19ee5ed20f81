#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs every example and compares what it prints with the same thing worked out here.

examples_test.py BUILD_DIRECTORY
"""

import itertools
import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
NILE = HERE / "data" / "nile.txt"
build = pathlib.Path()


def run(name, *arguments):
    """The lines that an example prints; it must end well."""
    done = subprocess.run([build / name, *arguments], capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise AssertionError(f"{name} ended with {done.returncode}: {done.stderr}{done.stdout}")
    return done.stdout.splitlines()


def nile():
    return [int(line) for line in NILE.read_text().split()]


class Examples(unittest.TestCase):
    def test_every_example_has_a_test(self):
        sources = {path.stem for path in HERE.glob("*.c*")}
        tests = {name.removeprefix("test_") for name in dir(self) if name.startswith("test_")}
        self.assertEqual(sources - tests, set())

    def check_offsets(self, name):
        keep = [1, 0, 1, 1, 0, 1]
        slots = list(itertools.accumulate(keep, initial=0))
        self.assertEqual(run(name), [" ".join(map(str, slots[:-1])) + f" kept {slots[-1]}"])

    def test_first_scan(self):
        self.check_offsets("first_scan")

    def test_from_c(self):
        self.check_offsets("from_c")

    def test_compaction(self):
        readings = [i * 37 % 101 - 50 for i in range(100_000)]
        printed = [int(line) for line in run("compaction")]
        self.assertTrue(printed == [r for r in readings if r > 40], printed[:20])

    def test_mass_curve(self):
        flows = nile()
        mean = sum(flows) / len(flows)
        curve = list(itertools.accumulate(flow - mean for flow in flows))
        peaks = itertools.accumulate(curve, max, initial=0)
        next(peaks)
        storage = max(peak - level for peak, level in zip(peaks, curve))
        printed = {line[:14].strip(): float(line[14:]) for line in run("mass_curve", NILE)}
        self.assertEqual(printed.keys(), {"mean flow", "storage", "range"})
        self.assertAlmostEqual(printed["mean flow"], mean, places=2)
        self.assertAlmostEqual(printed["storage"], storage, places=1)
        self.assertAlmostEqual(printed["range"], max(curve) - min(curve), places=1)

    def test_smoothing(self):
        flows = nile()
        smooth = itertools.accumulate(flows, lambda h, x: 0.875 * h + 0.125 * x, initial=flows[0])
        next(smooth)
        printed = [float(line) for line in run("smoothing", NILE)]
        self.assertEqual(len(printed), len(flows))
        for ours, right in zip(printed, smooth):
            self.assertAlmostEqual(ours, right, places=9)

    def test_backends(self):
        lines = run("backends")
        for expected in ("cpu.openmp: available", "cpu.serial: available", "cpu.serial served",
                         "cpu served"):
            self.assertIn(expected, lines)
        reasons = [line.split(": ")[1] for line in lines if line.startswith("cuda.")]
        self.assertTrue(reasons and all(reasons), lines)
        self.assertTrue(any("'cpu.opemp' is unknown; did you mean 'cpu.openmp'" in line
                            for line in lines), lines)
        self.assertRegex(lines[-1], "^cpu.openmp: chosen by auto for host memory")

    def test_chunks(self):
        lines = run("chunks")
        self.assertEqual([line.split()[0] for line in lines[:-1]],
                         ["300000", "600000", "900000", "1000003"])
        self.assertEqual(lines[-1], "the same bits as the whole scan")

    def test_radix_sort(self):
        keys = sorted(i * 2_654_435_761 % 2**32 for i in range(1_000_000))
        self.assertEqual([int(line) for line in run("radix_sort")], keys[::100_000])

    def test_simt_own_kernel(self):
        if not (build / "simt_own_kernel").exists():
            self.skipTest("built without the checked simt engine")
        race, cured = run("simt_own_kernel")
        place = r"\S*simt_own_kernel\.cpp:\d+"
        self.assertRegex(race, rf"^race: thread \d+ of block 0 (read|write)s shared memory at {place}; "
                               rf"thread \d+ of block 0 (read|wrote) it at {place}, and nothing "
                               r"orders the two \[launch 1: 1 blocks of 64; seed 7, ")
        self.assertEqual(cured, "cured: no fault, and the right result")


if __name__ == "__main__":
    build = pathlib.Path(sys.argv.pop(1))
    unittest.main()
