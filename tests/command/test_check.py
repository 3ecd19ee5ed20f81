# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import re

import tap
from command import CommandTest

LINE = ("in=f32 out=f32 op=sum kind=inclusive direction=forward form=pair n=2049 init=0 in_place=0 "
        "one_shot=0 in_offset=0 out_offset=0 threads=2 data=wide seed=7")


class Check(CommandTest):
    def counts(self, *arguments):
        lines = self.good("check", *arguments).decode().splitlines()
        self.assertEqual(lines[0].split(), ["backend", "passed", "refused", "failed"])
        return {name: tuple(map(int, numbers)) for name, *numbers in map(str.split, lines[1:])}

    def test_every_available_backend(self):
        available = {line.split()[0] for line in self.good("list").decode().splitlines()[1:]
                     if line.split()[4] == "yes"}
        counts = self.counts("--seconds", "4")
        self.assertEqual(set(counts), available)
        for name, (passed, refused, failed) in counts.items():
            self.assertGreater(passed, 0, name)
            self.assertEqual((refused, failed), (0, 0), name)

    def test_one_backend(self):
        self.assertEqual(set(self.counts("--seconds", "0.1", "--backend", "cpu")), {"cpu.openmp"})

    def test_replay_runs_one_case(self):
        self.assertEqual(self.counts("--backend", "cpu.openmp", "--replay", LINE),
                         {"cpu.openmp": (1, 0, 0)})


if __name__ == "__main__":
    tap.main()
