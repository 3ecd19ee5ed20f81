#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns the JSON of upsweep_bench into results, tables and charts.

report.py condense RAW.json RESULTS_DIRECTORY SUITE
    keeps the medians of a run, as RESULTS_DIRECTORY/<cpu>/SUITE.json
report.py publish RESULTS_DIRECTORY PAGE.md
    writes tables and charts of all results into the page, between its two markers; charts go to
    img/ beside the page
"""

import argparse
import json
import math
import pathlib
import re
import statistics
import sys

OURS = "cpu.openmp"
COPY = "memcpy"
STD = "std.inclusive_scan"
BEGIN = "<!-- results: begin (written by bench/report.py) -->"
END = "<!-- results: end -->"
KEPT_CONTEXT = (
    "date", "commit", "cpu", "cpu_model", "num_cpus", "caches", "compiler", "huge_pages",
    "load_avg", "upsweep_version", "upsweep_plan", "tbb", "thrust", "numpy", "repetitions",
    "min_time",
)
CASES = ("f32", "f64", "i32", "i64", "i8", "i16", "u8-i32", "affine-f32")
# Contenders in the order of tables, and their lines in charts: ours stands out, copies are grey,
# peers are thin.
STYLES = {
    "cpu.openmp": dict(color="#c0392b", linewidth=2.6, marker="o", markersize=4, zorder=3),
    "upsweep.call": dict(color="#c0392b", linewidth=1.4, linestyle=":"),
    "cpu.serial": dict(color="#e59866", linewidth=1.4),
    "memcpy": dict(color="#555555", linestyle="--"),
    "nt_copy": dict(color="#999999", linestyle="--"),
    "std.inclusive_scan": dict(color="#1f618d", linewidth=1.4),
    "std.par_unseq": dict(color="#2e86c1", linewidth=1.4, linestyle="-."),
    "omp.scan": dict(color="#7d3c98", linewidth=1.4),
    "thrust.omp": dict(color="#1e8449", linewidth=1.4),
    "thrust.tbb": dict(color="#52be80", linewidth=1.4, linestyle="-."),
    "numpy.cumsum": dict(color="#b7950b", linewidth=1.4),
}
# Each beside the one of ours that is called as it is.
PEERS = {name: OURS for name in (STD, "std.par_unseq", "omp.scan", "thrust.omp",
                                 "thrust.tbb")} | {"numpy.cumsum": "cpu.openmp.python"}


class Results:
    """The medians of one run, by (case, contender, threads, n)."""

    def __init__(self, data):
        self.context = data["context"]
        self.rates = {}
        for row in data["benchmarks"]:
            key = (row["case"], row["contender"], row["threads"], row["n"])
            self.rates[key] = row["bytes_per_second"]

    def rate(self, case, contender, threads, n):
        """Bytes a second, or None where it was not measured."""
        return self.rates.get((case, contender, threads, n))

    def best(self, case, contender, threads, n):
        """The best of up to so many threads: short arrays are copied fastest by one."""
        rates = [self.rate(case, contender, t, n) for t in self.teams() if t <= threads]
        return max((r for r in rates if r), default=None)

    def ratio(self, case, contender, threads, n, other, other_threads):
        ours = self.rate(case, contender, threads, n)
        theirs = self.best(case, other, other_threads, n)
        return ours / theirs if ours and theirs else None

    def teams(self):
        return sorted({threads for _, _, threads, _ in self.rates})

    def sizes(self, case):
        return sorted({n for c, _, _, n in self.rates if c == case})


def condense(raw):
    """Medians over the repetitions of each benchmark; an error in the run is an error here."""
    runs = {}
    for run in raw["benchmarks"]:
        if run.get("error_occurred"):
            raise SystemExit(f"{run['name']}: {run['error_message']}")
        if run["run_type"] == "iteration":
            runs.setdefault(run["run_name"], []).append(run)
    rows = []
    for name, repetitions in runs.items():
        _, case, contender, threads, n, _ = name.split("/")
        rates = [run["bytes_per_second"] for run in repetitions]
        rows.append({
            "case": case,
            "contender": contender,
            "threads": int(threads),
            "n": int(n),
            "bytes_per_second": statistics.median(rates),
            "lowest": min(rates),
            "highest": max(rates),
            "repetitions": len(rates),
        })
    context = {key: raw["context"][key] for key in KEPT_CONTEXT if key in raw["context"]}
    return {"context": context, "benchmarks": rows}


def machine_name(context):
    """A folder name: the processor's name, family and model, and how many of it."""
    name = re.sub(r"\((r|tm)\)", "", context["cpu"].lower())
    words = f"{name} {context['cpu_model']} x{context['num_cpus']}"
    return re.sub(r"[^a-z0-9]+", "-", words).strip("-")


def write_results(results, directory, suite):
    path = directory / machine_name(results["context"]) / f"{suite}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = ",\n".join("    " + json.dumps(row) for row in results["benchmarks"])
    context = json.dumps(results["context"], indent=2).replace("\n", "\n  ")
    path.write_text(f'{{\n  "context": {context},\n  "benchmarks": [\n{rows}\n  ]\n}}\n')
    return path


def power(n):
    exponent = n.bit_length() - 1
    return f"2^{exponent}" if n == 1 << exponent else str(n)


def number(x, digits=3):
    """x with three significant digits, or a dash."""
    if x is None:
        return "-"
    return f"{x:.{max(0, digits - 1 - math.floor(math.log10(x)))}f}" if x < 1000 else f"{x:.0f}"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def first_table(results):
    """The inclusive sum of f32 and f64, in cache and from memory, by teams of threads."""
    rows = []
    for case in ("f32", "f64"):
        for n in (1 << 14, 1 << 26):
            for threads in results.teams():
                rate = results.rate(case, OURS, threads, n)
                if rate is None:
                    continue
                ratios = [
                    results.ratio(case, OURS, threads, n, STD, 1),
                    results.ratio(case, OURS, threads, n, COPY, threads),
                    results.ratio(case, OURS, threads, n, "nt_copy", threads),
                ]
                rows.append([case, power(n), str(threads), number(rate / 1e9)]
                            + [number(r) for r in ratios])
    if not rows:
        return ""
    head = ["type", "n", "threads", f"{OURS}, GB/s", "of std::inclusive_scan",
            "of memcpy", "of NT copy"]
    return table(head, rows)


def speed_up_table(results, case, sizes):
    """What threads gain over one, where there are more than two."""
    rows = []
    for threads in results.teams()[1:]:
        pairs = [(results.rate(case, OURS, threads, n), results.rate(case, OURS, 1, n))
                 for n in sizes]
        rows.append([str(threads)] + [number(many / one if many and one else None)
                                      for many, one in pairs])
    return table([f"{OURS}, threads"] + [power(n) for n in sizes], rows) if len(rows) > 1 else ""


def rate_table(results, case, sizes):
    rows = []
    for contender in STYLES:
        for threads in results.teams():
            rates = [results.rate(case, contender, threads, n) for n in sizes]
            if any(rates):
                rows.append([contender, str(threads)]
                            + [number(r and r / 1e9) for r in rates])
    return table(["GB/s", "threads"] + [power(n) for n in sizes], rows)


def peer_table(results, case, sizes):
    """Times the speed of each peer; theirs and ours by at most as many threads."""
    rows = []
    for peer, ours in PEERS.items():
        for threads in results.teams():
            best = [(results.best(case, ours, threads, n), results.best(case, peer, threads, n))
                    for n in sizes]
            if any(theirs for _, theirs in best):
                rows.append([peer, str(threads)]
                            + [number(x / y if x and y else None) for x, y in best])
    return table(["times the speed of", "threads"] + [power(n) for n in sizes], rows) if rows else ""


def ratio_table(results, case, sizes):
    rows = []
    for threads in results.teams():
        for other, label in ((COPY, "memcpy"), ("nt_copy", "NT copy")):
            ratios = [results.ratio(case, OURS, threads, n, other, threads) for n in sizes]
            if any(ratios):
                rows.append([label, str(threads)] + [number(r) for r in ratios])
    return table([f"{OURS} of", "threads"] + [power(n) for n in sizes], rows)


def pyplot():
    """matplotlib's, in the style of all charts, drawn the same from the same data."""
    import matplotlib
    matplotlib.use("svg")
    import matplotlib.pyplot as plt
    matplotlib.rcParams.update({
        "svg.hashsalt": "upsweep", "svg.fonttype": "none", "font.family": "sans-serif",
        "font.size": 10, "axes.grid": True, "grid.color": "#dddddd",
        "axes.spines.top": False, "axes.spines.right": False,
    })
    return plt


def save(figure, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, format="svg", metadata={"Date": None})
    pyplot().close(figure)
    path.write_text(re.sub(r"[ \t]+$", "", path.read_text(), flags=re.MULTILINE))


def chart(results, case, path):
    """n against GB/s and against the ratio to memcpy; a row for one thread, one for all."""
    plt = pyplot()
    sizes = results.sizes(case)
    teams = sorted({1, max(results.teams())})
    figure, panels = plt.subplots(len(teams), 2, figsize=(11, 3.6 * len(teams)), squeeze=False,
                                  sharex=True, facecolor="white")
    handles = {}
    for row, threads in zip(panels, teams):
        for contender, style in STYLES.items():
            lines = (
                [(n, results.rate(case, contender, threads, n)) for n in sizes],
                [(n, results.ratio(case, contender, threads, n, COPY, threads)) for n in sizes],
            )
            for axes, line, scale in zip(row, lines, (1e9, 1)):
                points = [(n, y / scale) for n, y in line if y]
                if points:
                    handles[contender], = axes.plot(*zip(*points), **style)
        label = "1 thread" if threads == 1 else f"{threads} threads"
        row[0].set_ylabel(f"GB/s read and written, {label}")
        row[1].set_ylabel(f"ratio to memcpy, {label}")
        row[1].axhline(1, color="#555555", linewidth=0.8)
        row[0].set_yscale("log")
        row[0].set_ylim(bottom=0.5)
        row[1].set_ylim(0, 2)
        for axes in row:
            axes.set_xscale("log", base=2)
            axes.set_xticks(sizes)
    for axes in panels[-1]:
        axes.set_xlabel("elements")
    figure.legend(handles.values(), handles.keys(), loc="lower center", ncol=5, frameon=False)
    figure.tight_layout(rect=(0, 0.11 / len(teams) + 0.02, 1, 1))
    save(figure, path)


def caches(context):
    sizes = (f"{c['type']} L{c['level']} {c['size'] // 1024} KiB" for c in context["caches"])
    return ", ".join(sizes)


def describe(context):
    facts = [
        ("processor", f"{context['cpu']} (family and model {context['cpu_model']}), "
                      f"{context['num_cpus']} processors"),
        ("caches", caches(context)),
        ("compiler", context["compiler"]),
        ("upsweep", f"{context['upsweep_version']}, commit {context.get('commit', 'unknown')}"),
        ("plan", context["upsweep_plan"]),
        ("date", context["date"]),
    ]
    facts += [(name, context[name]) for name in ("tbb", "thrust", "numpy", "huge_pages",
                                                  "repetitions", "min_time") if name in context]
    return table(["run", ""], [[name, str(value)] for name, value in facts])


def section(results, images, image_link):
    """All there is to show of one run, in Markdown; draws its charts on the way."""
    parts = [describe(results.context)]
    first = first_table(results)
    if first:
        parts.append("#### First table\n\nInclusive sum; copies by at most as many threads.\n\n"
                     + first)
    for case in CASES:
        sizes = results.sizes(case)
        if len(sizes) < 3:
            continue
        name = f"{machine_name(results.context)}-{case}.svg"
        chart(results, case, images / name)
        gains = speed_up_table(results, case, sizes)
        peers = peer_table(results, case, sizes)
        parts.append(f"#### {case}\n\n![{case}: n against GB/s and against ratio to memcpy]"
                     f"({image_link}/{name})\n\n" + ratio_table(results, case, sizes) + "\n"
                     + (f"{peers}\n" if peers else "")
                     + (f"Times the speed of one thread:\n\n{gains}\n" if gains else "")
                     + rate_table(results, case, sizes))
    return "\n".join(parts)


def publish(directory, page):
    text = page.read_text()
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(BEGIN) > text.index(END):
        raise SystemExit(f"{page}: needs the markers '{BEGIN}' and '{END}', once and in order")
    parts = []
    for path in sorted(directory.glob("*/*.json")):
        data = json.loads(path.read_text())
        if "gpu" in data["context"]:
            continue  # gpu_report.py's
        results = Results(data)
        parts.append(f"### {results.context['cpu']}, {path.stem}\n\n"
                     + section(results, page.parent / "img", "img"))
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    page.write_text(before + BEGIN + "\n\n" + "\n".join(parts) + "\n" + END + after)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("condense")
    one.add_argument("raw", type=pathlib.Path)
    one.add_argument("directory", type=pathlib.Path)
    one.add_argument("suite")
    two = commands.add_parser("publish")
    two.add_argument("directory", type=pathlib.Path)
    two.add_argument("page", type=pathlib.Path)
    options = parser.parse_args(arguments)
    if options.command == "condense":
        results = condense(json.loads(options.raw.read_text()))
        print(write_results(results, options.directory, options.suite))
        print(first_table(Results(results)))
    else:
        publish(options.directory, options.page)


if __name__ == "__main__":
    main(sys.argv[1:])
