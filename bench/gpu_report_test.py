#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of gpu_report.py, on made-up results whose figures are easy to work out by hand."""

import json
import pathlib
import shutil
import tempfile
import unittest

import gpu_report

OURS, CUB = gpu_report.OURS, gpu_report.CUB


def row(table, case, contender, mode, n, us):
    named = {"table": table} if table else {}
    return {**named, "case": case, "contender": contender, "mode": mode, "n": n, "us": us,
            "lowest": us, "highest": us}


def textbooks(table):
    return [row(table, "f32", contender, mode, 1 << 20, us)
            for mode in ("graph", "stream") for contender, us in (("copy", 2), ("cuda.chained", 8))]


def of_production():
    rows = []
    for contender, us in (("copy", 10), (OURS, 8), (CUB, 16)):
        rows += [row("large", "u8 -> i32", contender, mode, 1 << 26, us)
                 for mode in ("graph", "stream")]
    rows += [row("large", "i8", c, "graph", 1 << 30, 10) for c in ("copy", OURS)]
    rows.append(row("large", "i8 bit_xor", OURS, "graph", 1 << 30, 20))
    for copy, ours in ((10, 10), (10, 20), (40, 20)):  # rounds of ratios 1, 0.5, 2
        rows += [row("small", "f64", "copy", "graph", 1 << 12, copy),
                 row("small", "f64", OURS, "graph", 1 << 12, ours)]
    rows += [row("modes", "i32, inclusive sum", OURS, "graph", 1 << 28, 100),
             row("modes", "i32, n + 1", OURS, "graph", (1 << 28) + 1, 125),
             row("lengths", "f64", "copy", "graph", 1 << 17, 10),
             row("lengths", "f64", OURS, "graph", 1 << 17, 8),
             row("lengths", "f64", "copy", "graph", (1 << 17) + 3, 10),
             row("lengths", "f64", OURS, "graph", (1 << 17) + 3, 20),
             row("host", "f32", "plan::run", "call", 1 << 10, 3),
             row("host", "f32", "cudaLaunchKernel", "call", 1 << 10, 2),
             row("crossing", "f32", "cpu.openmp", "host", 1 << 20, 1500)]
    return rows


class Publish(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.page = self.root / "page.md"
        self.page.write_text(f"before\n{gpu_report.BEGIN}\nold\n{gpu_report.END}\nafter\n")

    def keep(self, scans):
        gpu = self.root / "results" / "gpu"
        gpu.mkdir(parents=True)
        (gpu / "scans.json").write_text(json.dumps({"context": {"gpu": "gpu"}, "benchmarks": scans}))
        return gpu / "scans.json"

    def test_a_file_from_before_tables_were_named_is_of_textbooks(self):
        self.assertEqual(gpu_report.Results(self.keep(textbooks(None)), "textbooks").at(
            "cuda.chained", 1 << 20), 8)
        self.assertEqual(gpu_report.production(self.root / "results/gpu/scans.json"), "")

    def test_tables_of_the_production_scan(self):
        text = gpu_report.production(self.keep(textbooks("textbooks") + of_production()))
        for line in ("| u8 -> i32 | 64 MiB | 10.0 | 1.25 | 1.25 | - | - | 0.625 | - | 2.00 |",
                     "| i8 | 1 GiB | 10.0 | 1.00 | - | - | 0.500 | - | - | - |",
                     "| f64 | 32 KiB | 20.0 | 1.00 | - | - | - | - | - | - | - | - | - | - |",
                     "| inclusive sum, us | 100 |", "| n + 1 | 0.800 |",
                     "| of copy | 1 MiB | +3 |", "| f64 | 1.25 | 0.500 |",
                     "| 2^10 | call | plan::run | 3000 | 1.50 |", "| cpu.openmp | 1.50 |"):
            self.assertIn(line + "\n", text)
        self.assertNotIn("chained", text)

    def test_one_table_alone_is_published_without_a_roofline(self):
        gpu = self.keep(of_production()).parent
        for name in ("claims.json", "profile.json"):
            shutil.copy(pathlib.Path(gpu_report.__file__).parent / "results/nvidia-h200" / name, gpu)
        gpu_report.publish(self.root / "results", self.page)
        self.assertIn("#### Small arrays", self.page.read_text())
        self.assertNotIn("#### Roofline", self.page.read_text())

    def test_the_page_as_it_is_kept(self):
        kept = pathlib.Path(gpu_report.__file__).parent / "results"
        gpu_report.publish(kept, self.page)
        text = self.page.read_text()
        self.assertTrue(text.startswith("before\n") and text.endswith("after\n"))
        page = (kept.parent.parent / "docs/performance.md").read_text()
        between = lambda t: t.split(gpu_report.BEGIN)[1].split(gpu_report.END)[0]
        self.assertEqual(between(text), between(page))


if __name__ == "__main__":
    unittest.main()
