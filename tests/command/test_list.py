# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import subprocess

import tap
from command import ENVIRONMENT, UPSWEEP, CommandTest

OURS = ["naive", "hillis_steele", "kogge_stone", "brent_kung", "blelloch", "warp_shuffle",
        "coarsened", "three_pass", "hybrid", "chained", "decoupled_lookback", "single_pass"]


class List(CommandTest):
    def backends(self):
        return {b["name"]: b for b in json.loads(self.good("list", "--json"))}

    def test_json_has_every_backend(self):
        self.assertEqual(set(self.backends()),
                         {"cpu.serial", "cpu.openmp", "cuda.thrust", "cuda.cub"}
                         | {f"{family}.{name}" for family in ("cuda", "simt") for name in OURS})

    def test_json_says_the_facts(self):
        for b in self.backends().values():
            with self.subTest(b["name"]):
                self.assertEqual(set(b), {"name", "role", "deterministic", "known", "compiled",
                                          "available", "reason"})
                self.assertIn(b["role"], ("production", "textbook", "reference", "peer"))
                self.assertTrue(b["known"])
                self.assertEqual(b["available"], b["reason"] == "")
                self.assertTrue(b["compiled"] or not b["available"])

    def test_cpu_backends_are_here(self):
        backends = self.backends()
        for name, role in (("cpu.serial", "reference"), ("cpu.openmp", "production")):
            self.assertTrue(backends[name]["available"])
            self.assertTrue(backends[name]["deterministic"])
            self.assertEqual(backends[name]["role"], role)

    def test_table_says_the_same(self):
        lines = self.good("list").decode().splitlines()
        self.assertEqual(lines[0].split()[:3], ["backend", "role", "deterministic"])
        for line, b in zip(lines[1:], self.backends().values(), strict=True):
            self.assertEqual(line.split()[:5],
                             [b["name"], b["role"]] + ["yes" if b[k] else "no" for k in
                                                       ("deterministic", "compiled", "available")])
            self.assertTrue(line.endswith(b["reason"] or "-"))

    def test_full_device_is_an_error(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([UPSWEEP, "list"], stdout=full, stderr=subprocess.PIPE,
                                  env=ENVIRONMENT)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"standard output", done.stderr)


class Help(CommandTest):
    def test_examples_and_exit_codes_everywhere(self):
        for words in ([], ["list"], ["scan"], ["check"], ["tune"]):
            text = self.good(*words, "--help").decode()
            with self.subTest(words):
                self.assertIn("Examples:\n  ", text)
                self.assertIn("upsweep " + " ".join(words), text)
                self.assertIn("Exit codes: 0 ", text)

    def test_version(self):
        self.assertRegex(self.good("--version"), rb"^upsweep \d+\.\d+\.\d+\n$")

    def test_examples_of_scan_run(self):
        (self.at / "flags.raw").write_bytes(bytes([1, 0, 1, 1]))
        out = self.good("scan", "flags.raw", "--dtype", "u8", "-o", "slots.npy", "--exclusive",
                        "--out-dtype", "i64", "--total")
        self.assertEqual(out, b"3\n")
        out = self.good("scan", "-", "--in-format", "text", "--dtype", "i32", "-o", "-", "--op",
                        "product", stdin=b"1\n2\n3\n4\n")
        self.assertEqual(out, b"1\n2\n6\n24\n")


if __name__ == "__main__":
    tap.main()
