"""Breaks the compiler on purpose, one fault at a time, and runs the tests.

Works on a copy of what git tracks, in a build folder of its own. A mutant is
killed when a test fails; the first failure ends it. One that does not compile,
or whose text is no longer there, is an error of the list in mutants/.
FUSE_BUILD_LOCK names a file to lock while something compiles, where several
builds share a machine.

    python3 tools/mutation/mutate.py              # all; the exit status is 0 for 95%
    python3 tools/mutation/mutate.py NAME...      # these
    python3 tools/mutation/mutate.py --check      # only that every text is there
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from mutation.mutants import MUTANTS  # noqa: E402

LIT = Path("/usr/lib/llvm-22/bin/lit")
ENOUGH = 0.95
# In the build folder: what the Python package loads. The wheel has one of that name, too.
LIBRARY = "lib/libfuse_compiler.so"
# What some lit tests run beside the drivers.
LIT_TARGETS = {
    "Random/Regressions": ["fuse-crosscheck"],
    "tools": ["fuse-lsp-server", "fuse-reduce"],
}
# Seconds for one command.
PATIENCE = 600


class DoesNotCompile(Exception):
    """What is wrong with a mutant, not with a test."""


class NeverEnds(Exception):
    """A test took much longer than without the mutant."""


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
        # What each group of tests takes without a mutant.
        self.seconds = {}

    def run(self, *command, patience=PATIENCE, **options):
        """Whether the command succeeds; its output goes to the log."""
        with self.log.open("a") as log:
            log.write(" ".join(map(str, command)) + "\n")
            log.flush()
            process = subprocess.Popen(
                list(map(str, command)),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                **options,
            )
            try:
                return process.wait(patience) == 0
            except subprocess.TimeoutExpired:
                raise NeverEnds from None
            finally:
                # With what it has started, which may be what does not end.
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()

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
        # Ninja runs CMake again where that is needed; with the preset's compilers CMake
        # may take those of a folder that it knows for others, and forget what it found.
        if (Path(self.build) / "build.ninja").exists():
            return
        command = ["cmake", "--preset", "dev", "-B", self.build]
        if not self.run(*command, cwd=self.source):
            sys.exit(f"expected CMake to succeed, but it did not; see {self.log}")

    def compile(self, *targets):
        lock = os.environ.get("FUSE_BUILD_LOCK")
        command = ["flock", lock] if lock else []
        command += ["ninja", "-C", self.build, *targets]
        if not self.run(*command, patience=None):
            raise DoesNotCompile

    def environment(self):
        return dict(
            os.environ,
            FUSE_CACHE_DIR=str(self.build / "test-cache"),
            FUSE_LIBRARY=str(self.build / LIBRARY),
            PYTHONPATH=str(self.source / "python"),
            PYTHONDONTWRITEBYTECODE="1",
        )

    def command(self, group):
        """What runs a group of tests, and the targets that it needs."""
        kind, _, name = group.partition(":")
        if kind == "py":
            return [
                *[sys.executable, "-m", "pytest", "-qx", "-p", "no:cacheprovider"],
                self.source / "python" / "tests" / f"{name}.py",
            ], [LIBRARY]
        if kind == "lit":
            return [
                *[LIT, "-q", "--max-failures=1", f"--filter=:: {name}"],
                self.build / "test",
            ], ["fuse", "fuse-opt", *LIT_TARGETS.get(name, [])]
        if kind == "random":
            return [
                *[sys.executable, self.source / "tools" / "fuzz" / "fuzz.py"],
                *["--count=150", "--seed=0", "--no-reduce", f"--keep={self.build}"],
                f"--tool={self.build / 'bin' / 'fuse-crosscheck'}",
            ], ["fuse-crosscheck"]
        binary = f"Fuse{group}Tests"
        return [
            self.build / "bin" / binary,
            *["--gtest_brief=1", "--gtest_fail_fast"],
        ], [binary]

    def compile_for(self, groups):
        """At once, so that one turn with the lock is enough."""
        if targets := {t for group in groups for t in self.command(group)[1]}:
            self.compile(*sorted(targets))

    def passes(self, group):
        """Whether a group of tests passes, in about the time of its first run."""
        command, _ = self.command(group)
        # A cached kernel would hide the mutant.
        shutil.rmtree(self.build / "test-cache", ignore_errors=True)
        start = time.monotonic()
        passed = self.run(
            *command,
            patience=60 + 5 * self.seconds.get(group, PATIENCE),
            cwd=self.source,
            env=self.environment(),
        )
        self.seconds.setdefault(group, time.monotonic() - start)
        return passed

    def verdict(self, mutant, group):
        """The group if it kills the mutant, else ""."""
        path = self.source / mutant.file
        text = path.read_text()
        path.write_text(text.replace(mutant.old, mutant.new))
        try:
            self.compile_for([group])
            return "" if self.passes(group) else group
        except NeverEnds:
            return f"{group} (no end)"
        finally:
            path.write_text(text)


class Trial:
    """Tries mutants with the likeliest tests first: others run, also without a
    mutant, only where these have noticed nothing."""

    def __init__(self, shop, folder):
        self.shop, self.folder = shop, folder
        self.killed, self.broken, self.useless = [], [], set()

    def run(self, chosen):
        """The mutants that no group kills."""
        alive, turn, setup = chosen, 0, self.shop.log
        while waiting := [m for m in alive if turn < len(m.tests.split())]:
            self.shop.log = setup
            groups = {mutant.tests.split()[turn] for mutant in waiting}
            self.find_useless(sorted(groups))
            for mutant in waiting:
                group = mutant.tests.split()[turn]
                if group not in self.useless and self.ends(mutant, group):
                    alive = [other for other in alive if other is not mutant]
            turn += 1
        return [mutant.name for mutant in alive]

    def find_useless(self, groups):
        """What fails anyway tells nothing."""
        new = [group for group in groups if group not in self.shop.seconds]
        try:
            self.shop.compile_for(new)
            failing = {group for group in new if not self.shop.passes(group)}
        except (DoesNotCompile, NeverEnds):
            sys.exit(f"expected the tests to end without a mutant; see {self.shop.log}")
        for group in sorted(failing):
            print(
                f"{group} fails without a mutant and is left out; see {self.shop.log}"
            )
        self.useless |= failing

    def ends(self, mutant, group):
        """Whether the mutant is killed, or none."""
        start = time.monotonic()
        self.shop.log = self.folder / f"{mutant.name}.log"
        try:
            killer = self.shop.verdict(mutant, group)
            if killer:
                self.killed.append(mutant.name)
            result = killer or f"not noticed by {group}"
        except DoesNotCompile:
            self.broken.append(mutant.name)
            killer = result = "does not compile"
        seconds = time.monotonic() - start
        print(f"{mutant.name}: {result} ({seconds:.0f} s)", flush=True)
        return bool(killer)


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

    # What ends this program takes the fault back, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("expected to end by itself"))
    options.folder.mkdir(parents=True, exist_ok=True)
    log, folder = options.folder / "setup.log", options.folder.resolve()
    if options.here:
        shop = Workshop(ROOT, ROOT / "build", log)
    else:
        shop = Workshop(folder / "source", folder / "build", log)
        shop.copy()
        shop.configure()
    for mutant in chosen:
        (options.folder / f"{mutant.name}.log").unlink(missing_ok=True)
    trial = Trial(shop, options.folder)
    survivors = trial.run(chosen)
    killed, broken = len(trial.killed), trial.broken
    print(f"{killed} of {len(chosen)} killed; survivors: {survivors or 'none'}")
    if broken:
        print(f"do not compile: {broken}; correct tools/mutation/mutants")
    is_sound = not trial.useless and not broken
    return 0 if killed >= ENOUGH * len(chosen) and is_sound else 1


if __name__ == "__main__":
    sys.exit(main())
