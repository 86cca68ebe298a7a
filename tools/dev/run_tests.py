"""Runs all tests of a build and adds them up.

lit runs test/, ctest the GoogleTests, pytest the Python package's tests; with
--torch only pytest those that need torch and JAX. Each
reports through JUnit XML; its output is kept in BUILD/test-logs and shown when
something fails. The last line is `N passed, N failed`; the exit status is 0
exactly if nothing failed and something passed.
"""

import argparse
import os
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LLVM_BIN = Path("/usr/lib/llvm-22/bin")


@dataclass
class Tally:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other):
        return Tally(
            self.passed + other.passed,
            self.failed + other.failed,
            self.skipped + other.skipped,
        )


def count_cases(report):
    """The results in a JUnit file."""
    tally = Tally()
    for case in ElementTree.parse(report).iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            tally.failed += 1
        elif case.find("skipped") is not None:
            tally.skipped += 1
        else:
            tally.passed += 1
    return tally


def run(name, command, report, log, environment):
    """Runs one runner; one that breaks or finds no test is one failure."""
    report.unlink(missing_ok=True)
    start = time.monotonic()
    with log.open("w") as output:
        status = subprocess.run(
            [str(word) for word in command],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        ).returncode
    try:
        tally = count_cases(report)
    except (OSError, ElementTree.ParseError):
        tally = Tally()
    found = tally.passed + tally.skipped > 0
    if tally.failed == 0 and (status != 0 or not found):
        tally.failed = 1
    if tally.failed:
        sys.stdout.write(log.read_text(errors="replace"))
    seconds = time.monotonic() - start
    print(
        f"{name + ':':12} {tally.passed:5} ok {tally.failed:5} wrong "
        f"{tally.skipped:5} left out {seconds:7.1f} s",
        flush=True,
    )
    return tally


def runners(build, jobs, reports):
    """Name, command and JUnit file of each runner."""
    lit = reports / "lit.xml"
    yield (
        "lit",
        [
            LLVM_BIN / "lit",
            "-v",
            f"-j{jobs}",
            "--xunit-xml-output",
            lit,
            build / "test",
        ],
        lit,
    )
    googletest = reports / "googletest.xml"
    yield (
        "googletest",
        # lit is a test of ctest's, too.
        ["ctest", "--test-dir", build, "-E", "^lit$", f"-j{jobs}"]
        + ["--output-on-failure", "--output-junit", googletest],
        googletest,
    )
    yield run_pytest("pytest", "python/tests", jobs, reports)


def run_pytest(name, folder, jobs, reports):
    """A file's tests run in one process, so that what they share is made once."""
    report = reports / f"{name}.xml"
    command = [sys.executable, "-m", "pytest", "-q", folder]
    command += [f"--numprocesses={jobs}", "--dist=loadfile"]
    return name, command + ["-p", "no:cacheprovider", "--junitxml", report], report


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build", help="the build folder")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--torch", action="store_true", help="only what needs torch")
    arguments = parser.parse_args()

    build = (ROOT / arguments.build).resolve()
    reports = build / "test-logs"
    reports.mkdir(parents=True, exist_ok=True)
    environment = dict(
        os.environ,
        # Not the user's cache: what is tested is compiled here.
        FUSE_CACHE_DIR=str(build / "test-cache"),
        FUSE_LIBRARY=str(build / "lib" / "libfuse_compiler.so"),
        PYTHONPATH=str(ROOT / "python"),
        PYTHONDONTWRITEBYTECODE="1",
    )
    if arguments.torch:
        chosen = [run_pytest("torch", "python/tests_torch", arguments.jobs, reports)]
    else:
        chosen = runners(build, arguments.jobs, reports)
    total = Tally()
    for name, command, report in chosen:
        total += run(name, command, report, reports / f"{name}.log", environment)
    print(f"{total.passed} passed, {total.failed} failed")
    return 0 if total.passed > 0 and total.failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
