# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/tuning/fit_schedules.py: what is made of times and of trees, without LightGBM."""

import json

import numpy as np
import pytest
from tuning import fit_schedules, schedule_samples

A, B, C = (
    f"#fuse.rows<threads = {threads}, vector = 8, rows_per_block = 1, hold = cache>"
    for threads in (128, 256, 512)
)


def entry(columns, us, held_out=False):
    """Two calls of a kernel, a large and a small one; the rules choose B in both."""
    return {
        "family": "softmax",
        "dtype": "bf16",
        "columns": columns,
        "held_out": held_out,
        "sizes": [[2**28 // columns, "events"], [2**22 // columns, "events"]],
        "chosen": [1, 1, 1, 1],
        "schedules": [A, B, C],
        "us": [[[number, time] for number, time in enumerate(each)] for each in us],
    }


@pytest.fixture(name="samples")
def given_samples():
    entries = [
        entry(4096, [(100, 110, 120), (10, 10.2, 11)]),
        entry(1024, [(104, 100, 100), (12, 10, 10)], held_out=True),
    ]
    columns = np.array(
        [
            (number, 1.0, us, number, group)
            for group, measured in enumerate(m for e in entries for m in e["us"])
            for number, us in measured
        ]
    )
    return schedule_samples.Samples(
        entries, ["threads"], (columns[:, :1], *columns[:, 1:].T)
    )


def test_losses_are_over_the_fastest_of_the_call(samples):
    assert samples.loss[:3] == pytest.approx([0, 0.1, 0.2])
    assert samples.rules() == pytest.approx([0.1, 0.02, 0, 0])
    assert samples.held.tolist() == [False, False, True, True]


def test_the_model_replaces_the_rules_if_it_promises_as_much(samples):
    # It takes A for the fastest, by 0.05 in the large calls and 0.01 in the others.
    predicted = np.array([0, 0.05, 0.3, 0, 0.01, 0.3] * 2)
    assert fit_schedules.choices(samples, predicted) == pytest.approx([0, 0, 0.04, 0.2])
    both = fit_schedules.combined(samples, predicted, 0.03)
    assert both == pytest.approx([0, 0.02, 0.04, 0])
    assert fit_schedules.combined(samples, predicted, 0.1) == pytest.approx(
        samples.rules()
    )


def test_a_margin_is_one_that_pays_on_what_was_not_seen(samples):
    predicted = np.array([0, 0.05, 0.3, 0, 0.01, 0.3] * 2)
    large_and_small = ~samples.held[samples.group]
    # 2 % of a small call are near already, and 10 % of a large one are not.
    margins = fit_schedules.margins_of(samples, predicted, large_and_small)
    assert margins == {"large": 0, "small": 0}
    held = samples.held[samples.group]
    assert fit_schedules.margins_of(samples, predicted, held) == {}


def test_a_report_has_only_what_is_asked_for(samples):
    predicted = np.array([0, 0.05, 0.3, 0, 0.01, 0.3] * 2)
    found = fit_schedules.report(samples, predicted, samples.held)
    assert found["all"]["model"] == {"calls": 2, "near": 0, "mean": 0.12, "worst": 0.2}
    assert found["all"]["rules"] == {"calls": 2, "near": 1, "mean": 0, "worst": 0}
    assert "length <= 2048" in found and "length <= 16384" not in found


def test_trees_become_flat_with_parents_first():
    def node(feature, threshold, left, right):
        return {
            "split_index": 0,
            "split_feature": feature,
            "threshold": threshold,
            "left_child": left,
            "right_child": right,
        }

    def leaf(value):
        return {"leaf_value": value}

    tree = node(7, 4.5, leaf(1), node(3, 0.5, node(7, 9, leaf(2), leaf(3)), leaf(4)))
    flat = fit_schedules.flat(tree, {3: 0, 7: 1})
    assert flat == {
        "feature": [1, 0, 1],
        "at_most": [4.5, 0.5, 9],
        "left": [-1, 2, -2],
        "right": [1, -4, -3],
        "leaf": [1, 2, 3, 4],
    }

    class Booster:
        def dump_model(self):
            return {"tree_info": [{"tree_structure": tree}]}

        def feature_importance(self):
            return [0, 0, 0, 1, 0, 0, 0, 2]

    names = [f"f{number}" for number in range(8)]
    text = fit_schedules.model_text(Booster(), names, {"board": "H200"})
    data = json.loads(text)
    assert data["features"] == ["f3", "f7"] and data["trees"] == [flat]
