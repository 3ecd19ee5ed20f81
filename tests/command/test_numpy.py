# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Against numpy: integers, minimum and maximum equal, floats within docs/numerics.md's bounds."""

import numpy as np

import tap
from command import CommandTest

INTEGERS = [np.dtype(c) for c in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8")]
FLOATS = [np.dtype(c) for c in ("f2", "f4", "f8")]
COMPLEX = [np.dtype(c) for c in ("c8", "c16")]
# Past a group of every type, so that every unit of the order takes part.
LENGTH = 300_007
BACKENDS = ("cpu.openmp", "cpu.serial")


def random_integers(dtype, seed=1):
    info = np.iinfo(dtype)
    return np.random.default_rng(seed).integers(info.min, info.max, LENGTH, dtype, endpoint=True)


def sparse_bits(dtype):
    """Single bits here and there, so that results go on changing to the end."""
    rng = np.random.default_rng(7)
    x = np.zeros(LENGTH, dtype)
    for i in rng.integers(0, LENGTH, 100):
        x[i] = dtype.type(1) << dtype.type(rng.integers(8 * dtype.itemsize - 1))
    return x


def flipped(accumulate, reverse):
    if not reverse:
        return accumulate
    return lambda x: np.ascontiguousarray(accumulate(x[::-1])[::-1])


class Equal(CommandTest):
    def compare(self, op, accumulate, arrays):
        for x in arrays:
            for backend in BACKENDS:
                for reverse in (False, True):
                    with self.subTest(op=op, dtype=x.dtype, backend=backend, reverse=reverse):
                        options = ["--op", op, "--backend", backend] + ["--reverse"] * reverse
                        want = flipped(accumulate, reverse)(x)
                        self.same_bits(self.scan(x, *options), want)

    def test_cumsum(self):
        self.compare("sum", lambda x: np.cumsum(x, dtype=x.dtype), map(random_integers, INTEGERS))

    def test_cumprod(self):
        # Odd factors: even ones would leave nothing but zeros.
        self.compare("product", lambda x: np.cumprod(x, dtype=x.dtype),
                     (random_integers(t) | np.array(1, t) for t in INTEGERS))

    def test_minimum(self):
        self.compare("minimum", np.minimum.accumulate, map(random_integers, INTEGERS))

    def test_maximum(self):
        self.compare("maximum", np.maximum.accumulate, map(random_integers, INTEGERS))

    def test_bit_and(self):
        self.compare("bit_and", np.bitwise_and.accumulate, (~sparse_bits(t) for t in INTEGERS))

    def test_bit_or(self):
        self.compare("bit_or", np.bitwise_or.accumulate, map(sparse_bits, INTEGERS))

    def test_bit_xor(self):
        self.compare("bit_xor", np.bitwise_xor.accumulate, map(random_integers, INTEGERS))

    def test_logical(self):
        x = random_integers(np.dtype("u1")) > 1
        x[:1000] = True
        for op, ufunc in (("logical_and", np.logical_and), ("logical_or", np.logical_or)):
            for y in (x, ~x):
                with self.subTest(op):
                    self.same_bits(self.scan(y, "--op", op), ufunc.accumulate(y).astype("u1"))

    def test_float_extremes(self):
        rng = np.random.default_rng(2)
        for dtype in FLOATS:
            x = (np.abs(rng.standard_normal(LENGTH)) + 0.5).astype(dtype)
            y = x.copy()
            y[LENGTH // 2] = np.nan
            self.compare("minimum", np.minimum.accumulate, (x, -x))
            self.compare("maximum", np.maximum.accumulate, (x, -x))
            np.testing.assert_array_equal(self.scan(y, "--op", "minimum"), np.minimum.accumulate(y))

    def test_mixed_types(self):
        x = random_integers(np.dtype("i2"))
        self.same_bits(self.scan(x, "--out-dtype", "i64"), np.cumsum(x, dtype="i8"))
        self.same_bits(self.scan(x, "--out-dtype", "f64"), np.cumsum(x, dtype="f8"))

    def test_exclusive_and_init(self):
        x = random_integers(np.dtype("i4"))
        want = np.cumsum(np.concatenate(([np.int32(7)], x)), dtype="i4")
        self.same_bits(self.scan(x, "--exclusive", "--init", "7"), want[:-1])
        self.same_bits(self.scan(x, "--init", "7"), want[1:])


class Bounded(CommandTest):
    def compare(self, op, x, exact, error_in_u):
        """`exact` in long double; `error_in_u` in units of the accumulator's roundoff."""
        accumulator = np.finfo(np.float64 if x.real.dtype == np.float64 else np.float32)
        u = accumulator.eps / 2
        for backend in BACKENDS:
            for reverse in (False, True):
                with self.subTest(op=op, dtype=x.dtype, backend=backend, reverse=reverse):
                    y = np.ascontiguousarray(x[::-1]) if reverse else x
                    got = self.scan(y, "--op", op, "--backend", backend, *["--reverse"] * reverse)
                    got = got[::-1] if reverse else got
                    self.assertEqual(got.dtype, x.dtype)
                    bound = 1.01 * u * error_in_u(backend)
                    if x.dtype == np.float16:
                        bound = bound + np.spacing(np.abs(exact).astype("f2")).astype("f8") / 2
                    self.assertTrue(np.all(np.abs(got.astype(exact.dtype) - exact) <= bound))

    def depth(self, backend, dtype):
        i = np.arange(LENGTH)
        if backend == "cpu.serial":
            return i
        v = 16 // max(4, dtype.itemsize)  # f16 is combined in f32
        group = v * 4 * 32 * 4 * 4 * 32
        return np.minimum(i, v + 21 + (i + 1) // group)

    def test_cumsum(self):
        rng = np.random.default_rng(3)
        for dtype in FLOATS:
            # Small enough for f16 to hold the sums.
            x = (rng.standard_normal(LENGTH) / 64).astype(dtype)
            wide = x.astype(np.longdouble)
            self.compare("sum", x, np.cumsum(wide),
                         lambda b: self.depth(b, dtype) * np.cumsum(np.abs(wide)))

    def test_complex_cumsum(self):
        rng = np.random.default_rng(4)
        for dtype in COMPLEX:
            x = (rng.standard_normal(LENGTH) + 1j * rng.standard_normal(LENGTH)).astype(dtype)
            wide = x.astype(np.clongdouble)
            part = np.dtype(f"f{dtype.itemsize // 2}")
            for axis in (np.real, np.imag):
                with self.subTest(dtype=dtype, part=axis.__name__):
                    got = axis(self.scan(x))
                    sums = np.cumsum(np.abs(axis(wide)))
                    bound = 1.01 * np.finfo(part).eps / 2 * sums
                    v = 16 // dtype.itemsize
                    depth = v + 21 + np.arange(LENGTH) // (v * 65536)
                    self.assertTrue(np.all(np.abs(got - np.cumsum(axis(wide))) <= depth * bound))

    def test_cumprod(self):
        rng = np.random.default_rng(5)
        for dtype in FLOATS[1:]:
            # The logarithms of the products walk about 0 and stay small.
            x = np.exp(rng.standard_normal(LENGTH) / 512).astype(dtype)
            exact = np.cumprod(x.astype(np.longdouble))
            self.compare("product", x, exact, lambda b: np.arange(LENGTH) * np.abs(exact))

    def test_affine(self):
        rng = np.random.default_rng(6)
        for dtype in FLOATS[1:]:
            a = rng.uniform(-1, 1, LENGTH).astype(dtype)
            b = rng.standard_normal(LENGTH).astype(dtype)
            pairs = np.stack([a, b], axis=1).reshape(-1)
            got = self.scan(pairs, "--op", "affine")[1::2]
            h = np.empty(LENGTH, np.longdouble)
            size = np.empty(LENGTH, np.longdouble)
            h[0], size[0] = b[0], abs(b[0])
            wide_a, wide_b = a.astype(np.longdouble), b.astype(np.longdouble)
            for i in range(1, LENGTH):
                h[i] = wide_a[i] * h[i - 1] + wide_b[i]
                size[i] = abs(wide_a[i]) * size[i - 1] + abs(wide_b[i])
            bound = 1.01 * 2 * (np.arange(LENGTH) + 1) * (np.finfo(dtype).eps / 2) * size
            self.assertTrue(np.all(np.abs(got - h) <= bound))


if __name__ == "__main__":
    tap.main()
