# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command under test, and a directory of its own for each case."""

import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np

UPSWEEP = os.environ["UPSWEEP_COMMAND"]
SANITISED = os.environ.get("SANITIZERS", "none") != "none"
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith("UPSWEEP_")}


class CommandTest(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.at = pathlib.Path(self.directory.name)

    def call(self, *arguments, stdin=b"", env={}):
        """Runs the command in the directory of the case."""
        return subprocess.run([UPSWEEP, *map(str, arguments)], input=stdin, capture_output=True,
                              cwd=self.at, env=ENVIRONMENT | env, timeout=120)

    def good(self, *arguments, stdin=b"", env={}):
        """Runs it, asserts success and silence on standard error, returns standard output."""
        done = self.call(*arguments, stdin=stdin, env=env)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertEqual(done.stderr, b"")
        return done.stdout

    def refused(self, code, *arguments, names, stdin=b"", env={}):
        """Runs it, asserts the exit code, a message that has every one of `names`, and that no file
        came or went."""
        before = self.files()
        done = self.call(*arguments, stdin=stdin, env=env)
        message = done.stderr.decode()
        self.assertEqual(done.returncode, code, message)
        self.assertTrue(message.startswith("upsweep: "), message)
        for name in names:
            self.assertIn(name, message)
        self.assertEqual(self.files(), before)
        return message

    def files(self):
        return {p.relative_to(self.at): p.read_bytes() for p in self.at.rglob("*") if p.is_file()}

    def scan(self, x, *options, out="out.npy"):
        """Scans an array through .npy files."""
        np.save(self.at / "in.npy", x)
        self.good("scan", "in.npy", "-o", out, *options)
        return np.load(self.at / out)

    def same_bits(self, got, want):
        self.assertEqual(got.dtype, want.dtype)
        self.assertEqual(got.shape, want.shape)
        self.assertEqual(got.tobytes(), want.tobytes())
