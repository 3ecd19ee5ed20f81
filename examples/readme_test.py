#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds README.md and the other pages to what the repository does.

readme_test.py FIRST_SCAN UPSWEEP

FIRST_SCAN is the built example of the README, UPSWEEP the command.

Code blocks are part of files that are built and run as tests; console blocks are run, and must
print what the page shows; the tables name exactly what the library knows; links lead somewhere.
"""

import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
DATA_PAGE = ROOT / "examples" / "data" / "README.md"
# Where the code of a block must stand, word for word.
SOURCES = {
    "cpp": ["examples/*.cpp"],
    "c": ["examples/*.c"],
    "cmake": ["tests/consumers/cmake/CMakeLists.txt"],
    "meson": ["tests/consumers/meson/meson.build"],
}
first_scan = command = pathlib.Path()


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE)


def lines(text):
    return [line for line in text.splitlines() if line.strip()]


def contains(text, block):
    """Whether the lines of the block stand in the text, in order and together."""
    whole, part = lines(text), lines(block)
    return any(whole[i:i + len(part)] == part for i in range(len(whole)))


def upsweep(*arguments, **environment):
    return subprocess.run([command, *arguments], capture_output=True, text=True, timeout=60,
                          env={**os.environ, **environment})


def table_rows(page, heading):
    """The rows of the first table after a heading, as lists of cells."""
    after = page.read_text().split(f"## {heading}\n", 1)[1]
    table = re.search(r"(^\|.*\|\n)+", after, re.MULTILINE).group(0)
    return [[cell.strip() for cell in line.strip("|").split("|")]
            for line in table.splitlines()[2:]]


def names_in(cell):
    return re.findall(r"`([a-z0-9_.]+)`", cell)


class Readme(unittest.TestCase):
    def test_code_blocks_are_built_elsewhere(self):
        for page in (README, ROOT / "examples" / "README.md"):
            for language, patterns in SOURCES.items():
                files = [f for pattern in patterns for f in ROOT.glob(pattern)]
                for block in blocks(page, language):
                    self.assertTrue(any(contains(f.read_text(), block) for f in files),
                                    f"{page}: this block is in none of {patterns}:\n{block}")
        self.assertEqual(len(blocks(README, "cpp")), 1)

    def test_comments_of_the_code_block_are_what_it_prints(self):
        shown = re.findall(r"// ([\d ]+|kept \d+)$", blocks(README, "cpp")[0], re.MULTILINE)
        done = subprocess.run([first_scan], capture_output=True, text=True)
        self.assertEqual(done.stdout.split(), " ".join(shown).split())

    def test_console_blocks_print_what_they_show(self):
        for page in (README, DATA_PAGE):
            with self.subTest(page=page), tempfile.TemporaryDirectory() as folder:
                os.symlink(ROOT / "examples", pathlib.Path(folder) / "examples")
                path = f"{command.parent}:{os.environ['PATH']}"
                console = blocks(page, "console")
                self.assertTrue(console)
                for step in re.split(r"^\$ ", "".join(console), flags=re.MULTILINE)[1:]:
                    shell_line, _, shown = step.partition("\n")
                    done = subprocess.run(["sh", "-c", shell_line], capture_output=True, text=True,
                                          cwd=folder, env={**os.environ, "PATH": path}, timeout=60)
                    self.assertEqual((done.returncode, done.stdout), (0, shown),
                                     f"{shell_line}\n{done.stderr}")

    def test_values_shown_are_right(self):
        flows = [int(line) for line in (ROOT / "examples/data/nile.txt").read_text().split()]
        curve = list(itertools.accumulate(flows))
        records = [k for k, _ in itertools.groupby(itertools.accumulate(flows, max))]
        shown = [int(n) for n in re.findall(r"^\d+$", blocks(README, "console")[0], re.MULTILINE)]
        self.assertEqual(shown, [curve[-1], *curve[:5], *records])

    def test_scripts_shown_are_there(self):
        for script in re.findall(r"^(tools/\S+)", "".join(blocks(README, "sh")), re.MULTILINE):
            self.assertTrue(os.access(ROOT / script, os.X_OK), script)

    def test_quickstart_runs_what_is_shown(self):
        script = (ROOT / "tools" / "quickstart.sh").read_text()
        commands = re.findall(r"^\$ (.*)$", blocks(README, "console")[0], re.MULTILINE)
        for shell_line in commands:
            self.assertIn(f"\nshow '{shell_line}'\n", script)
        self.assertEqual(commands, re.findall(r"^\$ (.*)$", blocks(DATA_PAGE, "console")[0],
                                              re.MULTILINE))

    def test_table_of_backends(self):
        known = {b["name"]: b for b in json.loads(upsweep("list", "--json").stdout)}
        shown = {}
        for names, role, deterministic, status in table_rows(README, "Backends"):
            for name in names_in(names):
                shown[name] = (role, deterministic == "yes", status.startswith("works"))
        self.assertEqual({name: facts[:2] for name, facts in shown.items()},
                         {name: (b["role"], b["deterministic"]) for name, b in known.items()})
        for name, b in known.items():  # a build may lack what it takes
            left_out = not b["compiled"] and b["reason"].startswith("built ")
            self.assertTrue(shown[name][2] == b["compiled"] or left_out, (name, b))

    def test_tables_of_operators_and_types(self):
        for heading, option, column in (("Operators", "--op", 0), ("Types", "--dtype", 0)):
            refusal = upsweep("scan", "none.raw", "-o", "out.raw", option, "?").stderr
            known = set(re.search(r"\{(.*?)\}", refusal).group(1).split(","))
            shown = {n for row in table_rows(README, heading) for n in names_in(row[column])}
            self.assertEqual(shown, known, heading)

    def test_cpu_targets(self):
        refusal = upsweep("scan", DATA_PAGE.parent / "nile.txt", "-o", "-", "--backend", "cpu",
                          UPSWEEP_CPU_TARGET="?").stderr
        known = set(re.search(r"this build has (.*)", refusal).group(1).split(", "))
        line = re.search(r"`UPSWEEP_CPU_TARGET` \((.*?)\)", README.read_text()).group(1)
        self.assertTrue(known and known <= set(names_in(line)), f"{known}, shown: {line}")

    def test_links_lead_somewhere(self):
        dead = []
        for page in (README, DATA_PAGE, *ROOT.glob("docs/*.md"), *ROOT.glob("examples/*.md")):
            for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text()):
                if not target.startswith("https:") and not (page.parent / target).exists():
                    dead.append(f"{page.relative_to(ROOT)}: {target}")
        self.assertEqual(dead, [])


if __name__ == "__main__":
    first_scan, command = (pathlib.Path(sys.argv.pop(1)).resolve() for _ in range(2))
    unittest.main()
