# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chunks, pipes, a terminal, signals: everything about how the data flow."""

import filecmp
import os
import pty
import select
import signal
import subprocess
import time

import numpy as np

import tap
from command import ENVIRONMENT, SANITISED, UPSWEEP, CommandTest


def numbers(code, n, seed=1):
    """Numbers whose sums depend on the order of the additions."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(n) * np.exp2(rng.integers(-40, 40, n))
    if code.startswith("c"):
        x = x + 1j * rng.standard_normal(n)
    return (x if code[0] in "fc" else x.astype("i8")).astype(code)


class Chunks(CommandTest):
    """The bits of a scan in chunks are those of the scan of the whole."""

    NAMES = dict(f4="f32", f8="f64", c8="c64", i4="i32")

    def compare(self, code, n, options, chunks, name="in.raw"):
        x = numbers(code, n)
        (self.at / "in.raw").write_bytes(x.tobytes())
        np.save(self.at / "in.npy", x)
        dtype = ("--dtype", self.NAMES[code])
        totals = {self.good("scan", name, "-o", "whole", *dtype, *options, "--total")}
        whole = (self.at / "whole").read_bytes()
        for chunk in chunks:
            with self.subTest(code=code, options=options, chunk=chunk):
                totals.add(self.good("scan", name, "-o", "parts", *dtype, *options, "--total",
                                     "--chunk", chunk))
                self.assertEqual((self.at / "parts").read_bytes(), whole)
        self.assertEqual(len(totals), 1)

    def test_every_mode(self):
        for backend in ("cpu.openmp", "cpu.serial"):
            for kind in ((), ("--exclusive",)):
                for direction in ((), ("--reverse",)):
                    for init in ((), ("--init", "0.1")):
                        self.compare("f4", 20_011, ("--backend", backend, *kind, *direction, *init),
                                     (1_000, 8_192, 40_000, 1 << 20))

    def test_types_and_operators(self):
        for code, options in (("f8", ()), ("c8", ()), ("i4", ("--op", "maximum", "--reverse")),
                              ("i4", ("--out-dtype", "i64")), ("f4", ("--out-dtype", "f64")),
                              ("f8", ("--op", "affine", "--reverse")), ("f4", ("--op", "affine"))):
            self.compare(code, 20_012, options, (999, 16_384, 100_000))

    def test_borders_on_and_beside_every_unit(self):
        for unit in (4, 16, 512, 2_048, 8_192):
            for beside in (-1, 0, 1):
                self.compare("f4", 3 * unit + 5, (), (4 * (unit + beside),))

    def test_single_elements(self):
        self.compare("f4", 600, (), (4,))
        self.compare("f4", 600, ("--reverse",), (1,))

    def test_more_than_a_group(self):
        group = 262_144
        for options in ((), ("--reverse",)):
            self.compare("f4", 2 * group + 77, options, (4 * group, 4 * group + 4, 1_000_000))

    def test_array_files(self):
        self.compare("f4", 20_011, ("--reverse",), (1_000, 8_192), name="in.npy")
        self.compare("f4", 20_011, ("--format", "npy"), (1_000, 8_192), name="in.npy")

    def test_larger_than_memory(self):
        """256 MiB of data in less than 128 MiB resident, with the bits of the whole."""
        block = numbers("f4", 1 << 20).tobytes()
        with open(self.at / "in.raw", "wb") as f:
            for _ in range(8 if SANITISED else 64):
                f.write(block)
        for direction in ((), ("--reverse",)):
            self.good("scan", "in.raw", "--dtype", "f32", "-o", "whole.raw", "--chunk", 1 << 30,
                      *direction)
            process = subprocess.Popen(
                [UPSWEEP, "scan", "in.raw", "--dtype", "f32", "-o", "out.raw", "--threads", "1",
                 *direction], cwd=self.at, env=ENVIRONMENT)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(process.returncode, 0)
            if not SANITISED:  # they keep freed memory
                self.assertLess(usage.ru_maxrss, 128 << 10)  # KiB
            self.assertTrue(filecmp.cmp(self.at / "out.raw", self.at / "whole.raw", shallow=False))


class Pipes(CommandTest):
    def setUp(self):
        super().setUp()
        self.x = numbers("f4", 10_007)
        np.save(self.at / "in.npy", self.x)
        self.array = (self.at / "in.npy").read_bytes()

    def whole(self, *options):
        self.good("scan", "in.npy", "-o", "whole.npy", *options)
        return (self.at / "whole.npy").read_bytes()

    def test_array_to_array(self):
        for options in ((), ("--reverse",)):
            for chunk in ((), ("--chunk", "4004")):
                with self.subTest(options=options, chunk=chunk):
                    got = self.good("scan", "-", "-o", "-", *options, *chunk, stdin=self.array)
                    self.assertEqual(got, self.whole(*options))

    def test_raw_to_raw(self):
        for options in ((), ("--reverse",)):
            for chunk in ((), ("--chunk", "4004")):
                with self.subTest(options=options, chunk=chunk):
                    got = self.good("scan", "-", "--dtype", "f32", "-o", "-", *options, *chunk,
                                    stdin=self.x.tobytes())
                    self.assertEqual(got, self.whole(*options)[128:])

    def test_unknown_length_to_an_array(self):
        options = ("--dtype", "f32", "--format", "npy", "--chunk", "4004")
        got = self.good("scan", "-", "-o", "-", *options, stdin=self.x.tobytes())
        self.assertEqual(got, self.whole())
        self.good("scan", "-", "-o", "out.npy", *options, stdin=self.x.tobytes())
        self.assertEqual((self.at / "out.npy").read_bytes(), self.whole())

    def test_text(self):
        self.assertEqual(self.good("scan", "-", "-o", "-", stdin=b"1\n2\n3\n"), b"1\n3\n6\n")
        self.assertEqual(self.good("scan", "-", "-o", "-", stdin=b""), b"")

    def test_total_goes_beside_the_data(self):
        done = self.call("scan", "-", "-o", "-", "--total", stdin=b"1\n2\n")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"1\n3\n", b"3\n"))

    def test_short_and_long_arrays(self):
        for data, names in ((self.array[:-1], ("data", "10006")),
                            (self.array + b"x", ("more bytes",))):
            self.refused(1, "scan", "-", "-o", "out.npy", stdin=data, names=("IN", "'-'", *names))

    def test_named_pipes(self):
        os.mkfifo(self.at / "in.fifo")
        os.mkfifo(self.at / "out.fifo")
        process = subprocess.Popen(
            [UPSWEEP, "scan", "in.fifo", "--in-format", "npy", "-o", "out.fifo"], cwd=self.at,
            env=ENVIRONMENT)
        (self.at / "in.fifo").write_bytes(self.array)
        got = (self.at / "out.fifo").read_bytes()
        self.assertEqual(process.wait(60), 0)
        self.assertEqual(got, self.whole())

    def test_reader_that_leaves(self):
        """As `upsweep ... | head -1`: ended by SIGPIPE, without a word."""
        process = subprocess.Popen([UPSWEEP, "scan", "-", "--in-format", "text", "-o", "-"],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENVIRONMENT,
                                   stderr=subprocess.PIPE)
        process.stdout.close()
        process.stdin.write(b"1\n" * 1000)
        process.stdin.close()
        self.assertEqual(process.stderr.read(), b"")
        process.stderr.close()
        self.assertEqual(process.wait(60), -signal.SIGPIPE)


class Places(CommandTest):
    def test_in_place(self):
        np.save(self.at / "x.npy", np.arange(5000, dtype="i4"))
        self.good("scan", "x.npy", "-o", "x.npy", "--chunk", "64", "--reverse")
        want = np.ascontiguousarray(np.cumsum(np.arange(5000, dtype="i4")[::-1], dtype="i4")[::-1])
        self.same_bits(np.load(self.at / "x.npy"), want)

    def test_device(self):
        self.good("scan", "-", "-o", "/dev/null", stdin=b"1\n")

    def test_link_and_mode_stay(self):
        (self.at / "there").mkdir()
        (self.at / "there/out.txt").write_text("old")
        (self.at / "there/out.txt").chmod(0o640)
        (self.at / "out.txt").symlink_to("there/out.txt")
        self.good("scan", "-", "-o", "out.txt", stdin=b"1\n")
        self.assertTrue((self.at / "out.txt").is_symlink())
        self.assertEqual((self.at / "there/out.txt").read_text(), "1\n")
        self.assertEqual((self.at / "there/out.txt").stat().st_mode & 0o777, 0o640)
        self.assertEqual(os.listdir(self.at / "there"), ["out.txt"])

    def test_new_file_obeys_the_umask(self):
        subprocess.run(["sh", "-c", 'umask 027; echo 1 | "$0" scan - -o out.txt', UPSWEEP],
                       cwd=self.at, env=ENVIRONMENT, check=True)
        self.assertEqual((self.at / "out.txt").stat().st_mode & 0o777, 0o640)


class Signals(CommandTest):
    ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def heed_signals(self):
        """A test run in the background or by nohup has some of them ignored."""
        for s in self.ENDING:
            signal.signal(s, signal.SIG_DFL)

    def start(self):
        """A scan that waits for more input, its temporary file begun."""
        process = subprocess.Popen(
            [UPSWEEP, "scan", "-", "--dtype", "f32", "-o", "out.raw", "--chunk", "4096"],
            stdin=subprocess.PIPE, cwd=self.at, env=ENVIRONMENT, preexec_fn=self.heed_signals)
        self.addCleanup(process.stdin.close)
        process.stdin.write(bytes(8192))
        process.stdin.flush()
        deadline = time.monotonic() + 60
        while not any(p.stat().st_size >= 8192 for p in self.at.iterdir()):
            self.assertLess(time.monotonic(), deadline)
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        self.assertFalse((self.at / "out.raw").exists())
        return process

    def test_ending_signals_leave_nothing(self):
        for s in self.ENDING:
            with self.subTest(s):
                process = self.start()
                process.send_signal(s)
                self.assertEqual(process.wait(60), -s)
                self.assertEqual(os.listdir(self.at), [])

    def test_without_a_signal_the_file_appears(self):
        process = self.start()
        process.stdin.close()
        self.assertEqual(process.wait(60), 0)
        self.assertEqual(os.listdir(self.at), ["out.raw"])
        self.assertEqual((self.at / "out.raw").read_bytes(), bytes(8192))


class Progress(CommandTest):
    def watch(self, stdin, wait, *source):
        """Feeds three chunks with a wait before the third; returns what the terminal saw."""
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            [UPSWEEP, "scan", "-", *source, "-o", "out.raw", "--chunk", "4096"],
            stdin=subprocess.PIPE, stderr=theirs, cwd=self.at, env=ENVIRONMENT)
        os.close(theirs)
        process.stdin.write(stdin[:8320])
        process.stdin.flush()
        time.sleep(wait)
        process.stdin.write(stdin[8320:])
        process.stdin.close()
        self.assertEqual(process.wait(60), 0)
        seen = b""
        while select.select([ours], [], [], 0)[0]:
            try:
                seen += os.read(ours, 4096)
            except OSError:  # the other end is closed
                break
        os.close(ours)
        return seen.decode()

    def test_bar_for_known_length(self):
        np.save(self.at / "in.npy", np.zeros(3072, "f4"))
        seen = self.watch((self.at / "in.npy").read_bytes(), 1.2)
        self.assertRegex(seen, r"\r\[#+ *\] +100 %  0\.00 GB  ")
        self.assertTrue(seen.endswith("\r\x1b[K"), seen)

    def test_amount_for_unknown_length(self):
        seen = self.watch(bytes(12288), 1.2, "--dtype", "f32")
        self.assertRegex(seen, r"^\r0\.00 GB  0\.00 GB/s")

    def test_nothing_for_short_work(self):
        self.assertEqual(self.watch(bytes(12288), 0, "--dtype", "f32"), "")


if __name__ == "__main__":
    tap.main()
