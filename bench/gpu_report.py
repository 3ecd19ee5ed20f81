#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns what tools/gpu_check.sh --part bench measured into results, tables and charts.

gpu_report.py show LOGS
    prints a short table
gpu_report.py keep LOGS RESULTS_DIRECTORY
    keeps the measurements, as RESULTS_DIRECTORY/<gpu>/{scans,claims,profile}.json
gpu_report.py publish RESULTS_DIRECTORY PAGE.md
    writes tables and charts into the page, between its two markers for GPUs
"""

import csv
import json
import math
import pathlib
import re
import statistics
import sys

from report import number, power, pyplot, save, table

BEGIN = "<!-- gpu results: begin (written by bench/gpu_report.py) -->"
END = "<!-- gpu results: end -->"
METRICS = (
    "gpu__time_duration.sum", "dram__bytes_read.sum", "dram__bytes_write.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
    "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio",
)
BYTES = {"f32": 4, "i32": 4, "f64": 8, "i64": 8}
OURS, CUB, THRUST = "cuda.single_pass", "cuda.cub", "cuda.thrust"
LARGE = {"i32": 4, "f32": 4, "i64": 8, "f64": 8, "i16": 2, "f16": 2, "bf16": 2, "i8": 1,
         "u8 -> i32": 1, "f32 -> f64": 4, "c64": 8, "affine f32": 8, "affine f64": 16}
# Of a file that was kept before its rows named their tables.
ONLY_TABLE = {"scans": "textbooks", "claims": "claims"}
STYLES = {
    "copy": dict(color="#555555", linestyle="--", linewidth=1.8),
    OURS: dict(color="#d35400", linewidth=2.8),
    "cuda.cub": dict(color="#1f618d", linewidth=1.8),
    "cuda.thrust": dict(color="#5dade2", linewidth=1.4, linestyle="-."),
    "cuda.decoupled_lookback": dict(color="#c0392b", linewidth=2.4),
    "cuda.chained": dict(color="#e67e22", linewidth=1.6),
    "cuda.three_pass": dict(color="#1e8449", linewidth=2.0),
    "cuda.hybrid": dict(color="#52be80", linewidth=1.2, linestyle="-."),
    "cuda.coarsened": dict(color="#7d3c98", linewidth=1.4),
    "cuda.warp_shuffle": dict(color="#af7ac5", linewidth=1.4),
    "cuda.kogge_stone": dict(color="#b7950b", linewidth=1.2),
    "cuda.hillis_steele": dict(color="#f4d03f", linewidth=1.2),
    "cuda.brent_kung": dict(color="#17a589", linewidth=1.2),
    "cuda.blelloch": dict(color="#76d7c4", linewidth=1.2),
    "cuda.naive": dict(color="#000000", linewidth=1.0, linestyle=":"),
}


class Results:
    """Microseconds of one table by (case, contender, mode, n): one for each round that it has."""

    def __init__(self, path, of):
        data = json.loads(path.read_text())
        self.context = data["context"]
        self.us = {}
        for r in data["benchmarks"]:
            if r.get("table", ONLY_TABLE[path.stem]) == of:
                key = r["case"], r["contender"], r["mode"], r["n"]
                self.us.setdefault(key, []).append(r["us"])

    def at(self, contender, n, mode="graph", case="f32"):
        us = self.us.get((case, contender, mode, n))
        return statistics.median(us) if us else None

    def ratio(self, contender, other, n, mode="graph", case="f32"):
        """How many times as fast as the other: the median of rounds."""
        ours = self.us.get((case, contender, mode, n))
        theirs = self.us.get((case, other, mode, n))
        return statistics.median(t / o for t, o in zip(theirs, ours)) if ours and theirs else None

    def sizes(self, case):
        return sorted({n for c, _, _, n in self.us if c == case})

    def cases(self):
        return [c for c in BYTES if self.sizes(c)]


def machine_name(context):
    return re.sub(r"[^a-z0-9]+", "-", context["gpu"].lower()).strip("-")


def profile_rows(path):
    """The profiler's counts: a row a kernel, numbers in base units."""
    rows, head = [], None
    for line in csv.reader(path.read_text().splitlines()):
        if "Kernel Name" in line:
            head = line
            continue
        if head is None or len(line) != len(head) or not line[2].strip():
            continue  # the line of units
        get = dict(zip(head[2:], line[2:]))
        rows.append({
            "entry": line[0],
            "n": int(line[1]),
            "kernel": re.sub(r"[<(].*", "", get["Kernel Name"]).split("::")[-1],
            **{metric: float(get[metric].replace(",", "")) for metric in METRICS},
        })
    return rows


def write(path, context, key, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = ",\n".join("    " + json.dumps(row) for row in rows)
    head = json.dumps(context, indent=2).replace("\n", "\n  ")
    path.write_text(f'{{\n  "context": {head},\n  "{key}": [\n{lines}\n  ]\n}}\n')
    print(path)


def keep(logs, directory):
    for name in ("scans", "claims"):
        data = json.loads((logs / f"{name}.json").read_text())
        folder = directory / machine_name(data["context"])
        write(folder / f"{name}.json", data["context"], "benchmarks", data["benchmarks"])
    rows = profile_rows(logs / "profile.csv")
    write(folder / "profile.json", data["context"], "kernels", rows)


def size(bytes_):
    """4 KiB, 16 MiB, 1 GiB."""
    for unit in ("B", "KiB", "MiB"):
        if bytes_ < 1024:
            return f"{bytes_} {unit}"
        bytes_ //= 1024
    return f"{bytes_} GiB"


def large_table(results):
    """Every type from memory."""
    rows = []
    for case, bytes_ in LARGE.items():
        for n in results.sizes(case):
            copy = results.at("copy", n, case=case)
            of_copy = lambda c: number(copy / us) if (us := results.at(OURS, n, case=c)) else "-"
            rows.append(
                [case, size(n * bytes_), number(copy), of_copy(case),
                 number(results.ratio(OURS, "copy", n, "stream", case)),
                 of_copy(f"{case} minimum"), of_copy(f"{case} bit_xor")]
                + [number(results.ratio(c, "copy", n, case=case)) for c in (CUB, THRUST)]
                + [number(results.ratio(OURS, CUB, n, case=case))])
    return table(["type", "input", "copy, us", "sum, of copy", "from a stream", "minimum",
                  "bit_xor", "CUB, of copy", "Thrust, of copy", "sum, x CUB"], rows)


def small_table(results):
    """What fits in a cache: by graph, from a stream, cold."""
    modes = ("graph", "stream", "cold")
    rows = []
    for case in results.cases():
        for n in results.sizes(case):
            row = [case, size(n * BYTES[case])]
            for mode in modes:
                row.append(number(results.at(OURS, n, mode, case)))
                row += [number(results.ratio(OURS, c, n, mode, case))
                        for c in ("copy", CUB, THRUST)]
            rows.append(row)
    columns = [c for mode in modes for c in (f"{mode}, us", "of copy", "x CUB", "x Thrust")]
    return table(["type", "input"] + columns, rows)


def modes_table(results):
    """Modes and alignments, as multiples of the speed of the plain inclusive sum."""
    us, modes = {}, []
    for case, _, _, n in results.us:
        name, mode = case.split(", ", 1)
        us.setdefault(name, {})[mode] = results.at(OURS, n, case=case)
        if mode not in modes:
            modes.append(mode)
    plain, *others = modes
    return table(["of the inclusive sum"] + list(us),
                 [[plain + ", us"] + [number(of[plain]) for of in us.values()]]
                 + [[mode] + [number(of[plain] / of[mode]) if mode in of else "-"
                              for of in us.values()] for mode in others])


def lengths_table(results):
    """Lengths at and beside powers of two, as multiples of the speed of a copy."""
    cases = [case for case in LARGE if results.sizes(case)]
    columns = []
    for n in results.sizes(cases[0]):
        whole = 1 << round(math.log2(n))
        columns.append(size(n * LARGE[cases[0]]) if n == whole else f"{n - whole:+d}")
    return table(["of copy"] + columns,
                 [[case] + [number(results.ratio(OURS, "copy", n, case=case))
                            for n in results.sizes(case)] for case in cases])


def host_table(results):
    """What a call costs the host, beside a launch of a kernel that does nothing."""
    bare = "cudaLaunchKernel"
    rows = []
    for n in results.sizes("f32"):
        for mode in ("call", "call and wait"):
            for contender in ("plan::run", "one-shot call", bare, "cudaLaunchCooperativeKernel"):
                if us := results.at(contender, n, mode):
                    rows.append([power(n), mode, contender, number(1e3 * us),
                                 number(us / results.at(bare, n, mode))])
    return table(["n, f32", "", "call", "ns", "x bare launch"], rows)


def crossing_table(results):
    """Arrays in host memory."""
    contenders = list(dict.fromkeys(contender for _, contender, _, _ in results.us))
    return table(["f32 in host memory, ms"] + [power(n) for n in results.sizes("f32")],
                 [[contender] + [number(results.at(contender, n, "host") / 1e3)
                                 for n in results.sizes("f32")] for contender in contenders])


PRODUCTION = {  # tables of the production scan, by what gpu_bench calls them
    "large": ("Large arrays of every type", large_table),
    "small": ("Small arrays", small_table),
    "modes": ("Modes and alignments", modes_table),
    "lengths": ("Lengths that are no multiple of a super", lengths_table),
    "host": ("The host's share", host_table),
    "crossing": ("Host memory", crossing_table),
}


def production(path):
    """The tables of the production scan that a file has."""
    made = [(title, make(results)) for name, (title, make) in PRODUCTION.items()
            if (results := Results(path, name)).us]
    return "\n".join(f"#### {title}\n\n{text}" for title, text in made)


def ratio_table(results, mode, case):
    """Times of the copy, and of each contender as a multiple of its speed."""
    sizes = results.sizes(case)
    rows = [["copy, us"] + [number(results.at("copy", n, mode, case)) for n in sizes]]
    for contender in STYLES:
        ratios = [results.ratio(contender, "copy", n, mode, case) for n in sizes]
        if contender != "copy" and any(ratios):
            rows.append([contender] + [number(r) for r in ratios])
    return table([f"{case}, {mode}: of copy"] + [power(n) for n in sizes], rows)


def chart(results, case, path):
    plt = pyplot()
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.8), facecolor="white")
    sizes = results.sizes(case)
    for contender, style in STYLES.items():
        rates = [(n, 2e-3 * n * BYTES[case] / us) for n in sizes
                 if (us := results.at(contender, n, "graph", case))]
        calls = [(n, us) for n in sizes if (us := results.at(contender, n, "stream", case))]
        if rates:
            left.plot(*zip(*rates), label=contender, **style)
        if calls:
            right.plot(*zip(*calls), **style)
    left.set_ylabel("GB/s read and written, graph replay")
    right.set_ylabel("microseconds a call, from a stream")
    for axes in (left, right):
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xlabel("elements")
    figure.legend(loc="lower center", ncol=5, frameon=False)
    figure.tight_layout(rect=(0, 0.15, 1, 1))
    save(figure, path)


def roofline(results):
    """Bytes and operations an element, and the rate that a memory as fast as the copy's allows."""
    n = max(results.sizes("f32"))
    copy = results.at("copy", n)
    log2 = lambda n: n.bit_length() - 1
    kogge_stone = lambda n: n * log2(n) - n + 1
    trees = lambda n: 2 * n - 2
    shuffles = lambda n: n * log2(n) - (n // 32 - 1) ** 2 - 31
    coarsened = lambda k, threads, inner: (k - 1) * threads + inner(threads) + k * (threads - 1)
    rows = []
    for contender, accesses, work, tile in (  # combinations in a tile, and one an element after
            ("cuda.three_pass", 4, coarsened(16, 512, shuffles), 8192),
            ("cuda.chained", 2, coarsened(32, 256, shuffles), 8192),
            ("cuda.decoupled_lookback", 2, coarsened(32, 256, shuffles), 8192),
            ("cuda.coarsened", 4, coarsened(8, 512, kogge_stone), 4096),
            ("cuda.kogge_stone", 4, kogge_stone(1024), 1024),
            ("cuda.hillis_steele", 4, kogge_stone(1024), 1024),
            ("cuda.brent_kung", 4, trees(1024) - log2(1024), 1024),
            ("cuda.blelloch", 4, trees(1024), 1024),
            ("cuda.warp_shuffle", 4, shuffles(1024), 1024),
            (OURS, 2, None, None), (CUB, 2, None, None)):
        operations = number(work / tile + 1) if work else "-"
        us = results.at(contender, n)
        if us:
            floor = copy * accesses / 2
            rows.append([contender, str(4 * accesses), operations, number(1e-3 * n / floor),
                         number(1e-3 * n / us), number(floor / us)])
    return table(["f32, n = " + power(n), "bytes an element", "combinations an element",
                  "elements/ns that memory allows", "measured", "of that"], rows)


def claims(c, profile):
    """The literature's claims and what was measured."""
    k, m, g = 1 << 10, 1 << 12, 1 << 20
    us = lambda name, n, mode="graph": number(c.at(name, n, mode))
    bytes_of = lambda entry: sum(r["dram__bytes_read.sum"] + r["dram__bytes_write.sum"]
                                 for r in profile if r["entry"] == entry)
    of = lambda entry, metric: next((r[metric] for r in profile if r["entry"] == entry), None)
    conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"
    lanes = "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio"
    core = c.at("one CPU core, std::inclusive_scan", g, "host")
    three = c.at("grid kogge_stone", g)
    rate = lambda n, us_: 8e-3 * n / us_
    biggest = 1 << 24
    rows = [
        ["Kogge-Stone against Brent-Kung, one block, n = 1024", "2.8 against 3.7 us",
         f"{us('block kogge_stone', k)} against {us('block brent_kung', k)} us "
         f"(from a stream {us('block kogge_stone', k, 'stream')} and "
         f"{us('block brent_kung', k, 'stream')})",
         "few threads in a block of 32 warps: rounds and barriers count, not work, and Brent-Kung has twice the rounds"],
        ["one coarsened block against three-pass, n = 4096", "4.7 against 5.9 us",
         f"{us('block coarsened 8', m)} against {us('grid kogge_stone', m)} us",
         "one launch in place of three, and a tile in registers"],
        ["three-pass at 2^20 against one CPU core", "22.1 us against 1.79 ms, 81x",
         f"{us('grid kogge_stone', g)} us against {number(core / 1e3)} ms, {number(core / three)}x; "
         f"cuda.three_pass {us('three_pass', g)} us",
         "the GPU has the bandwidth of its L2 cache for 8 MiB; the core is a faster one than the claim's"],
        ["its rate, and a reduction's", "379 GB/s (37.6 % of peak); 887 GB/s",
         f"{number(rate(g, three))} GB/s, cuda.three_pass {number(rate(g, c.at('three_pass', g)))}; "
         f"reduction {number(rate(g, c.at('reduction, cub', g)) / 2)} GB/s (read only)",
         "three-pass reads and writes twice; a reduction reads once and writes nothing"],
        ["its growth from 4096 to 2^20", "3.8x",
         f"{number(three / c.at('grid kogge_stone', m))}x",
         "launches are the most of both times; 4 MiB take few microseconds more"],
        ["Hillis-Steele against Blelloch, three-pass, 2^24", "work n log n against 2 n",
         f"{us('grid hillis_steele', biggest)} against {us('grid blelloch padded', biggest)} us",
         "memory traffic is the same, and adders are not the limit, so that the saved work shows as little"],
        ["Blelloch's bank conflicts: direct, padded, swizzled (one block, 1024)", "padding pays",
         " / ".join(number(of(f"block blelloch {b}", conflicts) or None)
                    for b in ("direct", "padded", "swizzled")) + " conflicts; "
         + " / ".join(us(f"block blelloch {b}", k) for b in ("direct", "padded", "swizzled"))
         + " us; three-pass at 2^24 "
         + " / ".join(us(f"grid blelloch {b}", biggest) for b in ("direct", "padded", "swizzled"))
         + " us",
         "padding removes the conflicts but costs index arithmetic: in one block latency hides neither, over many blocks conflicts cost more"],
        ["divergence: active lanes an instruction, one block of 1024", "Brent-Kung idles lanes",
         f"Brent-Kung {number(of('block brent_kung', lanes))}, "
         f"Kogge-Stone {number(of('block kogge_stone', lanes))} of 32",
         "Brent-Kung's late rounds have few lanes in a warp; Kogge-Stone idles only the first lanes"],
        ["K elements a thread, three-pass, 2^24: K = 1, 2, 4, 8, 16", "more is faster, to a point",
         " / ".join(us(f"grid coarsened {x}", biggest) for x in (1, 2, 4, 8, 16)) + " us",
         "more bytes in flight for each thread and fewer barriers for each element"],
        ["warp shuffles against shared memory (Kogge-Stone)", "shuffles win",
         f"one block {us('block warp_shuffle', k)} against {us('block kogge_stone', k)} us; "
         f"2^24 {us('grid warp_shuffle', biggest)} against {us('grid kogge_stone', biggest)} us",
         "two barriers in place of 21"],
        ["naive against the others, n = 2^16", "quadratic",
         f"{us('naive', 1 << 16)} us; three_pass {us('three_pass', 1 << 16)}, "
         f"decoupled_lookback {us('decoupled_lookback', 1 << 16)}",
         "n^2 / 2 additions"],
        ["three-pass with totals extracted by a kernel, against fused, 2^24", "one launch more",
         f"{us('grid kogge_stone, extracting', biggest)} against "
         f"{us('grid kogge_stone', biggest)} us",
         "the extra launch is small beside the passes over memory"],
        ["chained against decoupled look-back, 2^24", "look-back hides the chain",
         f"{us('chained', biggest)} against {us('decoupled_lookback', biggest)} us",
         "a trip through the L2 cache from each tile to the next, one after the other"],
        ["DRAM bytes an element at 2^26: three-pass, chained, look-back", "16, 8, 8",
         " / ".join(number(bytes_of(e) / (1 << 26)) if bytes_of(e) else "-"
                    for e in ("three_pass", "chained", "decoupled_lookback")),
         "two passes over memory against one; the cache keeps a little of what was written"],
        ["hybrid's gain over three-pass Blelloch: 2^10, 2^12, 2^14", "small n in one launch",
         " / ".join(number(c.ratio("hybrid", "grid blelloch padded", n))
                    for n in (k, m, 1 << 14)) + " times as fast",
         "one launch saves what little there is to do; past the threshold the two are one"],
    ]
    return table(["claim", "as published (RTX 4090, where times are given)", "measured here", "why"], rows)


def describe(context):
    return table(["run", ""], [[k, str(v)] for k, v in context.items()])


def section(folder, images, link):
    scans = Results(folder / "scans.json", "textbooks")
    c = Results(folder / "claims.json", "claims")
    profile = json.loads((folder / "profile.json").read_text())["kernels"]
    parts = [f"### {scans.context['gpu']}\n\n" + describe(scans.context)]
    if of_ours := production(folder / "scans.json"):
        parts.append(of_ours)
    for case in scans.cases():
        name = f"{folder.name}-{case}.svg"
        chart(scans, case, images / name)
        parts.append(f"#### {case}\n\n![{case}: n against GB/s and time a call]({link}/{name})\n\n"
                     + "\n".join(ratio_table(scans, mode, case)
                                 for mode in ("graph", "stream", "cold")))
    if scans.sizes("f32"):  # not if one other table was measured alone
        parts.append("#### Roofline\n\n" + roofline(scans))
    parts.append("#### The literature's claims\n\n" + claims(c, profile))
    return "\n".join(parts)


def publish(directory, page):
    text = page.read_text()
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(BEGIN) > text.index(END):
        raise SystemExit(f"{page}: needs the markers '{BEGIN}' and '{END}', once and in order")
    parts = [section(path.parent, page.parent / "img", "img")
             for path in sorted(directory.glob("*/scans.json"))]
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    page.write_text(before + BEGIN + "\n\n" + "\n".join(parts) + "\n" + END + after)


def show(logs):
    if (logs / "claims.json").exists():
        print(claims(Results(logs / "claims.json", "claims"), profile_rows(logs / "profile.csv")))
    results = Results(logs / "scans.json", "textbooks")
    for case in results.cases():
        print(ratio_table(results, "graph", case))
    print(production(logs / "scans.json"))


def main(arguments):
    paths = [pathlib.Path(a) for a in arguments[1:]]
    commands = {"show": (show, 1), "keep": (keep, 2), "publish": (publish, 2)}
    if not arguments or arguments[0] not in commands or len(paths) != commands[arguments[0]][1]:
        raise SystemExit(__doc__)
    commands[arguments[0]][0](*paths)


if __name__ == "__main__":
    main(sys.argv[1:])
