# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import re

import numpy as np
import tap
from command import CommandTest

KEYS = ["parallel_from", "block", "stream_stores_from"]


class Tune(CommandTest):
    def values(self, text):
        """Key to value of a tuning; asserts that all its other lines are comments."""
        values = {}
        for line in text.splitlines():
            if given := re.fullmatch(r"(\w+) = (\d+)  # .+", line):
                values[given[1]] = int(given[2])
            else:
                self.assertRegex(line, "^# ")
        return values

    def test_what_it_writes_is_read(self):
        self.good("tune", "--quick", "-o", "tuning")
        text = (self.at / "tuning").read_text()
        self.assertLessEqual(set(self.values(text)), set(KEYS))
        for key in KEYS[::2]:
            self.assertIn(key, text)
        x = np.arange(200000, dtype=np.float32) / 3
        own = self.scan(x)
        self.good("scan", "in.npy", "-o", "tuned.npy", env={"UPSWEEP_TUNING": "tuning"})
        self.same_bits(np.load(self.at / "tuned.npy"), own)
        self.assertEqual(set(map(str, self.files())), {"in.npy", "out.npy", "tuned.npy", "tuning"})

    def test_to_standard_output_with_one_thread_whatever_the_environment_says(self):
        text = self.good("tune", "--quick", "--threads", "1",
                         env={"UPSWEEP_TUNING": "/nowhere", "UPSWEEP_BACKEND": "cpu.serial"}).decode()
        self.assertLessEqual(set(self.values(text)), {"stream_stores_from"})
        self.assertIn("# parallel_from, block: not measured with one thread\n", text)
        self.assertNotIn("parallel_from: no gain", text)

    def test_a_wrong_tuning_is_an_error(self):
        (self.at / "in.raw").write_bytes(bytes(4))
        (self.at / "tuning").write_text("# mine\nblock = many\n")
        self.refused(2, "scan", "in.raw", "--dtype", "i32", "-o", "out.raw",
                     names=["UPSWEEP_TUNING", "tuning:2", "block = many"],
                     env={"UPSWEEP_TUNING": "tuning"})

    def test_a_wrong_command_line(self):
        self.refused(1, "tune", "--quick", "-o", "no/such/folder/file", names=["OUT", "no/such"])
        self.refused(2, "tune", "--threads", "0", names=["--threads", "0"])


if __name__ == "__main__":
    tap.main()
