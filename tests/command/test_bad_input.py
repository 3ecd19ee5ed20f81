# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is wrong is said with its name and value, by exit code 1 or 2, and leaves no file."""

import json
import os
import resource
import subprocess

import numpy as np

import tap
from command import ENVIRONMENT, UPSWEEP, CommandTest
from test_formats import header, npy

FAILED, MISUSED = 1, 2


class BadFile(CommandTest):
    def bad_npy(self, file, *names):
        (self.at / "in.npy").write_bytes(file)
        self.refused(FAILED, "scan", "in.npy", "-o", "out.npy", names=("IN", "'in.npy'", *names))
        # The same through a pipe.
        if file.startswith(b"\x93NUMPY"):
            self.refused(FAILED, "scan", "-", "-o", "out.npy", stdin=file, names=("IN", "'-'"))

    def test_missing(self):
        self.refused(FAILED, "scan", "none.npy", "-o", "out.npy",
                     names=("IN", "'none.npy'", "No such file"))

    def test_input_is_a_directory(self):
        (self.at / "in.npy").mkdir()
        self.refused(FAILED, "scan", "in.npy", "-o", "out.npy",
                     names=("IN", "'in.npy'", "directory"))

    def test_wrong_magic(self):
        self.bad_npy(b"PK\x03\x04 and so on, long enough", "magic", "PK\\x03\\x04")

    def test_empty_npy(self):
        self.bad_npy(b"", "magic", "''")

    def test_unknown_version(self):
        self.bad_npy(npy(header(), bytes(12), version=4), "version", "4.0")

    def test_truncated_everywhere(self):
        whole = npy(header(), bytes(12))
        for size in range(len(whole)):
            (self.at / "in.npy").write_bytes(whole[:size])
            with self.subTest(size):
                self.refused(FAILED, "scan", "in.npy", "-o", "out.npy", names=("IN", "'in.npy'"))

    def test_short_data(self):
        self.bad_npy(npy(header(), bytes(11)), "data", "11", "12")

    def test_trailing_data(self):
        self.bad_npy(npy(header(), bytes(13)), "data", "1 bytes follow")

    def test_object_dtype(self):
        np.save(self.at / "o.npy", np.array([None, 1], object), allow_pickle=True)
        self.bad_npy((self.at / "o.npy").read_bytes(), "descr", "'|O'", "object")

    def test_structured_dtype(self):
        np.save(self.at / "s.npy", np.zeros(3, [("a", "i4"), ("b", "f4")]))
        self.bad_npy((self.at / "s.npy").read_bytes(), "descr", "('a', '<i4')", "structured")

    def test_dtypes_that_upsweep_lacks(self):
        for descr in ("<U5", "|S3", "<M8[ns]", "<f16", "|V4", "", "<", "<i3"):
            with self.subTest(descr):
                self.bad_npy(npy(header(descr=f"'{descr}'")), "descr", f"'{descr}'")

    def test_shapes(self):
        for shape, *names in (("(-3,)", "-3", "negative"),
                              ("(9223372036854775808,)", "9223372036854775808", "2^63"),
                              ("(4294967296, 2147483648)", "4294967296, 2147483648", "2^63"),
                              ("(2305843009213693952,)", "2305843009213693952", "2^63"),
                              ("(3, 4)", "(3, 4)", "axis"), ("(1, 1, 1)", "rank 3"),
                              ("(3)", "','"), ("3", "'('"), ("(,)", "number"),
                              ("(--3,)", "number")):
            with self.subTest(shape):
                self.bad_npy(npy(header(shape=shape)), *names)

    def test_headers_that_are_no_dictionary(self):
        for text in (b"", b"{", b"[]", b"{}", b"{'descr': '<i4'}", b"{'descr: '<i4'}",
                     b"{'descr': '<i4', 'fortran_order': Maybe, 'shape': (3,)}",
                     b"{'descr': '<i4', 'descr': '<i4', 'fortran_order': False, 'shape': (3,)}",
                     header()[:-1] + b" x", b"{'colour': 'red'}", b"\0" * 50):
            with self.subTest(text):
                self.bad_npy(npy(text, bytes(12)), "header")

    def test_header_that_promises_gigabytes(self):
        self.bad_npy(b"\x93NUMPY\x02\x00\xff\xff\xff\x7f" + header(), "header", "2147483659")

    def test_odd_byte_count(self):
        (self.at / "in.raw").write_bytes(bytes(10))
        for source, stdin in (("in.raw", b""), ("-", bytes(10))):
            self.refused(FAILED, "scan", source, "--dtype", "f32", "-o", "out.raw", stdin=stdin,
                         names=("IN", f"'{source}'", "10 bytes", "--dtype f32"))

    def test_odd_count_of_affine_scalars(self):
        (self.at / "in.raw").write_bytes(bytes(12))
        self.refused(FAILED, "scan", "in.raw", "--dtype", "f32", "--op", "affine", "-o", "out.raw",
                     names=("IN", "'in.raw'", "12 bytes", "affine"))
        np.save(self.at / "in.npy", np.zeros(3, "f4"))
        self.refused(FAILED, "scan", "in.npy", "--op", "affine", "-o", "out.npy",
                     names=("IN", "'in.npy'", "3 values", "affine"))

    def test_text_names_the_line(self):
        for line, options in (("x", ()), ("", ()), ("1 2", ()), ("1e", ()), ("1e999", ()),
                              ("1.5", ("--dtype", "i32")), ("300", ("--dtype", "u8")),
                              ("-1", ("--dtype", "u8")), ("0x", ("--dtype", "i8")),
                              ("-129", ("--dtype", "i8")), ("65520", ("--dtype", "f16")),
                              ("1", ("--dtype", "c64")), ("1,2,3", ("--dtype", "c64")),
                              ("1,2", ()), ("9" * 5000, ())):
            with self.subTest(line[:20]):
                text = f"1,1\n1,1\n{line}\n" if "c64" in options else f"1\n1\n{line}\n"
                shown = "'" + line[:40]
                for source, stdin in (("in.txt", b""), ("-", text.encode())):
                    if stdin == b"":
                        (self.at / "in.txt").write_text(text)
                    self.refused(FAILED, "scan", source, "--in-format", "text", "-o", "out.txt",
                                 *options, stdin=stdin,
                                 names=("IN", f"'{source}'", "line 3", shown))

    def test_binary_read_as_text(self):
        self.refused(FAILED, "scan", "-", "-o", "out.txt", stdin=b"\0\xff" * 10_000,
                     names=("IN", "line 1", "\\x00\\xff"))


class BadOutput(CommandTest):
    def setUp(self):
        super().setUp()
        np.save(self.at / "in.npy", np.zeros(100_000, "f4"))

    def test_directory(self):
        (self.at / "out.npy").mkdir()
        self.refused(FAILED, "scan", "in.npy", "-o", "out.npy",
                     names=("OUT", "'out.npy'", "directory"))

    def test_no_such_directory(self):
        self.refused(FAILED, "scan", "in.npy", "-o", "none/out.npy",
                     names=("OUT", "'none/out.npy'", "No such file"))

    def test_no_name(self):
        self.refused(FAILED, "scan", "in.npy", "-o", "none/", names=("OUT", "'none/'"))

    def test_full_device(self):
        for options in ((), ("--reverse",)):
            self.refused(FAILED, "scan", "in.npy", "-o", "/dev/full", *options,
                         names=("OUT", "'/dev/full'", "No space left"))

    def test_full_standard_output(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([UPSWEEP, "scan", "in.npy", "-o", "-"], stdout=full, cwd=self.at,
                                  stderr=subprocess.PIPE, env=ENVIRONMENT)
        self.assertEqual(done.returncode, FAILED)
        self.assertIn(b"OUT: '-': cannot write: No space left", done.stderr)

    def test_file_size_limit(self):
        """As a full disk, but without the right to mount a small one: the write fails midway."""
        before = self.files()
        done = subprocess.run(
            [UPSWEEP, "scan", "in.npy", "-o", "out.npy", "--chunk", "10000"], cwd=self.at,
            stderr=subprocess.PIPE, env=ENVIRONMENT,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)))
        self.assertEqual(done.returncode, FAILED, done.stderr)
        self.assertIn(b"OUT: 'out.npy': cannot write: File too large", done.stderr)
        self.assertEqual(self.files(), before)

    def test_full_disk(self):
        disk = self.at / "disk"
        disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", disk],
                                 stderr=subprocess.DEVNULL)
        if mounted.returncode != 0:
            self.skipTest("no right to mount a small disk")
        self.addCleanup(subprocess.run, ["umount", disk], check=True)
        (disk / "out.npy").write_text("as before")
        self.refused(FAILED, "scan", "in.npy", "-o", "disk/out.npy",
                     names=("OUT", "'disk/out.npy'", "No space left"))

    def test_read_only_file_is_not_replaced(self):
        if os.geteuid() == 0:
            self.skipTest("root may write to any file")
        (self.at / "out.npy").touch(mode=0o444)
        self.refused(FAILED, "scan", "in.npy", "-o", "out.npy",
                     names=("OUT", "'out.npy'", "denied"))

    def test_bf16_is_no_type_of_numpy(self):
        (self.at / "in.raw").write_bytes(bytes(4))
        self.refused(MISUSED, "scan", "in.raw", "--dtype", "bf16", "-o", "out.npy",
                     names=("OUT", "'out.npy'", "bf16"))

    def test_failure_keeps_the_old_file(self):
        (self.at / "out.txt").write_text("as before")
        self.refused(FAILED, "scan", "-", "-o", "out.txt", stdin=b"1\nx\n", names=("line 2",))


class BadOption(CommandTest):
    def bad(self, *options, names, code=MISUSED, env={}, source=b"1\n2\n", dtype="i32"):
        self.refused(code, "scan", "-", "--in-format", "text", "--dtype", dtype, "-o", "out.txt",
                     *options, stdin=source, names=names, env=env)

    def test_unknown_backend_offers_the_closest(self):
        for name, closest in (("cpu.opnmp", "cpu.openmp"), ("cpu.seral", "cpu.serial"),
                              ("cuda.singlepass", "cuda.single_pass")):
            self.bad("--backend", name, names=("--backend", f"'{name}'", f"'{closest}'"))

    def test_unknown_backend_by_environment(self):
        self.bad(env={"UPSWEEP_BACKEND": "cpu.opnmp"},
                 names=("UPSWEEP_BACKEND", "'cpu.opnmp'", "'cpu.openmp'"))

    def test_unavailable_backend_says_why(self):
        for b in json.loads(self.good("list", "--json")):
            if not b["available"]:
                self.bad("--backend", b["name"], code=FAILED,
                         names=("--backend", f"'{b['name']}'", b["reason"], "cpu.openmp"))

    def test_operator_without_meaning_for_the_type(self):
        for op, dtype in (("bit_and", "f32"), ("bit_or", "f64"), ("bit_xor", "c64"),
                          ("logical_and", "f32"), ("minimum", "c64"), ("maximum", "c128"),
                          ("affine", "i32"), ("affine", "f16")):
            with self.subTest(op=op, dtype=dtype):
                self.bad("--op", op, names=("--op", op, dtype), dtype=dtype, source=b"")

    def test_lossy_output_type(self):
        self.bad("--out-dtype", "i32", names=("--out-dtype", "i32", "f64"), dtype="f64")

    def test_not_served_yet(self):
        self.bad("--op", "log_add_exp", dtype="f64",
                 names=("--op", "log_add_exp", "not served yet"))

    def test_unknown_names(self):
        self.bad("--op", "add", names=("--op", "add", "sum"))
        self.bad("--out-dtype", "float", names=("--out-dtype", "float", "f32"))
        self.bad("--format", "csv", names=("--format", "csv", "text"))
        self.bad("--colour", "red", names=("--colour",))

    def test_counts(self):
        for option in ("--threads", "--chunk"):
            for value in ("0", "-1", "many", "1.5", "4x", ""):
                with self.subTest(option=option, value=value):
                    self.bad(option, value, names=(option, value))

    def test_init_that_does_not_parse(self):
        for value, dtype in (("x", "i32"), ("", "i32"), ("1.5", "i32"), ("3000000000", "i32"),
                             ("-1", "u8"), ("1,2", "i32"), ("1e400", "f64"), ("1", "c64"),
                             ("1,x", "c64"), ("0x1p", "f32")):
            with self.subTest(value=value, dtype=dtype):
                self.bad("--init", value, dtype=dtype, source=b"",
                         names=("--init", f"'{value}'"))

    def test_affine_init_is_a_pair(self):
        self.bad("--op", "affine", "--init", "1", names=("--init", "'1'", "pair"), dtype="f64",
                 source=b"")

    def test_dtype_against_the_file(self):
        np.save(self.at / "in.npy", np.zeros(3, "f4"))
        self.refused(MISUSED, "scan", "in.npy", "--dtype", "i32", "-o", "out.npy",
                     names=("--dtype", "i32", "f32"))

    def test_raw_needs_a_dtype(self):
        (self.at / "in.raw").write_bytes(bytes(8))
        self.refused(MISUSED, "scan", "in.raw", "-o", "out.raw", names=("--dtype", "'in.raw'"))

    def test_missing_words(self):
        self.refused(MISUSED, names=("subcommand",))
        self.refused(MISUSED, "scan", names=("IN",))
        self.refused(MISUSED, "scan", "in.npy", names=("--out",))
        self.refused(MISUSED, "sweep", names=("sweep",))

    def test_check(self):
        self.refused(MISUSED, "check", "--seconds", "-1", names=("--seconds", "-1"))
        self.refused(MISUSED, "check", "--backend", "cpus", names=("--backend", "'cpus'", "'cpu'"))
        self.refused(MISUSED, "check", "--replay", "colour=red", names=("--replay", "colour=red"))


if __name__ == "__main__":
    tap.main()
