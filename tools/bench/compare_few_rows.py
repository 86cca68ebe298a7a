#!/usr/bin/env python3
# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of few rows with large weights, as decoding has them, on one GPU.

A CUDA graph holds calls over several weights, together many times the L2: each call reads
its weight from memory, and starts while the one ahead ends. Peers are cuBLAS, cuBLASLt and,
if asked for, torch.compile with max-autotune and QuACK. In the same rounds a kernel reads
the same weights and does nothing with them; the fastest such read of a run is the read
bandwidth. Results are written after each case, and a run on a folder that has some goes on.

    compare_few_rows.py --out few-rows --budget 110
    compare_few_rows.py --out compiled --rows 1,16 --compile
    compare_few_rows.py --report few-rows/few-rows.json   # no GPU
    compare_few_rows.py --dry-run                         # no GPU: compile all programs
"""

import argparse
import json
import math
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tools")]

from bench.compare_contractions import (  # noqa: E402
    Comparison,
    add_options,
    dry_run,
    selected,
)
from bench.peers import contraction_cases, decoding_report  # noqa: E402

# Of all weights of a graph together, in how many at least, and its calls.
GRAPH_BYTES, FEWEST_WEIGHTS, FEWEST_CALLS = 768e6, 3, 12


def parse_arguments(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser, folder="few-rows", budget=110)
    parser.add_argument("--rows", default="1,16,8,64,32,4,2", help="numbers of rows")
    parser.add_argument("--report", help="print the tables of these results")
    return parser.parse_args(argv)


def decoding(arguments):
    """The cases of the rows that are asked for."""
    rows = [int(each) for each in arguments.rows.split(",")]
    return selected(contraction_cases.decoding_cases(rows), arguments.only)


def weights_of(case):
    """How many weights a graph reads, and how many calls it has."""
    _, n, k = case.shape
    count = math.ceil(GRAPH_BYTES / (n * k * contraction_cases.BF16_BYTES))
    count = max(FEWEST_WEIGHTS, count)
    return count, count * math.ceil(FEWEST_CALLS / count)


class FewRows(Comparison):
    """One graph a function, over several weights."""

    file_name = "few-rows.json"

    def cases(self):
        return decoding(self.arguments)

    def run_case(self, case):
        entry = self.new_entry(case)
        count, calls = weights_of(case)
        sets = [self.measure.make_inputs(case, seed) for seed in range(count)]
        functions = self.functions(case, sets, entry)
        times, failed = self.measure.GraphStopwatch(calls).run(
            functions, self.arguments.seconds
        )
        entry["graph"] = times
        entry["weights"] = count
        entry["errors"] |= {name: {"failed": text} for name, text in failed.items()}
        return entry

    def functions(self, case, sets, entry):
        """Of each name the calls over all weights; a call's result is checked."""
        measure, (x, *_) = self.measure, sets[0]
        # All calls have the same rows.
        sets = [(x, *rest) for _, *rest in sets]
        functions = {"cublas": [], "cublaslt": []}
        for inputs in sets:
            for name, call in self.products(case, inputs).items():
                functions[name].append(call)
        functions["read"] = [measure.read_all_of(weight) for _, weight in sets]
        candidates = self.candidates(case, entry)
        # The last weight: a program that keeps the first would be wrong.
        reference = measure.reference_of(case, sets[-1])
        for name, function in candidates.items():
            try:
                found, _ = self.checked(case, function, sets[-1], reference)
                functions[name] = [
                    lambda inputs=inputs, function=function: function(*inputs)
                    for inputs in sets
                ]
            except Exception as error:  # A failure is a result.
                found = {"failed": f"{type(error).__name__}: {error}"[:500]}
            entry["errors"][name] = found
        return functions

    def line(self, entry):
        return decoding_report.line(entry)


def main():
    arguments = parse_arguments()
    if arguments.report:
        print(decoding_report.report(json.loads(Path(arguments.report).read_text())))
        return 0
    if arguments.dry_run:
        return 1 if dry_run(decoding(arguments), arguments.chip) else 0
    entries = FewRows(arguments).run()
    print(decoding_report.report(entries))
    return 0 if all(map(decoding_report.is_measured, entries)) else 1


if __name__ == "__main__":
    sys.exit(main())
