# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The three formats, each read and written, with every type it can hold."""

import struct

import numpy as np

import tap
from command import SANITISED, CommandTest


def npy(header, data=b"", version=1):
    """A .npy file with a header of our own making."""
    size = struct.pack("<H" if version == 1 else "<I", len(header))
    return b"\x93NUMPY" + bytes([version, 0]) + size + header + data


def header(descr="'<i4'", shape="(3,)", order="False"):
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n".encode()


class Npy(CommandTest):
    def test_every_type_keeps_its_dtype(self):
        for code in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"):
            with self.subTest(code):
                x = np.array([1, 2, 3], code)
                self.same_bits(self.scan(x), np.cumsum(x, dtype=x.dtype))

    def test_bool_is_u8(self):
        self.same_bits(self.scan(np.array([True, False, True])), np.array([1, 1, 2], "u1"))

    def test_big_endian(self):
        for code in ("i2", "u4", "i8", "f2", "f4", "f8", "c8", "c16"):
            with self.subTest(code):
                x = np.array([1, 258, 3], ">" + code)
                got = self.scan(x)
                self.assertEqual(got.tobytes(), np.cumsum(x, dtype="<" + code).tobytes())

    def test_big_endian_reverse_in_chunks(self):
        x = np.arange(1000, dtype=">i4")
        got = self.scan(x, "--reverse", "--chunk", "40")
        self.same_bits(got, np.ascontiguousarray(np.cumsum(x[::-1], dtype="<i4")[::-1]))

    def test_zero_d_is_one_element(self):
        got = self.scan(np.array(5, "i4"), "--init", "2")
        self.same_bits(got, np.array(7, "i4"))

    def test_empty(self):
        np.save(self.at / "in.npy", np.zeros(0, "f4"))
        out = self.good("scan", "in.npy", "-o", "out.npy", "--total", "--init", "0x1.8p1")
        self.assertEqual(out, b"3\n")
        self.same_bits(np.load(self.at / "out.npy"), np.zeros(0, "f4"))

    def test_headers_as_others_write_them(self):
        data = struct.pack("<3i", 1, 2, 3)
        for name, file in {
            "version 2": npy(header(), data, version=2),
            "version 3": npy(header(), data, version=3),
            "Fortran order": npy(header(order="True"), data),
            "native order": npy(header(descr="'=i4'"), data),
            "double quotes": npy(header().replace(b"'", b'"'), data),
            "other order of keys": npy(b"{'shape':(3,),'fortran_order':False,'descr':'<i4'}", data),
            "Python 2": npy(header(shape="(3L,)"), data),
        }.items():
            with self.subTest(name):
                (self.at / "in.npy").write_bytes(file)
                self.good("scan", "in.npy", "-o", "out.npy")
                self.same_bits(np.load(self.at / "out.npy"), np.array([1, 3, 6], "i4"))

    def test_affine_interleaves(self):
        got = self.scan(np.array([2, 1, 3, 5], "f8"), "--op", "affine", "--init", "1,10")
        self.same_bits(got, np.array([2, 21, 6, 68], "f8"))

    def test_dtype_may_repeat_what_the_file_says(self):
        self.same_bits(self.scan(np.array([1, 2], "i4"), "--dtype", "i32"), np.array([1, 3], "i4"))


class Raw(CommandTest):
    def test_every_type(self):
        codes = dict(i8="i1", u8="u1", i16="i2", u16="u2", i32="i4", u32="u4", i64="i8", u64="u8",
                     f16="f2", f32="f4", f64="f8", c64="c8", c128="c16")
        for name, code in codes.items():
            with self.subTest(name):
                x = np.array([1, 2, 3], code)
                (self.at / "in.raw").write_bytes(x.tobytes())
                self.good("scan", "in.raw", "--dtype", name, "-o", "out.raw")
                want = np.cumsum(x, dtype=code).tobytes()
                self.assertEqual((self.at / "out.raw").read_bytes(), want)

    def test_bf16(self):
        # The upper halves of 1, 2, 4 as f32; 1 + 2 + 4 = 7.
        ones = np.array([1, 2, 4], "f4").view("u2")[1::2]
        (self.at / "in.raw").write_bytes(ones.tobytes())
        self.good("scan", "in.raw", "--dtype", "bf16", "-o", "out.txt")
        self.assertEqual((self.at / "out.txt").read_text(), "1\n3\n7\n")

    def test_affine_counts_pairs(self):
        x = np.array([2, 1, 3, 5], "u4")
        (self.at / "pairs").write_bytes(x.tobytes())
        out = self.good("scan", "pairs", "--dtype", "u32", "--op", "affine", "-o", "out", "--total")
        self.assertEqual(out, b"6,8\n")
        self.assertEqual((self.at / "out").read_bytes(), np.array([2, 1, 6, 8], "u4").tobytes())

    def test_empty_file_leaves_an_empty_file(self):
        (self.at / "in.raw").touch()
        self.good("scan", "in.raw", "--dtype", "f32", "-o", "out.raw")
        self.assertEqual((self.at / "out.raw").read_bytes(), b"")


class Text(CommandTest):
    def through(self, lines, *options):
        (self.at / "in.txt").write_text(lines)
        self.good("scan", "in.txt", "-o", "out.txt", *options)
        return (self.at / "out.txt").read_text()

    def test_default_is_f64(self):
        self.assertEqual(self.through("1\n0.5\n-2e3\n"), "1\n1.5\n-1998.5\n")

    def test_integers_to_their_limits(self):
        self.assertEqual(self.through("18446744073709551615\n1\n0x10\n", "--dtype", "u64"),
                         "18446744073709551615\n0\n16\n")
        self.assertEqual(self.through("-9223372036854775808\n+1\n-0x1\n", "--dtype", "i64"),
                         "-9223372036854775808\n-9223372036854775807\n-9223372036854775808\n")

    def test_spaces_line_ends_and_no_last_line_end(self):
        self.assertEqual(self.through(" 1 \r\n\t2\r\n3", "--dtype", "i8"), "1\n3\n6\n")

    def test_special_floats(self):
        self.assertEqual(self.through("-0.0\n", "--dtype", "f32"), "-0\n")
        self.assertEqual(self.through("0x1.8p-1074\n", "--dtype", "f64"), "1e-323\n")
        self.assertRegex(self.through("inf\n-inf\n1\n"), "^inf\n-?nan\n-?nan\n$")
        self.assertEqual(self.through("-infinity\nNaN\n", "--op", "minimum"), "-inf\nnan\n")

    def test_output_reads_back_exactly(self):
        rng = np.random.default_rng(1)
        for name, code in (("f16", "f2"), ("f32", "f4"), ("f64", "f8")):
            with self.subTest(name):
                bits = rng.integers(0, 2 ** (8 * np.dtype(code).itemsize), 20_000, dtype="u8")
                x = bits.astype(f"u{np.dtype(code).itemsize}").view(code)
                x = x[np.isfinite(x)]
                (self.at / "in.raw").write_bytes(x.tobytes())
                # Running maxima, through text and not.
                self.good("scan", "in.raw", "--dtype", name, "--op", "maximum", "-o", "a.txt")
                self.good("scan", "a.txt", "--dtype", name, "--op", "maximum", "-o", "a.raw")
                self.good("scan", "in.raw", "--dtype", name, "--op", "maximum", "-o", "b.raw")
                self.assertEqual((self.at / "a.raw").read_bytes(), (self.at / "b.raw").read_bytes())
                # And one at a time, as they are.
                for y in x[:2 if SANITISED else 40]:
                    text = self.good("scan", "-", "--in-format", "raw", "--dtype", name, "-o", "-",
                                     "--format", "text", stdin=y.tobytes())
                    back = self.good("scan", "-", "--in-format", "text", "--dtype", name, "-o", "-",
                                     "--format", "raw", stdin=text)
                    self.assertEqual(back, y.tobytes())

    def test_halves_round_once(self):
        # 1 + 2^-11 is a tie, which goes to even; the least bit above it goes up.
        for text, want in (("1.00048828125", "1"), ("1.000488281250001", "1.0009766"),
                           ("65519.999", "65504"), ("5.9604644775390625e-08", "5.9604645e-08"),
                           ("2.98023223876953125e-08", "0")):
            with self.subTest(text):
                self.assertEqual(self.through(text + "\n", "--dtype", "f16"), want + "\n")

    def test_complex_and_pairs(self):
        self.assertEqual(self.through("1,2\n3,-4\n", "--dtype", "c64"), "1,2\n4,-2\n")
        self.assertEqual(self.through("2,1\n3,5\n", "--op", "affine"), "2,1\n6,8\n")

    def test_reverse(self):
        self.assertEqual(self.through("1\n2\n3\n", "--reverse", "--chunk", "8"), "6\n5\n3\n")

    def test_longer_than_one_block(self):
        lines = "".join(f"{i}\n" for i in range(300_000))
        got = self.through(lines, "--dtype", "i64").split()
        np.testing.assert_array_equal(np.array(got, "i8"), np.cumsum(np.arange(300_000)))


class Choice(CommandTest):
    def test_output_by_extension_then_by_input(self):
        (self.at / "in.txt").write_text("1\n2\n")
        for out, want in (("out.txt", b"1\n3\n"), ("out.csv", b"1\n3\n"), ("out", b"1\n3\n"),
                          ("out.bin", struct.pack("<2d", 1, 3))):
            with self.subTest(out):
                self.good("scan", "in.txt", "-o", out)
                self.assertEqual((self.at / out).read_bytes(), want)

    def test_format_wins(self):
        (self.at / "in.txt").write_text("1\n2\n")
        self.good("scan", "in.txt", "-o", "out.npy", "--format", "raw")
        self.assertEqual((self.at / "out.npy").read_bytes(), struct.pack("<2d", 1, 3))
        self.good("scan", "out.npy", "-o", "out.txt", "--in-format", "raw", "--dtype", "f64")
        self.assertEqual((self.at / "out.txt").read_text(), "1\n4\n")


if __name__ == "__main__":
    tap.main()
