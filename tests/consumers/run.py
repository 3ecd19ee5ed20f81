#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds and runs a program that uses upsweep as other projects do.

Each consumer but `subproject` gets an installed copy (`meson install --destdir`) in a folder of its
own that holds one kind of the library, as if that alone had been built. Exits with 77, a skip to
Meson, where this build has no such library or the machine lacks the consumer's build tool.
"""

import argparse
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
SKIP = 77


def sh(*command, env=None):
    """Runs a command; its output is shown only if it fails."""
    done = subprocess.run([str(c) for c in command], env=env, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        sys.exit(f"{shlex.join(map(str, command))}\n{done.stdout}")
    return done.stdout.strip()


def check(program, kind, env=None):
    """Runs the consumer, which must have been linked with the library asked for."""
    sh(program, env=env)
    loads = "libupsweep.so" in sh("readelf", "--dynamic", program)
    if loads != (kind == "shared"):
        sys.exit(f"{program} was to be linked with the {kind} library, but was not")


def need(tool):
    if shutil.which(tool) is None:
        print(f"no {tool} on this machine")
        sys.exit(SKIP)


class Copy:
    """An installed copy with the shared or the static library alone."""

    def __init__(self, args, work):
        sh(*args.meson, "install", "-C", args.build, "--no-rebuild", "--destdir", work / "root")
        self.prefix = work / "root" / args.prefix.relative_to("/")
        self.libdir = self.prefix / args.libdir
        self.kind = args.kind
        wanted, other = "libupsweep.so*", "libupsweep.a"
        if self.kind == "static":
            wanted, other = other, wanted
        if not list(self.libdir.glob(wanted)):
            print(f"this build has no {self.kind} library (-Ddefault_library=both gives it)")
            sys.exit(SKIP)
        for library in self.libdir.glob(other):
            library.unlink()
        self.env = dict(os.environ, PKG_CONFIG_PATH=str(self.libdir / "pkgconfig"),
                        LD_LIBRARY_PATH=str(self.libdir))

    def flags(self):
        need("pkg-config")
        static = ["--static"] if self.kind == "static" else []
        return shlex.split(sh("pkg-config", *static, "--cflags", "--libs", "upsweep", env=self.env))


def by_compiler(args, work, compiler, source, standard):
    copy = Copy(args, work)
    program = work / "consumer"
    sh(*compiler, standard, "-Wall", "-Wextra", "-Werror", HERE / source, "-o", program, *copy.flags())
    check(program, args.kind, env=copy.env)


def pkg_config(args, work):
    by_compiler(args, work, shlex.split(args.cxx), "main.cpp", "-std=c++20")


def plain_c(args, work):
    by_compiler(args, work, shlex.split(args.cc), "main.c", "-std=c11")


def project_of_its_own(name, work):
    """A user's project, which has its own copy of the program."""
    project = work / "project"
    shutil.copytree(HERE / name, project)
    shutil.copy(HERE / "main.cpp", project)
    return project


def cmake(args, work):
    need("cmake")
    project = project_of_its_own("cmake", work)
    copy = Copy(args, work)
    build = work / "build"
    sh("cmake", "-G", "Ninja", "-S", project, "-B", build, f"-DCMAKE_PREFIX_PATH={copy.prefix}")
    sh("cmake", "--build", build)
    check(build / "consumer", args.kind, env=copy.env)


def meson(args, work):
    project = project_of_its_own("meson", work)
    copy = Copy(args, work)
    build = work / "build"
    sh(*args.meson, "setup", build, project, f"-Dprefer_static={'true' if args.kind == 'static' else 'false'}",
       "--wrap-mode=nofallback", env=copy.env)
    sh(*args.meson, "compile", "-C", build)
    check(build / "consumer", args.kind, env=copy.env)


def subproject(args, work):
    """Builds upsweep inside another project, without what takes long to compile."""
    project = project_of_its_own("meson", work)
    (project / "subprojects").mkdir()
    (project / "subprojects" / "upsweep").symlink_to(SOURCE)
    build = work / "build"
    sh(*args.meson, "setup", build, project, "--force-fallback-for=upsweep", "-Ddebug=false",
       "-Dupsweep:simd_targets=two", "-Dupsweep:cuda=disabled", "-Dupsweep:simt=disabled")
    for kind in args.kind.split("+"):  # one build, so that the second links the first one's objects
        sh(*args.meson, "configure", build, f"-Dupsweep:default_library={kind}")
        sh(*args.meson, "compile", "-C", build)
        check(build / "consumer", kind)


CONSUMERS = {f.__name__: f for f in (cmake, pkg_config, plain_c, meson, subproject)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("consumer", choices=CONSUMERS)
    parser.add_argument("kind", choices=("shared", "static", "shared+static"))
    parser.add_argument("--build", type=pathlib.Path, required=True, help="the build to install from")
    parser.add_argument("--prefix", type=pathlib.Path, required=True)
    parser.add_argument("--libdir", required=True)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--cxx", default="c++")
    parser.add_argument("--meson", type=shlex.split, default="meson")
    args = parser.parse_args()
    os.environ.pop("DESTDIR", None)
    os.environ.update(CC=args.cc, CXX=args.cxx)
    with tempfile.TemporaryDirectory(prefix="upsweep-consumer-") as work:
        CONSUMERS[args.consumer](args, pathlib.Path(work))


if __name__ == "__main__":
    main()
