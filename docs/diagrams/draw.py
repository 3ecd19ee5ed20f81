#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""draw.py [--check]: draws the pictures of ../algorithms.md.

An algorithm is a list of rounds, whose steps are those of its kernel in backends/kernels/. Before
it is drawn it is run, on values that do not commute and with the threads of a round interleaved at
random; its results, its work, its barriers and its depth must be what the page says. With --check
nothing is written: the exit status is 1 if a picture here differs from what would be drawn.
"""
import itertools
import pathlib
import random
import sys
from math import log2
from typing import NamedTuple

HERE = pathlib.Path(__file__).resolve().parent


# ---- steps and rounds. A place in memory is (array, index); a value is the tuple of the elements
# combined in it, in order, so that () is the identity.

class Step(NamedTuple):
    """target = left + right, or a copy of left. Copies into registers are not shown."""
    target: tuple
    left: tuple
    right: tuple = None
    shown: bool = True


class Round(NamedTuple):
    """What each thread does, one step after the other; `end` parts it from the next round."""
    label: str
    threads: list
    end: str = "barrier"


def add(target, left, right, shown=True):
    return Step(target, left, right, shown)


def move(target, source):
    return Step(target, source)


def hold(target, source):
    return Step(target, source, None, False)


def powers(below):
    """1, 2, 4, ..."""
    return [1 << k for k in range(20) if 1 << k < below]


# ---- block scans, over places ("x", 0) to ("x", n - 1)

def hillis_steele(n):
    """Reads one buffer, writes the other."""
    yield Round("x", [])
    a, b = "x", "y"
    for d in powers(n):
        yield Round(f"d = {d}",
                    [[add((b, i), (a, i - d), (a, i)) if i >= d else hold((b, i), (a, i))]
                     for i in range(n)])
        a, b = b, a


def kogge_stone(n, x="x", shown=True):
    yield Round(x, [])
    for d in powers(n):
        yield Round("", [[hold(("left", x, i), (x, i - d))] for i in range(d, n)])
        yield Round(f"d = {d}", [[add((x, i), ("left", x, i), (x, i), shown)] for i in range(d, n)])


def ends_of_runs(n, length):
    return range(length - 1, n, length)


def brent_kung(n):
    yield Round("x", [])
    for d in powers(n):
        yield Round(f"reduce, d = {d}",
                    [[add(("x", i), ("x", i - d), ("x", i))] for i in ends_of_runs(n, 2 * d)])
    for d in reversed(powers(n // 2)):
        yield Round(f"distribute, d = {d}",
                    [[add(("x", i + d), ("x", i), ("x", i + d))]
                     for i in ends_of_runs(n - d, 2 * d)])


def blelloch(n):
    yield Round("x", [])
    for d in powers(n):
        threads = [[add(("x", i), ("x", i - d), ("x", i))] for i in ends_of_runs(n, 2 * d)]
        if 2 * d == n:
            threads[0] += [move(("total", 0), ("x", n - 1)), move(("x", n - 1), ("identity", 0))]
        yield Round(f"up, d = {d}", threads)
    for d in reversed(powers(n)):
        yield Round(f"down, d = {d}",
                    [[hold(("left", i), ("x", i - d)), move(("x", i - d), ("x", i)),
                      add(("x", i), ("x", i), ("left", i))] for i in ends_of_runs(n, 2 * d)])


def shuffles(register, lanes, groups, warp):
    """Kogge-Stone of the first lanes of each warp."""
    for d in powers(lanes):
        yield Round("", [[hold(("left",) + register(g, l), register(g, l - d))]
                         for g in groups for l in range(d, warp)], "shuffle")
        yield Round(f"shuffle up {d}",
                    [[add(register(g, l), ("left",) + register(g, l), register(g, l))]
                     for g in groups for l in range(d, warp)], "")


def warp_shuffle(n, warp=32):
    warps = range(n // warp)
    w = len(warps)
    yield from shuffles(lambda g, l: ("x", g * warp + l), warp, warps, warp)
    yield Round("the totals", [[move(("t", g), ("x", g * warp + warp - 1))] for g in warps])
    yield Round("", [[hold(("sum", g, l), ("t", l % w))] for g in warps for l in range(warp)], "")
    yield from shuffles(lambda g, l: ("sum", g, l), w, warps, warp)
    yield Round("add", [[add(("x", g * warp + l), ("sum", g, g - 1), ("x", g * warp + l))]
                        for g in warps[1:] for l in range(warp)])


def coarsened(n, k=8):
    threads = range(n // k)
    yield Round("x", [])
    yield Round("each thread", [[hold(("own", k * t), ("x", k * t))] +
                                [s for i in range(k * t + 1, k * t + k) for s in
                                 (hold(("own", i), ("x", i)),
                                  add(("own", i), ("own", i - 1), ("own", i)))] +
                                [move(("t", t), ("own", k * t + k - 1))] for t in threads], "")
    yield from kogge_stone(len(threads), "t")
    yield Round("add", [[s for i in range(k * t, k * t + k) for s in
                         ((add(("own", i), ("t", t - 1), ("own", i)),) if t > 0 else ()) +
                         (hold(("x", i), ("own", i)),)] for t in threads])


# ---- grid strategies

def three_pass(n, tile):
    """Kogge-Stone blocks, drawn without their barriers."""
    tiles = range(n // tile)
    for d in powers(tile):
        yield Round("", [[hold(("left", i), ("x", i - d))] for i in range(n) if i % tile >= d], "")
        yield Round(f"tiles, d = {d}", [[add(("x", i), ("left", i), ("x", i))]
                                        for i in range(n) if i % tile >= d], "")
    yield Round("pass 1: totals", [[move(("t", b), ("x", b * tile + tile - 1))] for b in tiles],
                "launch")
    for d in powers(len(tiles)):
        yield Round("", [[hold(("left", b), ("t", b - d))] for b in tiles[d:]], "")
        yield Round(f"pass 2, d = {d}", [[add(("t", b), ("left", b), ("t", b))] for b in tiles[d:]],
                    "" if 2 * d < len(tiles) else "launch")
    yield Round("pass 3: add", [[add(("x", i), ("t", i // tile - 1), ("x", i))]
                                for i in range(tile, n)], "")


def chained(tiles):
    """An element is a tile: its aggregate A, and its prefix P."""
    yield Round("block scans", [[move(("A", t), ("x", t))] for t in range(tiles)], "")
    yield Round("tile 0", [[move(("P", 0), ("A", 0))]], "")
    for t in range(1, tiles):
        yield Round(f"tile {t} waits for {t - 1}", [[add(("P", t), ("P", t - 1), ("A", t))]], "")


def look_back(tile, prefixes, window=32):
    """What comes before a tile, where the tiles in `prefixes` have published theirs."""
    later = None
    for end in itertools.count(tile, -window):
        lanes = [t for t in range(end - window, end) if t >= 0]
        seen = [t in prefixes for t in range(end - window, end)]
        yield Round("", [[hold(("w", t), ("P" if t in prefixes else "A", t))] for t in lanes], "")
        for d in powers(window):
            # A lane counts unless a later one has a prefix.
            counts = [t for t in range(end - window + d, end)
                      if not any(seen[t - d + 1 - end + window:])]
            yield Round("", [[hold(("left", t), ("w", t - d))] for t in counts], "")
            yield Round(f"{end - window} to {end - 1}, d = {d}",
                        [[add(("w", t), ("left", t), ("w", t))] for t in counts], "")
        if later is not None:
            yield Round("join the windows", [[add(("w", later), ("w", end - 1), ("w", later))]], "")
        else:
            later = end - 1
        if any(seen):
            yield Round("publish the prefix", [[add(("P", tile), ("w", later), ("A", tile))]], "")
            return


# ---- running them

class Memory:
    """Values, and the number of roundings on the longest path to each."""

    def __init__(self, values):
        self.values = dict(values)
        self.depth = {}
        self.work = 0

    def do(self, s):
        value, depth = self.values[s.left], self.depth.get(s.left, 0)
        if s.right is not None:
            self.work += 1
            right = self.values[s.right]
            rounds = bool(value) and bool(right)
            depth = max(depth, self.depth.get(s.right, 0)) + rounds
            value += right
        self.values[s.target], self.depth[s.target] = value, depth


def run(rounds, values, shuffled=None):
    memory = Memory(values)
    for r in rounds:
        threads = [list(steps) for steps in r.threads]
        while threads := [steps for steps in threads if steps]:
            memory.do((shuffled.choice(threads) if shuffled else threads[0]).pop(0))
    return memory


def inputs(n):
    return {("x", i): (i,) for i in range(n)} | {("identity", 0): ()}


def demand(what, got, want):
    if got != want:
        sys.exit(f"draw.py: {what}: {got}, not {want}")


def verify_scan(name, make, n, result, work, barriers, depth, seeds=3):
    """Results in every interleaving, work, barriers, depth."""
    rounds = list(make(n))
    for seed in range(seeds):
        memory = run(rounds, inputs(n), random.Random(seed))
        got = [memory.values[result(i, n)] for i in range(n)]
        demand(f"{name}, n = {n}", got, [tuple(range(i + 1)) for i in range(n)])
        demand(f"work of {name}, n = {n}", memory.work, work(n))
        demand(f"depth of {name}, n = {n}",
               max(memory.depth.get(result(i, n), 0) for i in range(n)), depth(n))
    demand(f"barriers of {name}, n = {n}", sum(r.end == "barrier" for r in rounds), barriers(n))


def lg(n):
    return int(log2(n))


def verify():
    in_x = lambda i, n: ("x", i)
    ks = lambda n: n * lg(n) - n + 1
    for n in (4, 8, 16, 64, 256, 1024):
        verify_scan("hillis_steele", hillis_steele, n, lambda i, n: ("y" if lg(n) % 2 else "x", i),
                    ks, lambda n: lg(n) + 1, lg)
        verify_scan("kogge_stone", kogge_stone, n, in_x, ks, lambda n: 2 * lg(n) + 1, lg)
        verify_scan("brent_kung", brent_kung, n, in_x, lambda n: 2 * n - 2 - lg(n),
                    lambda n: 2 * lg(n), lambda n: 2 * lg(n) - 2)
        verify_scan("blelloch", blelloch, n,
                    lambda i, n: ("x", i + 1) if i + 1 < n else ("total", 0),
                    lambda n: 2 * n - 2, lambda n: 2 * lg(n) + 1, lambda n: 2 * lg(n) - 2)
    for n in (64, 256, 1024):
        verify_scan("warp_shuffle", warp_shuffle, n, in_x,
                    lambda n: n * lg(n) - (n // 32 - 1) ** 2 - 31, lambda n: 2,
                    lambda n: lg(n) + (n > 64))
        for k in (2, 8):
            verify_scan("coarsened", lambda n: coarsened(n, k), n, in_x,
                        lambda n: 2 * n - n // k - k + ks(n // k), lambda n: 2 * lg(n // k) + 3,
                        lambda n: k + lg(n // k))
        verify_scan("three_pass", lambda n: three_pass(n, 16), n, in_x,
                    lambda n: n // 16 * ks(16) + ks(n // 16) + n - 16, lambda n: 0,
                    lambda n: lg(16) + lg(n // 16) + 1)
    for name, degrees in (("direct", [2, 4, 8, 16, 32, 16, 8, 4, 2, 1]),
                          ("padded", [1] * 10),
                          ("swizzled", [1] * 10)):
        demand(f"bank conflicts, {name}",
               [conflicts(bank_maps()[name], 2 * d) for d in powers(1024)], degrees)
    for tiles in (2, 5, 9):
        memory = run(chained(tiles), inputs(tiles))
        demand("chained", [memory.values[("P", t)] for t in range(tiles)],
               [tuple(range(t + 1)) for t in range(tiles)])
        demand("work of chained", memory.work, tiles - 1)
    for tile in range(1, 11):
        for some in itertools.product((False, True), repeat=tile - 1):
            verify_look_back(tile, {0} | {t + 1 for t, s in enumerate(some) if s}, 4)
    for seed in range(50):
        chance = random.Random(seed)
        verify_look_back(100, {0} | {t for t in range(100) if chance.random() < 0.02}, 32)


def published(tile, prefixes):
    """Tiles up to one: aggregates, and the prefixes of some."""
    return ({("A", t): (t,) for t in range(tile + 1)} |
            {("P", t): tuple(range(t + 1)) for t in prefixes})


def verify_look_back(tile, prefixes, window):
    memory = run(look_back(tile, prefixes, window), published(tile, prefixes))
    demand(f"look-back of tile {tile}", memory.values[("P", tile)], tuple(range(tile + 1)))
    if memory.depth[("P", tile)] > tile:
        sys.exit(f"draw.py: look-back of tile {tile}: depth {memory.depth[('P', tile)]}")


# ---- drawing

WIDE, HIGH, ROW, LEFT, TOP = 50, 24, 62, 140, 44
STYLES = {"input": ("#eef2f7", "#64748b"), "part": ("#fdf1d0", "#a16207"),
          "prefix": ("#d8f3dc", "#2d6a4f"), "none": ("#ffffff", "#64748b")}


class Picture:
    def __init__(self, title):
        self.title = title
        self.width = self.height = 0
        self.back, self.lines, self.front = [], [], []

    def text(self, x, y, words, size=12, anchor="middle", color="#1f2937", weight="normal"):
        self.front.append(f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}" '
                          f'fill="{color}" font-weight="{weight}">{words}</text>')

    def line(self, x1, y1, x2, y2, color="#94a3b8", width=1.3, dash="", arrow=False):
        self.lines.append(f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{color}" '
                          f'stroke-width="{width:g}"' +
                          (f' stroke-dasharray="{dash}"' if dash else "") +
                          (' marker-end="url(#tip)"' if arrow else "") + "/>")

    def dot(self, x, y):
        self.lines.append(f'<circle cx="{x:g}" cy="{y:g}" r="2.4" fill="#334155"/>')

    def box(self, x, y, words, style, wide=WIDE - 6, size=12):
        fill, stroke = STYLES[style]
        self.front.append(f'<rect x="{x - wide / 2:g}" y="{y - HIGH / 2:g}" width="{wide:g}" '
                          f'height="{HIGH}" rx="5" fill="{fill}" stroke="{stroke}"/>')
        self.text(x, y + 4, words, size)

    def band(self, x1, y1, x2, y2):
        self.back.append(f'<rect x="{x1:g}" y="{y1:g}" width="{x2 - x1:g}" '
                         f'height="{y2 - y1:g}" rx="8" fill="#f1f5f9"/>')

    def svg(self):
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width:g}" '
            f'height="{self.height:g}" viewBox="0 0 {self.width:g} {self.height:g}" '
            'font-family="Helvetica, Arial, sans-serif">',
            f"<title>{self.title}</title>",
            '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
            'markerHeight="7" orient="auto"><path d="M0 0.8L7.5 4L0 7.2z" fill="#334155"/></marker>'
            '</defs>',
            f'<rect width="{self.width:g}" height="{self.height:g}" fill="#ffffff"/>',
            *self.back, *self.lines, *self.front, "</svg>", ""])


def words_of(value):
    if not value:
        return "id"
    demand("a run", value, tuple(range(value[0], value[-1] + 1)))
    return str(value[0]) if len(value) == 1 else f"{value[0]}–{value[-1]}"


def style_of(value, from_zero="prefix"):
    return "none" if not value else from_zero if value[0] == 0 else "part"


class Drawing:
    """Rounds, from top to bottom; a place has a column, and a row that it was last shown in."""

    def __init__(self, title, column, canonical=lambda p: p, mark=lambda p: ""):
        self.picture = Picture(title)
        self.column, self.canonical, self.mark = column, canonical, mark
        self.at = {}  # place: row, x
        self.row = 0
        self.ends = 0  # since the last row
        self.marks = []
        self.picture.text(16, 24, title, 14, "start", weight="bold")

    def y(self, row):
        return TOP + 26 + row * ROW

    def label(self, row, words):
        self.picture.text(LEFT - 14, self.y(row) + 4, words, 12, "end")

    def x(self, place):
        return LEFT + WIDE / 2 + self.column(place) * WIDE

    def show(self, place, row, value, style=None):
        self.picture.box(self.x(place), self.y(row), self.mark(place) + words_of(value),
                         style or style_of(value))
        self.at[self.canonical(place)] = row, self.x(place)

    def link(self, source, row, x, arrow):
        """From a place down to a row."""
        from_row, from_x = self.at[self.canonical(source)]
        start, end = self.y(row - 1) + HIGH / 2, self.y(row) - HIGH / 2
        if from_row < row - 1:
            self.picture.line(from_x, self.y(from_row) + HIGH / 2, from_x, start)
        if arrow:
            shift = 0 if x == from_x else -9 if from_x < x else 9
            self.picture.line(from_x, start, x + shift, end - 1, "#334155", 1.4, arrow=True)
            if from_row < row - 1:
                self.picture.dot(from_x, start)
        else:
            self.picture.line(from_x, start, x, end)

    def draw(self, rounds, memory):
        for r in rounds:
            rows = {}  # of this round's steps
            for s in itertools.chain.from_iterable(r.threads):
                memory.do(s)
                target, left = self.canonical(s.target), self.canonical(s.left)
                if s.target != target:  # shown once for all
                    continue
                if not s.shown:
                    if left in self.at:
                        self.at[target] = self.at[left]
                        rows[target] = rows.get(left, 0)
                    continue
                operands = [p for p in (s.left, s.right) if p is not None]
                above = max(rows.get(self.canonical(p), 0) for p in [*operands, s.target])
                row = self.row + 1 + above
                x = self.x(s.target)
                for p in operands:
                    if self.canonical(p) in self.at:
                        self.link(p, row, x, self.at[self.canonical(p)][1] != x or s.right is None)
                rows[target] = above + 1
                self.show(s.target, row, memory.values[s.target])
            height = max(rows.values(), default=0)
            if height:
                self.label(self.row + (1 + height) / 2, r.label)
                self.row += height
                self.ends = 0
            if r.end:
                self.end(r.end)
        return self

    def end(self, what):
        y = self.y(self.row) + HIGH / 2 + (8 if self.ends == 0 else 22)
        self.ends += 1
        dash, color = {"barrier": ("6 4", "#b91c1c"), "launch": ("", "#1d4ed8"),
                       "shuffle": ("2 4", "#7e22ce")}[what]
        self.marks.append((y, what, dash, color))

    def results(self, label, places, memory):
        self.row += 1
        self.label(self.row, label)
        for column, place in places:
            self.link(place, self.row, LEFT + WIDE / 2 + column * WIDE, False)
            value = memory.values[place]
            self.picture.box(LEFT + WIDE / 2 + column * WIDE, self.y(self.row), words_of(value),
                             style_of(value))
        return self

    def finish(self, columns, bands=(), note="", bands_named=""):
        p = self.picture
        p.width = max(LEFT + columns * WIDE + 84, 22 + 8.2 * len(p.title), 30 + 5.9 * len(note))
        p.height = self.y(self.row) + HIGH / 2 + (44 if note else 20)
        for k, (first, last) in enumerate(bands):
            p.band(LEFT + first * WIDE, TOP + 2, LEFT + (last + 1) * WIDE,
                   self.y(self.row) + HIGH / 2 + 8)
            if bands_named:
                p.text(LEFT + (first + last + 1) / 2 * WIDE, TOP - 2, f"{bands_named} {k}", 11,
                       color="#475569")
        for y, what, dash, color in self.marks:
            p.line(LEFT - 6, y, LEFT + columns * WIDE + 8, y, color, 1, dash)
            p.text(LEFT + columns * WIDE + 14, y + 4, what, 11, "start", color)
        if note:
            p.text(16, p.height - 14, note, 11, "start", "#475569")
        return p.svg()


def draw_block(title, rounds, n, column=lambda p: p[1], columns=None, bands=(), named="", note="",
               places=None, canonical=lambda p: p, label="result"):
    memory = Memory(inputs(n))
    d = Drawing(title, column, canonical)
    for i in range(n):
        d.show(("x", i), 0, (i,), "input")
    d.label(0, "elements")
    d.draw(rounds, memory)
    d.results(label, [(column(p), p) for p in places or [("x", i) for i in range(n)]], memory)
    return d.finish(columns or n, bands, note, named)


def grouped(size):
    """Columns of groups, with room for a total after each."""
    return (lambda i: i + i // size, lambda g: g * (size + 1) + size)


def draw_naive():
    n = 8
    p = Picture("Naive: a thread an output, each folds from the beginning (n = 8)")
    p.text(16, 24, p.title, 14, "start", weight="bold")
    work = 0
    for i in range(n):
        y = TOP + 22 + i * 34
        p.text(LEFT - 14, y + 4, f"thread {i}", 12, "end")
        value = ()
        for j in range(i + 1):
            x = LEFT + WIDE / 2 + j * WIDE
            work += bool(value)
            value += (j,)
            if j:
                p.line(x - WIDE + 20, y, x - 22, y, "#334155", 1.4, arrow=True)
            p.box(x, y, words_of(value), "input" if j == 0 else "prefix" if j == i else "none")
    demand("work of naive", work, n * (n - 1) // 2)
    p.width, p.height = LEFT + n * WIDE + 84, TOP + 22 + n * 34 + 24
    p.text(16, p.height - 14, "Each arrow adds one element: 28 combinations, where 7 one after the "
           "other would do.", 11, "start", "#475569")
    return p.svg()


def draw_look_back():
    tile, prefixes, window = 9, {0, 1, 2}, 4
    memory = Memory(published(tile, prefixes))
    d = Drawing("Decoupled look-back: tile 9 looks back, four tiles at a time (32 in the kernel)",
                lambda p: p[1], mark=lambda p: {"A": "A ", "P": "P "}.get(p[0], ""))
    for t in range(tile + 1):
        p = ("P", t) if t in prefixes else ("A", t)
        d.show(p, 0, memory.values[p])
    d.label(0, "published")
    d.draw(look_back(tile, prefixes, window), memory)
    return d.finish(tile + 1, [(1, 4), (5, 8)], "A: a tile's own aggregate; P: its prefix. Tile 2 "
                    "has its prefix, so that nothing before it counts.")


def draw_chained():
    tiles = 6
    memory = Memory(inputs(tiles))
    d = Drawing("Chained: the prefix goes from tile to tile (6 tiles)", lambda p: p[1],
                mark=lambda p: {"A": "A ", "P": "P "}.get(p[0], ""))
    for t in range(tiles):
        d.at[("x", t)] = 0, d.x(("x", t))
        d.picture.box(d.x(("x", t)), d.y(0), f"tile {t}", "input")
    d.label(0, "elements")
    d.draw(chained(tiles), memory)
    return d.finish(tiles, note="A: a tile's aggregate, all made at once; P: its prefix, made when "
                    "its predecessor's is there.")


def conflicts(place, stride, banks=32, threads=32, n=1024):
    """The most threads of the first warp that meet in one bank, at the last elements of runs."""
    used = [place((t + 1) * stride - 1) % banks for t in range(threads) if (t + 1) * stride <= n]
    return max(used.count(b) for b in used)


def bank_maps(banks=32):
    return {"direct": lambda i: i, "padded": lambda i: i + i // banks,
            "swizzled": lambda i: i ^ (i // banks % banks)}


def draw_banks():
    banks, rows, stride = 8, 4, 8
    p = Picture("Bank maps, with 8 banks (32 in the hardware); marked: a round of stride 8")
    p.text(16, 24, p.title, 14, "start", weight="bold")
    y = TOP + 16
    for name, place in bank_maps(banks).items():
        p.text(LEFT - 14, y + 4, name, 12, "end", weight="bold")
        for b in range(banks):
            p.text(LEFT + WIDE / 2 + b * WIDE, y + 4, f"bank {b}", 10, color="#475569")
        lies = {place(i): i for i in range(banks * rows)}
        demand("places", len(lies), banks * rows)
        deep = (max(lies) // banks) + 1
        for r in range(deep):
            for b in range(banks):
                i = lies.get(r * banks + b)
                if i is None and r * banks + b > max(lies):
                    continue
                style = "none" if i is None else "part" if (i + 1) % stride == 0 else "input"
                p.box(LEFT + WIDE / 2 + b * WIDE, y + 24 + r * 28, "" if i is None else i, style)
        meet = conflicts(place, stride, banks, rows)
        p.text(LEFT - 14, y + 40, f"{meet} meet in a bank" if meet > 1 else "none meet", 11, "end",
               "#475569")
        y += 24 + deep * 28 + 22
    p.width, p.height = 32 + 8.2 * len(p.title), y
    return p.svg()


def pictures():
    blelloch_column = lambda p: {"x": p[1], "total": 8, "identity": 7}[p[0]]
    sixteen, after = grouped(4)
    of_groups = lambda p: after(p[-1]) if p[0] in ("t", "sum") else sixteen(p[-1])
    bands = [(5 * g, 5 * g + 3) for g in range(4)]
    once = lambda p: (("sum", 0, p[2]) if p[0] == "sum" else
                      ("left", "sum", 0, p[3]) if p[:2] == ("left", "sum") else p)
    return {
        "naive": draw_naive(),
        "hillis_steele": draw_block("Hillis-Steele: two buffers, a barrier a round (n = 8)",
                                    list(hillis_steele(8)), 8, places=[("y", i) for i in range(8)]),
        "kogge_stone": draw_block("Kogge-Stone: one buffer; read, barrier, write, barrier (n = 8)",
                                  list(kogge_stone(8)), 8),
        "brent_kung": draw_block("Brent-Kung: reduction tree, distribution tree (n = 16)",
                                 list(brent_kung(16)), 16),
        "blelloch": draw_block("Blelloch: up-sweep, the root takes the identity (id), down-sweep",
                               list(blelloch(8)), 8, blelloch_column, 9,
                               places=[("x", i) for i in range(8)] + [("total", 0)],
                               label="exclusive, total"),
        "warp_shuffle": draw_block("Warp shuffles: warps of 4 lanes (32 in the kernel), n = 16",
                                   list(warp_shuffle(16, 4)), 16, of_groups, 20, bands, "warp",
                                   canonical=once,
                                   note="Every warp scans all totals, which is drawn once."),
        "coarsened": draw_block("Coarsened: K = 4 elements a thread, Kogge-Stone over totals",
                                list(coarsened(16, 4)), 16, of_groups, 20, bands, "thread"),
        "three_pass": draw_block("Three-pass: tiles of 4 elements, a block each (n = 16)",
                                 list(three_pass(16, 4)), 16, of_groups, 20, bands, "tile"),
        "chained": draw_chained(),
        "decoupled_lookback": draw_look_back(),
        "banks": draw_banks(),
    }


def main():
    verify()
    wrong = []
    for name, text in pictures().items():
        path = HERE / f"{name}.svg"
        if sys.argv[1:] != ["--check"]:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            wrong.append(path.name)
    if wrong:
        sys.exit("draw.py: not as drawn from the algorithms: " + ", ".join(wrong))


if __name__ == "__main__":
    main()
