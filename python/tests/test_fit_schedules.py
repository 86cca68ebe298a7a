# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/tuning/fit_schedules.py: what is made of times and of trees, without LightGBM."""

import json
import lzma

import numpy as np
import pytest
from tuning import fit_schedules, product_winners, schedule_samples, winners

A, B, C = (
    f"#fuse.rows<threads = {threads}, vector = 8, rows_per_block = 1, hold = cache>"
    for threads in (128, 256, 512)
)


def entry(columns, us, held_out=False):
    """Two calls of a kernel, a large and a small one; B was chosen in both."""
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
            (number, us, number, group)
            for group, measured in enumerate(m for e in entries for m in e["us"])
            for number, us in measured
        ]
    )
    return schedule_samples.Samples(
        entries, ["a", "b"], ["threads"], (columns[:, :1], *columns[:, 1:].T)
    )


def test_losses_are_over_the_fastest_of_the_call(samples):
    assert samples.loss[:3] == pytest.approx([0, 0.1, 0.2])
    assert samples.rules() == pytest.approx([0.1, 0.02, 0, 0])
    assert samples.held.tolist() == [False, False, True, True]


def test_trees_choose_what_they_predict_to_be_the_fastest(samples):
    predicted = np.array([0, 0.05, 0.3, 0, 0.01, 0.3] * 2)
    assert fit_schedules.choices(samples, predicted) == pytest.approx([0, 0, 0.04, 0.2])


def test_a_winner_is_the_fastest_that_is_nowhere_far_slower_than_the_choice():
    kernels = [
        entry(4096, [(100, 110, 120), (10, 10.2, 11)]),
        # Few calls are of both lengths; C is the fastest, but for one call.
        entry(1024, [(104, 100, 90), (10, 10, 10)]),
        entry(1024, [(104, 100, 120), (10, 10, 10)]),
        entry(77, [(1, 2, 3), (1, 2, 3)]),
    ]
    found = winners.winners_of(kernels, ["a", "b", "b", "a"])
    assert found["a", 4096, 0] == A
    assert found["b", 1024, 0] in (A, B)
    # Nobody has rows of 77.
    assert {length for _, length, _ in found} == {4096, 1024}


def test_winners_of_products_are_those_of_one_row(tmp_path):
    cases = [
        {"name": "a", "shape": [1, 4096, 4096], "us": {A: 9, B: 8, "read": 7}},
        {"name": "b", "shape": [8, 4096, 4096], "us": {C: 1, "read": 7}},
    ]
    path = tmp_path / "sweep.json.xz"
    path.write_bytes(lzma.compress(json.dumps(cases).encode()))
    found = winners.products_of(winners.read_products([path]), lambda *_: ("p", 2))
    assert found == {("p", 4096, 1): B}


def test_winners_of_weights_go_by_their_bytes(tmp_path):
    """Of a cold L2 and in a graph, which counts; all else of the file stays."""
    cases = [
        {
            "name": "b int4 by group",
            "shape": [1, 28672, 4096],
            "us": {A: [1, 9], B: [9, 8]},
        },
        {
            "name": "b int8 by column",
            "shape": [1, 4096, 4096],
            "us": {A: [1, 2], C: [1, 3]},
        },
    ]
    path = tmp_path / "sweep.json.xz"
    path.write_bytes(lzma.compress(json.dumps(cases).encode()))
    kinds = []

    def key_of(name, rows, length):
        kinds.append(product_winners.kind_of(name))
        return kinds[-1][0], product_winners.BYTES[kinds[-1][0]]

    found = winners.products_of(winners.read_products([path]), key_of)
    assert kinds == [("int4", True), ("int8", False)]
    assert list(found.values()) == [B, A]
    before = {("old", 1, 0): C}
    lines = [f'  "{k}": {json.dumps(v)},' for k, v in winners.as_json(before).items()]
    text = "{\n" + "\n".join(lines) + '\n  "trees": [\n    [1, 2]]\n}\n'
    after = product_winners.with_winners(text, found)
    assert winners.from_json(json.loads(after)) == {**before, **found}
    assert after.split("\n")[3:] == text.split("\n")[3:]


def test_choices_of_the_grid_are_winners_where_nothing_else_was_measured():
    case = {
        "family": "softmax",
        "dtype": "bf16",
        "columns": 4096,
        "sizes": [[2**16, "events"]],
        "schedules": [C],
        "us": [[[0, 130]]],
    }
    assert winners.with_choices({}, [case], ["a"]) == {("a", 4096, 0): C}
    known = {("a", 4096, 0): A}
    assert winners.with_choices(known, [case], ["a"]) == known
    assert winners.as_json(known) == {"schedules": [A], "winners": {"a": [4096, 0, 0]}}


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
