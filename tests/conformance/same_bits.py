#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""same_bits.py COMMAND ORACLE: one SHA-256 for any threads, SIMD target, chunks, and the oracle.

n = 10,000,019 elements (UPSWEEP_BITS_N) of wide exponents with -0.0 and denormals; affine
coefficients are at most 1 in magnitude. Every NaN is made one NaN before hashing. TAP output, with
the hash of each type in a comment.
"""
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

COMMAND, ORACLE = sys.argv[1:]
N = int(os.environ.get("UPSWEEP_BITS_N", "10000019"))
TARGETS = ["avx512", "avx2", "sse4", "neon", "scalar"]
# type, operator, scalars an element, the unsigned type of a scalar, its significand bits, the biased
# exponents of the elements: as wide as leaves the sums of the narrow types finite and moving
KINDS = [("f32", "sum", 1, "u4", 23, (64, 192)), ("f64", "sum", 1, "u8", 52, (512, 1536)),
         ("f16", "sum", 1, "u2", 10, (1, 17)), ("bf16", "sum", 1, "u2", 7, (108, 128)),
         ("c64", "sum", 2, "u4", 23, (64, 192)), ("f32", "affine", 2, "u4", 23, (64, 192)),
         ("f64", "affine", 2, "u8", 52, (512, 1536))]


def elements(scalars, bits, fraction, exponents, affine, rng):
    """Random bit patterns with these exponents, a tenth of them -0.0 or denormal."""
    width = np.dtype(bits).itemsize * 8
    count = N * scalars
    exponent = rng.integers(*exponents, count, dtype=np.uint64)
    if affine:  # |b| < 1
        one = (1 << (width - 2 - fraction)) - 1
        exponent[::2] = one - 1 - exponent[::2] % np.uint64(4)
    mantissa = rng.integers(0, 1 << fraction, count, dtype=np.uint64)
    sign = rng.integers(0, 2, count, dtype=np.uint64)
    kind = rng.integers(0, 20, count, dtype=np.uint8)
    exponent[kind <= 1] = 0  # a denormal
    mantissa[kind == 1] = 0  # a zero
    sign[kind == 1] = 1      # -0.0
    return (sign << np.uint64(width - 1) | exponent << np.uint64(fraction) | mantissa).astype(bits)


def digest(raw, bits, fraction):
    x = np.frombuffer(raw, dtype=bits).copy()
    width = np.dtype(bits).itemsize * 8
    infinity = ((1 << (width - 1)) - (1 << fraction))
    x[(x & np.array((1 << (width - 1)) - 1, bits)) > infinity] = infinity + 1
    return hashlib.sha256(x.tobytes()).hexdigest(), len(np.unique(x[-1000:]))


def main():
    rng = np.random.default_rng(20240229)
    failed = number = 0
    with tempfile.TemporaryDirectory() as scratch:
        source, result = pathlib.Path(scratch) / "in.raw", pathlib.Path(scratch) / "out.raw"

        def scan(name, op, *options, target=None):
            environment = os.environ | ({"UPSWEEP_CPU_TARGET": target} if target else {})
            run = subprocess.run([COMMAND, "scan", source, "--dtype", name, "--op", op, "-o", result,
                                  "--backend", "cpu.openmp", *options], env=environment,
                                 capture_output=True, text=True)
            if target != "scalar" and any(absence in run.stderr for absence in
                                          ("this machine lacks", "is not compiled in")):
                return None
            if run.returncode:
                sys.exit(f"Bail out! {run.stderr}")
            return result.read_bytes()

        for name, op, scalars, bits, fraction, exponents in KINDS:
            elements(scalars, bits, fraction, exponents, op == "affine", rng).tofile(source)
            with source.open() as f:
                raw = subprocess.run([ORACLE, name, op], stdin=f, check=True,
                                     capture_output=True).stdout
            want, variety = digest(raw, bits, fraction)
            print(f"# {name} {op}: sha256 {want}; {variety} values in the last 1,000 scalars",
                  flush=True)
            whole = ["--chunk", str(1 << 40)]
            ways = [(f"threads {t}", whole + ["--threads", str(t)], None) for t in (1, 2, 3, 8)]
            ways += [(f"target {t}", whole, t) for t in TARGETS]
            ways += [("chunks of 999,984 bytes, by state", ["--chunk", "999984"], None)]
            for label, options, target in ways:
                got = scan(name, op, *options, target=target)
                number += 1
                same = got is None or digest(got, bits, fraction)[0] == want
                failed += not same
                skip = " # SKIP not here" if got is None else ""
                print(f"{'ok' if same else 'not ok'} {number} - {name} {op}, {label}{skip}",
                      flush=True)
    print(f"1..{number}")
    sys.exit(1 if failed else 0)


main()
