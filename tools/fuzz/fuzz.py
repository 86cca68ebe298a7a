"""Random programs, each run in several ways that have to agree.

fuse-crosscheck compares the oracle with the program fused, unfused, rounded
strictly, on unaligned tensors, under other schedules, rewritten, and on the
emulated GPU. What it finds is reduced and written to the folder --keep, as a test
for test/Random/Regressions. The exit status is 1 if there was anything.

    python3 tools/fuzz/fuzz.py --count 500
    python3 tools/fuzz/fuzz.py --seed 1234 --print
"""

import collections
import concurrent.futures
import pathlib
import signal
import statistics
import sys
import time

from random_programs import arguments, crosscheck
from random_programs.generator import generate
from random_programs.reduce import reduce

CHUNK = 20
MOST_REDUCED = 5


def run_chunk(options, seeds):
    """The verdicts on the programs, or none after the time is up."""
    if time.monotonic() > options.deadline:
        return seeds, []
    texts = [generate(seed, options.without).text() for seed in seeds]
    return seeds, crosscheck.run(options.tool, texts, options.tool_options)


def report(options, seed, verdict, is_reduced):
    """Prints a failure, and keeps the program as a test."""
    print(f"seed {seed}: {str(verdict)[:600]}", flush=True)
    program = generate(seed, options.without)
    text = program.text()
    if is_reduced:
        text = reduce(options.tool, program, verdict)
    note = str(verdict).splitlines()[0][:160]
    path = pathlib.Path(options.keep, f"seed-{seed}.mlir")
    path.write_text(f"// RUN: fuse-crosscheck %s\n// {note}\n{text}")
    print(f"  kept in {path}", flush=True)


def parse_arguments():
    parser = arguments.parser(__doc__.split("\n\n")[0], "fuse-crosscheck", count=500)
    parser.add_argument(
        "--tool-option",
        dest="tool_options",
        action="append",
        default=[],
        help="for fuse-crosscheck, such as --schedules=8",
    )
    parser.add_argument(
        "--without", nargs="*", default=[], help="functions that make ops, to leave out"
    )
    parser.add_argument("--print", action="store_true", help="the first program only")
    parser.add_argument("--no-reduce", action="store_true")
    return parser.parse_args()


def main():
    options = parse_arguments()
    options.deadline = time.monotonic() + options.seconds
    # Who ends a run wants to know what it has found so far.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: setattr(options, "deadline", 0))
    if options.print:
        print(generate(options.seed, options.without).text(), end="")
        return 0
    arguments.find_tool(options)
    pathlib.Path(options.keep).mkdir(parents=True, exist_ok=True)
    seeds = range(options.seed, options.seed + options.count)
    print(f"seeds {seeds.start} to {seeds.stop - 1}")
    sys.stdout.flush()

    chunks = [seeds[i : i + CHUNK] for i in range(0, len(seeds), CHUNK)]
    verdicts, wrong, skipped = collections.Counter(), 0, 0
    ratios = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for done, results in pool.map(lambda c: run_chunk(options, c), chunks):
            skipped += len(done) - len(results)
            for number, verdict in zip(done, results):
                verdicts[verdict.kind] += 1
                if verdict.kind == "right":
                    ratios.append(verdict.ratio)
                if verdict.kind == "wrong":
                    wrong += 1
                    is_reduced = wrong <= MOST_REDUCED and not options.no_reduce
                    report(options, number, verdict, is_reduced)
    kinds = ("right", "unbounded", "wrong")
    print(", ".join(f"{verdicts[kind]} {kind}" for kind in kinds))
    if ratios:
        print(
            "largest error of a program, of its bound: "
            f"{statistics.median(ratios):.3f} in the median, {max(ratios):.3f} at most"
        )
    if skipped:
        print(f"{skipped} not run: the time was up")
    return 1 if verdicts["wrong"] or not verdicts["right"] else 0


if __name__ == "__main__":
    sys.exit(main())
