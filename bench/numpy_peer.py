#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adds numpy.cumsum to what upsweep_bench has measured.

numpy_peer.py LIBUPSWEEP.so RAW.json
    measures numpy.cumsum(in, out=out) and a planned run of cpu.openmp, in turns in this process and
    on the same arrays, for i32, i64, f32 and f64 and every size of the benchmarks, and appends both
    to RAW.json: the contenders "numpy.cumsum" and "cpu.openmp.python", whose rate has the cost of a
    call from Python (ctypes) in it as numpy's has.
"""

import argparse
import ctypes
import json
import pathlib
import time

import numpy

CASES = {"i32": numpy.int32, "i64": numpy.int64, "f32": numpy.float32, "f64": numpy.float64}
EXPONENTS = range(8, 29, 2)
REPETITIONS = 5
LEAST_SECONDS = 0.02
SUM = 1  # UPSWEEP_SUM


def struct(name, *fields):
    """A struct of upsweep.h, whose first field is its size."""
    return type(name, (ctypes.Structure,),
                {"_fields_": [("struct_size", ctypes.c_size_t), *fields]})


def many(kind, names):
    return [(name, kind) for name in names.split()]


Spec = struct("Spec", *many(ctypes.c_int32, "input output op kind direction affine layout accuracy"),
              ("user_operator", ctypes.c_void_p))
Extents = struct("Extents", *many(ctypes.c_int64, "length outer inner segments"))
Options = struct("Options", ("backend", ctypes.c_char_p), *many(ctypes.c_int32, "memory threads"))
Arguments = struct("Arguments", *many(ctypes.c_void_p, "input output"), ("length", ctypes.c_int64),
                   *many(ctypes.c_void_p, "init init_device total state coefficients"),
                   *many(ctypes.c_int64, "outer inner"),
                   *[(name, ctypes.c_int64 * 3) for name in ("in_strides", "out_strides")],
                   ("segments", ctypes.c_int64), *many(ctypes.c_void_p, "offsets flags keys"),
                   ("key_size", ctypes.c_size_t), ("stream", ctypes.c_void_p))


class Library:
    """The C interface, as far as it is needed here."""

    def __init__(self, path):
        self.c = ctypes.CDLL(str(path))
        self.c.upsweep_last_error.restype = ctypes.c_char_p
        self.c.upsweep_type_name.restype = ctypes.c_char_p
        self.types = {self.c.upsweep_type_name(t).decode(): t for t in range(14)}

    def check(self, code):
        if code != 0:
            raise SystemExit(self.c.upsweep_last_error().decode())

    def made(self, kind, initialise, **fields):
        value = kind()
        self.check(initialise(ctypes.byref(value), ctypes.c_size_t(ctypes.sizeof(value))))
        for name, content in fields.items():
            setattr(value, name, content)
        return value

    def scan_call(self, case, source, target, threads):
        """A call without arguments that scans source into target."""
        c, n, t = self.c, source.size, self.types[case]
        plan = ctypes.c_void_p()
        self.check(c.upsweep_plan_create(
            ctypes.byref(self.made(Spec, c.upsweep_spec_init, input=t, output=t, op=SUM)),
            ctypes.byref(self.made(Extents, c.upsweep_extents_init, length=n)),
            ctypes.byref(self.made(Options, c.upsweep_plan_options_init, backend=b"cpu.openmp",
                                   threads=threads)),
            ctypes.byref(plan)))
        arguments = self.made(Arguments, c.upsweep_arguments_init, input=source.ctypes.data,
                              output=target.ctypes.data, length=n)
        run, reference = c.upsweep_plan_run, ctypes.byref(arguments)

        def call():
            self.check(run(plan, reference))

        return call


def timed(call, times):
    begin = time.perf_counter()
    for _ in range(times):
        call()
    return (time.perf_counter() - begin) / times


def measure(library, case, n, random):
    """Seconds of a call by (contender, threads), a list each."""
    source = (2 * random.integers(0, 8, n) - 7).astype(CASES[case])  # every sum is exact
    target = numpy.full(n, -1, CASES[case])
    calls = {("numpy.cumsum", 1): lambda: numpy.cumsum(source, out=target)}
    for threads in (1, 2):
        calls["cpu.openmp.python", threads] = library.scan_call(case, source, target, threads)
    expected = numpy.cumsum(source, dtype=CASES[case])
    times = {}
    for contender, call in calls.items():
        target.fill(-1)
        once = timed(call, 1)
        if not numpy.array_equal(target, expected):
            raise SystemExit(f"{contender}: wrong result of {n} {case}")
        times[contender] = max(1, int(LEAST_SECONDS / max(once, 1e-7)))
    seconds = {contender: [] for contender in calls}
    for _ in range(REPETITIONS):
        for contender, call in calls.items():
            seconds[contender].append(timed(call, times[contender]))
    return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("raw", type=pathlib.Path)
    options = parser.parse_args()
    library = Library(options.library)
    raw = json.loads(options.raw.read_text())
    raw["context"]["numpy"] = numpy.__version__
    random = numpy.random.default_rng()
    for case in CASES:
        for n in (1 << e for e in EXPONENTS):
            for (contender, threads), seconds in measure(library, case, n, random).items():
                name = f"scan/{case}/{contender}/{threads}/{n}/real_time"
                traffic = 2 * n * numpy.dtype(CASES[case]).itemsize
                raw["benchmarks"] += [{"name": name, "run_name": name, "run_type": "iteration",
                                       "bytes_per_second": traffic / s} for s in seconds]
    options.raw.write_text(json.dumps(raw, indent=1))


if __name__ == "__main__":
    main()
