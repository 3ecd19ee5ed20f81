#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of report.py, on a made-up run whose figures are easy to work out by hand."""

import json
import pathlib
import tempfile
import unittest

import report

CONTEXT = {
    "date": "2024-01-01T00:00:00+00:00", "host_name": "secret", "executable": "/secret/bench",
    "num_cpus": 2, "caches": [{"type": "Data", "level": 1, "size": 32768, "num_sharing": 1}],
    "cpu": "Some(R) CPU(TM) @ 2.00GHz", "cpu_model": "6-1", "compiler": "g++ 12",
    "upsweep_version": "0.1.0", "upsweep_plan": "cpu.openmp: test", "commit": "abc",
}


def run(contender, threads, n, rate, **more):
    name = f"scan/f32/{contender}/{threads}/{n}/real_time"
    return {"name": name, "run_name": name, "run_type": "iteration", "bytes_per_second": rate,
            **more}


def raw_run():
    rows = []
    for n in (1 << 14, 1 << 20, 1 << 26):
        rows += [run("cpu.openmp", 1, n, rate) for rate in (9e9, 8e9, 100e9)]  # median 9
        rows += [run("memcpy", 1, n, 18e9), run("std.inclusive_scan", 1, n, 3e9)]
        rows += [run("numpy.cumsum", 1, n, 2e9), run("cpu.openmp.python", 1, n, 5e9)]
        rows += [run("cpu.openmp", 2, n, 27e9), run("memcpy", 2, n, 1e9)]
    aggregate = run("memcpy", 1, 1 << 14, 1e9)
    aggregate["run_type"] = "aggregate"
    return {"context": CONTEXT, "benchmarks": rows + [aggregate]}


class Condense(unittest.TestCase):
    def test_medians_of_repetitions_and_no_names_of_hosts(self):
        results = report.condense(raw_run())
        first = results["benchmarks"][0]
        self.assertEqual((first["case"], first["contender"], first["threads"], first["n"]),
                         ("f32", "cpu.openmp", 1, 1 << 14))
        self.assertEqual((first["bytes_per_second"], first["lowest"], first["highest"]),
                         (9e9, 8e9, 100e9))
        self.assertEqual(len(results["benchmarks"]), 21)
        self.assertNotIn("secret", json.dumps(results))

    def test_a_wrong_result_is_an_error(self):
        raw = raw_run()
        raw["benchmarks"].append(run("memcpy", 1, 256, 1, error_occurred=True,
                                     error_message="wrong result at index 3"))
        with self.assertRaisesRegex(SystemExit, "memcpy/1/256.*wrong result at index 3"):
            report.condense(raw)

    def test_machine_name(self):
        self.assertEqual(report.machine_name(CONTEXT), "some-cpu-2-00ghz-6-1-x2")


class Publish(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        report.write_results(report.condense(raw_run()), self.root / "results", "scan")
        self.page = self.root / "page.md"

    def test_tables_and_charts_between_the_markers(self):
        self.page.write_text(f"before\n{report.BEGIN}\nold\n{report.END}\nafter\n")
        report.publish(self.root / "results", self.page)
        text = self.page.read_text()
        self.assertTrue(text.startswith("before\n") and text.endswith("after\n"))
        self.assertNotIn("old", text)
        self.assertIn("| f32 | 2^14 | 1 | 9.00 | 3.00 | 0.500 | - |", text)
        # Two threads are measured against the best copy of up to two threads.
        self.assertIn("| f32 | 2^14 | 2 | 27.0 | 9.00 | 1.50 | - |", text)
        self.assertIn("| std.inclusive_scan | 1 | 3.00 | 3.00 | 3.00 |", text)
        self.assertIn("| std.inclusive_scan | 2 | 9.00 | 9.00 | 9.00 |", text)
        self.assertIn("| numpy.cumsum | 1 | 2.50 | 2.50 | 2.50 |", text)  # called from Python both
        self.assertIn("| memcpy | 1 | 18.0 | 18.0 | 18.0 |", text)
        chart = self.root / "img" / "some-cpu-2-00ghz-6-1-x2-f32.svg"
        self.assertIn("ratio to memcpy, 1 thread", chart.read_text())
        report.publish(self.root / "results", self.page)
        self.assertEqual(self.page.read_text(), text)

    def test_a_page_without_markers_is_left_alone(self):
        self.page.write_text("no markers\n")
        with self.assertRaisesRegex(SystemExit, "markers"):
            report.publish(self.root / "results", self.page)
        self.assertEqual(self.page.read_text(), "no markers\n")


if __name__ == "__main__":
    unittest.main()
