"""Breaks the compiler on purpose, one fault at a time, and runs the tests.

Works on a copy of what git tracks, in a build folder of its own. A mutant is
killed when a test fails; the first failure ends it. One that does not compile,
or whose text is no longer there, is an error of the list in mutants.py.

    python3 tools/dev/mutate.py              # all; the exit status is 0 for 95%
    python3 tools/dev/mutate.py NAME...      # these
    python3 tools/dev/mutate.py --check      # only that every text is there
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from mutants import MUTANTS

ROOT = Path(__file__).resolve().parents[2]
LIT = Path("/usr/lib/llvm-22/bin/lit")
ENOUGH = 0.95
# Seconds for one command; a mutant that takes longer is killed by that.
PATIENCE = 600


def check(mutants, root=ROOT):
    """What is wrong with the list: texts that are not there exactly once."""
    wrong = []
    for mutant in mutants:
        count = (root / mutant.file).read_text().count(mutant.old)
        if count != 1:
            wrong.append(
                f"{mutant.name}: its text stands {count} times in {mutant.file}"
            )
    names = [mutant.name for mutant in MUTANTS]
    wrong += [f"{name}: stands twice" for name in set(names) if names.count(name) > 1]
    return wrong


class Workshop:
    """Sources that may be broken, with a build folder."""

    def __init__(self, source, build, log):
        self.source, self.build, self.log = source, build, log

    def run(self, *command, **options):
        """Whether the command succeeds; its output goes to the log."""
        with self.log.open("a") as log:
            log.write(" ".join(map(str, command)) + "\n")
            log.flush()
            return (
                subprocess.run(
                    list(map(str, command)),
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    timeout=PATIENCE,
                    **options,
                ).returncode
                == 0
            )

    def copy(self):
        """Files that are the same keep their times, so that little is rebuilt."""
        listed = subprocess.run(
            ["git", "ls-files", "-z"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for name in filter(None, listed.split("\0")):
            original, copy = ROOT / name, self.source / name
            if not original.is_file():
                continue
            if copy.exists() and copy.read_bytes() == original.read_bytes():
                continue
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(original, copy)

    def configure(self):
        command = ["cmake", "--preset", "dev", "-B", self.build]
        if not self.run(*command, cwd=self.source):
            sys.exit(f"expected CMake to succeed, but it did not; see {self.log}")

    def compile(self, *targets):
        if not self.run("ninja", "-C", self.build, *targets):
            sys.exit(f"expected {' '.join(targets)} to compile; see {self.log}")
        return True

    def environment(self):
        return dict(
            os.environ,
            FUSE_CACHE_DIR=str(self.build / "test-cache"),
            FUSE_LIBRARY=str(self.build / "lib" / "libfuse.so"),
            PYTHONPATH=str(self.source / "python"),
            PYTHONDONTWRITEBYTECODE="1",
        )

    def passes(self, group):
        """Builds what a group of tests needs and runs it."""
        environment = self.environment()
        # A cached kernel would hide the mutant.
        shutil.rmtree(self.build / "test-cache", ignore_errors=True)
        kind, _, name = group.partition(":")
        if kind == "py":
            return self.compile("libfuse.so") and self.run(
                *[sys.executable, "-m", "pytest", "-qx", "-p", "no:cacheprovider"],
                self.source / "python" / "tests" / f"{name}.py",
                cwd=self.source,
                env=environment,
            )
        if kind == "lit":
            return self.compile("fuse", "fuse-opt") and self.run(
                *[LIT, "-q", "--max-failures=1", f"--filter={name or '.'}"],
                self.build / "test",
                env=environment,
            )
        if kind == "random":
            return self.compile("fuse-crosscheck") and self.run(
                *[sys.executable, self.source / "tools" / "dev" / "fuzz.py"],
                *["--count=150", "--seed=0", "--no-reduce", f"--keep={self.build}"],
                f"--tool={self.build / 'bin' / 'fuse-crosscheck'}",
                env=environment,
            )
        binary = f"Fuse{group}Tests"
        return self.compile(binary) and self.run(
            self.build / "bin" / binary,
            "--gtest_brief=1",
            "--gtest_fail_fast",
            env=environment,
        )

    def verdict(self, mutant, useless):
        """The group that kills the mutant, "" if none does."""
        path = self.source / mutant.file
        text = path.read_text()
        path.write_text(text.replace(mutant.old, mutant.new))
        try:
            for group in mutant.tests.split():
                if group in useless:
                    continue
                try:
                    passed = self.passes(group)
                except subprocess.TimeoutExpired:
                    return f"{group} (no end)"
                if not passed:
                    return group
            return ""
        finally:
            path.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these mutants")
    parser.add_argument("--check", action="store_true", help="only look at the list")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "mutants")
    parser.add_argument(
        "--here",
        action="store_true",
        help="break this checkout itself, and use its build folder: for a clone",
    )
    options = parser.parse_args()
    known = {mutant.name: mutant for mutant in MUTANTS}
    for name in options.names:
        if name not in known:
            parser.error(f"expected the name of a mutant, but got {name!r}")
    chosen = [known[name] for name in options.names] or MUTANTS
    if wrong := check(chosen):
        sys.exit("\n".join(wrong))
    if options.check:
        return 0

    options.folder.mkdir(parents=True, exist_ok=True)
    log, folder = options.folder / "setup.log", options.folder.resolve()
    if options.here:
        shop = Workshop(ROOT, ROOT / "build", log)
    else:
        shop = Workshop(folder / "source", folder / "build", log)
        shop.copy()
        shop.configure()
    groups = sorted({group for mutant in chosen for group in mutant.tests.split()})
    # What fails anyway tells nothing.
    useless = {group for group in groups if not shop.passes(group)}
    for group in sorted(useless):
        print(f"{group} fails without a mutant and is left out; see {shop.log}")

    survivors = []
    for mutant in chosen:
        start = time.monotonic()
        shop.log = options.folder / f"{mutant.name}.log"
        shop.log.unlink(missing_ok=True)
        killer = shop.verdict(mutant, useless)
        seconds = time.monotonic() - start
        print(f"{mutant.name}: {killer or 'SURVIVED'} ({seconds:.0f} s)", flush=True)
        if not killer:
            survivors.append(mutant.name)
    killed = len(chosen) - len(survivors)
    print(f"{killed} of {len(chosen)} killed; survivors: {survivors or 'none'}")
    return 0 if killed >= ENOUGH * len(chosen) and not useless else 1


if __name__ == "__main__":
    sys.exit(main())
