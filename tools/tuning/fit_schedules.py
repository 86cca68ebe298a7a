#!/usr/bin/env python3
# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fits what chooses schedules of rows, or of columns, to measured times.

    fit_schedules.py measured.jsonl.xz ...          # how good it is on what is held out
    fit_schedules.py measured.jsonl.xz ... --grid results/grid.json.xz --write FILE
    fit_schedules.py measured.jsonl.xz ... --of columns --write FILE

The times are those of run_design.py and of the sweeps. A board's file of rows has two
parts, of which one of columns has the second: the winners among what was measured (winners.py), and boosted trees (LightGBM; see
requirements.txt) for all else, which predict by how much a schedule is slower than the
fastest of its kernel in a call of a size, from the numbers that
`fuse-opt --fuse-list-schedules` prints. What is held out, lengths and families, is said
in held-out.json before anything is measured; no trees see it. Of these the report says
how often the trees' choice is within 3% of the fastest that was measured, the mean loss
and the worst, beside the same of what was chosen when it was measured.
"""

import argparse
import collections
import json
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools")]

from bench.peers import packed  # noqa: E402
from tuning import product_winners, schedule_samples, winners  # noqa: E402

NEAR = 0.03
# Losses beyond are alike, and those of schedules far from the fastest count less.
MOST_LOSS, FAR = 1.0, 0.15
SIZES = ("large", "small", "brief", "few")


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("measured", type=Path, nargs="+")
    add("--of", choices=("rows", "columns"), default="rows")
    add("--fuse-opt", default=str(ROOT / "build" / "bin" / "fuse-opt"))
    add("--chip", default="sm_90")
    add("--board", default="H200", help="its title, as in lib/Target/Boards")
    add("--trees", type=int, default=300)
    add("--leaves", type=int, default=63)
    add("--rate", type=float, default=0.09)
    add("--jobs", type=int, default=1)
    add("--samples", type=Path, help="what schedule_samples.py has written of them")
    add(
        "--grid", type=Path, help="results/grid.json.xz, whose choices are winners, too"
    )
    add("--products", type=Path, nargs="+", help="sweeps of few rows, of one row")
    add("--json", type=Path, help="write the report")
    add("--write", type=Path, help="write the board's file")
    return parser.parse_args()


def fit(features, loss, arguments, names):
    """Trees for the logarithm of a time over that of the fastest."""
    import lightgbm

    target = np.log1p(np.minimum(loss, MOST_LOSS))
    weight = 0.05 + np.exp(-loss / FAR)
    data = lightgbm.Dataset(features, target, weight=weight, feature_name=list(names))
    options = {
        "objective": "regression",
        "num_leaves": arguments.leaves,
        "learning_rate": arguments.rate,
        "min_data_in_leaf": 10,
        "feature_fraction": 0.7,
        "bagging_fraction": 0.8,
        "bagging_freq": 1,
        "lambda_l2": 1.0,
        "num_threads": arguments.jobs,
        "seed": 1,
        "deterministic": True,
        "force_col_wise": True,
        "verbose": -1,
    }
    return lightgbm.train(options, data, arguments.trees)


def choices(samples, predicted):
    """The loss of what is predicted to be the fastest, for each call."""
    order = np.lexsort((predicted, samples.group))
    first = np.unique(samples.group[order], return_index=True)
    losses = np.full(len(samples.groups), np.nan)
    losses[first[0]] = samples.loss[order][first[1]]
    return losses


def summary(losses):
    known = losses[~np.isnan(losses)]
    if not len(known):
        return None
    return {
        "calls": len(known),
        "near": round(float((known <= NEAR).mean()), 4),
        "mean": round(float(known.mean()), 4),
        "worst": round(float(known.max()), 4),
    }


def line_of(name, model, rules):
    def text(each):
        if each is None:
            return "-"
        return f"{each['near']:.1%} {each['mean']:.2%} {each['worst']:.0%}"

    calls = model["calls"] if model else 0
    return f"{name:34} {calls:5}  {text(model):22} {text(rules):22}"


def strata_of(entry, size):
    """The strata that a call is in: the report has a line of each."""
    level = schedule_samples.bucket_of(schedule_samples.moved_by(entry, size))
    columns = entry["columns"]
    lengths = ((320, "<= 320"), (2048, "<= 2048"), (16384, "<= 16384"))
    length = next((name for most, name in lengths if columns <= most), "longer")
    yield "all"
    yield f"family {entry['family']}"
    yield f"size {SIZES[level]}"
    yield f"length {length}"
    yield f"type {entry['dtype']}"
    yield "aligned" if columns % 8 == 0 else "unaligned"


def report(samples, predicted, chosen):
    """{stratum: {"model", "rules"}} of the calls that are chosen, where both are known."""
    model, rules = choices(samples, predicted), samples.rules()
    groups = collections.defaultdict(list)
    for number in np.flatnonzero(chosen):
        if np.isnan(rules[number]) or np.isnan(model[number]):
            continue
        for name in strata_of(*samples.groups[number]):
            groups[name].append(number)
    found = {}
    for name in sorted(groups):
        both = np.array(groups[name])
        found[name] = {"model": summary(model[both]), "rules": summary(rules[both])}
    return found


def flat(tree, numbers):
    """A tree of LightGBM's dump as TreeModel.h has it: parents before children."""
    nodes = {"feature": [], "at_most": [], "left": [], "right": [], "leaf": []}

    def leaf(value):
        nodes["leaf"].append(float(f"{value:.4g}"))
        return -len(nodes["leaf"])

    def visit(node):
        if "split_index" not in node:
            return leaf(node["leaf_value"])
        mine = len(nodes["feature"])
        nodes["feature"].append(numbers[node["split_feature"]])
        nodes["at_most"].append(float(f"{node['threshold']:.7g}"))
        nodes["left"].append(0)
        nodes["right"].append(0)
        nodes["left"][mine] = visit(node["left_child"])
        nodes["right"][mine] = visit(node["right_child"])
        return mine

    visit(tree)
    return nodes


def model_text(booster, names, fields):
    """The file as lib/Schedule/Models has it: a line a tree."""
    dump = booster.dump_model()
    used = sorted(
        {number for number, n in enumerate(booster.feature_importance()) if n}
    )
    numbers = {number: place for place, number in enumerate(used)}
    trees = [flat(each["tree_structure"], numbers) for each in dump["tree_info"]]
    head = {**fields, "features": [names[number] for number in used], "start": 0}
    lines = [f'  "{key}": {json.dumps(value)},' for key, value in head.items()]
    text = ",\n    ".join(json.dumps(tree, separators=(",", ":")) for tree in trees)
    return "{\n" + "\n".join(lines) + f'\n  "trees": [\n    {text}]\n}}\n'


def with_grid(known, samples, arguments):
    """Kernels of one family and element type have one key, whatever their length, unless
    the times say otherwise."""
    keys = collections.defaultdict(set)
    for entry, key in zip(samples.entries, samples.keys, strict=True):
        keys[entry["family"], entry["dtype"]].add(key)
    entries = [
        entry
        for entry in schedule_samples.read_grid(arguments.grid)
        if len(keys[entry["family"], entry["dtype"]]) == 1
    ]
    found = [next(iter(keys[e["family"], e["dtype"]])) for e in entries]
    return winners.with_choices(known, entries, found)


def winners_of(entries, samples, arguments):
    known = winners.winners_of(entries, samples.keys)
    if arguments.grid:
        known = with_grid(known, samples, arguments)
    if arguments.products:
        known |= product_winners.winners_of(
            arguments.products, arguments.fuse_opt, arguments.chip
        )
    print(f"{len(known)} winners, {len(set(known.values()))} schedules")
    return known


def main():
    arguments = parse_arguments()
    entries = [
        e
        for path in arguments.measured
        for e in schedule_samples.read_measured(path, arguments.of)
    ]
    if arguments.samples:
        samples = schedule_samples.Samples.read(arguments.samples, entries)
    else:
        samples = schedule_samples.Samples.ask(
            entries, arguments.fuse_opt, arguments.chip, arguments.jobs
        )
    seen = ~samples.held[samples.group]
    booster = fit(samples.features[seen], samples.loss[seen], arguments, samples.names)
    predicted = booster.predict(samples.features)
    found = report(samples, predicted, samples.held)
    print(f"{'held out':34} calls  trees: near mean worst  then: near mean worst")
    for name, both in found.items():
        print(line_of(name, both["model"], both["rules"]))
    if arguments.json:
        packed.write_text(arguments.json, json.dumps(found, indent=1) + "\n")
    if arguments.write:
        fields = {
            "board": arguments.board,
            "times": len(samples.us),
            "held_out": schedule_samples.design_cases.manifest(),
        }
        if arguments.of == "rows":
            fields |= winners.as_json(winners_of(entries, samples, arguments))
        arguments.write.write_text(model_text(booster, samples.names, fields))
    return 0


if __name__ == "__main__":
    sys.exit(main())
