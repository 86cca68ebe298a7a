# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Designed sweeps: what is drawn, what is legal, and what is held out."""

import argparse
import os
import random
import subprocess
from pathlib import Path

import fuse_compiler as fuse
import pytest
from tuning import column_cases, design_cases, design_sweep, run_design

KERNELS = (
    ("softmax", "bf16", 4096),
    ("layer_norm", "f32", 77),
    ("add+rms_norm", "f16", 1000),
    ("logsumexp", "bf16", 50257),
    ("quantize_f8", "bf16", 33),
    ("rms_norm_backward", "bf16", 2048),
    ("mean_cross_entropy", "f32", 1001),
    ("column_sum", "bf16", 4096),
    ("sum", "f32", 4097),
    ("norm_weights", "f32", 1001),
    ("batch_statistics", "bf16", 4097),
    ("token_mean", "bf16", 77),
    ("tensor_norm", "f32", 1000),
)


BUILD = Path(os.environ.get("FUSE_BUILD_DIR", design_sweep.ROOT / "build"))


@pytest.fixture(name="arguments")
def given_arguments():
    tool = str(BUILD / "bin" / "fuse-opt")
    return argparse.Namespace(fuse_opt=tool, chip="sm_90", schedules=12)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel[0])
def test_every_legal_schedule_lowers(arguments, kernel):
    """Of thousands some, drawn from all kinds; what is legal is one of these."""
    case = design_cases.DesignedCase(*kernel, held_out=False)
    formed, entry = design_sweep.listed(arguments, case.make(8).program)
    assert len(entry["legal"]) > 100
    legal = dict(entry["legal"])
    for schedule in random.Random(0).sample(sorted(legal), 8):
        text = run_design.with_schedule(formed, schedule)
        # Another launch combines parts.
        lowered, *combining = fuse.inspect(text, chip="sm_90a").kernels
        assert lowered.schedule == schedule
        assert [each.ops for each in combining] in ([], [("combine",)])


@pytest.mark.parametrize("family", column_cases.FAMILIES, ids=lambda f: f.name)
@pytest.mark.parametrize("dtype, columns", [("bf16", 64), ("f32", 35)])
def test_programs_of_columns_are_right(family, dtype, columns):
    case = family.make(dtype, 37, columns)
    result = fuse.inspect(case.program, chip="sm_90", sizes={"rows": 37})
    assert [each.dtype for each in result.inputs] == [e.dtype for e in case.inputs]
    run = [BUILD / "bin" / "fuse", "run", "-", "--target", "emu", "--verify"]
    done = subprocess.run(
        [*run, "--dim", "rows=37"], input=case.program, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_plan_has_what_the_rules_choose(arguments):
    case = design_cases.DesignedCase("rms_norm", "bf16", 4096, held_out=True)
    plan = design_sweep.plan_of(arguments, case, seed=1)
    assert len(set(plan["schedules"])) == len(plan["schedules"]) == 12
    # For large calls, small, brief and few ones; they come first.
    assert len(plan["chosen"]) == 4
    assert sorted(set(plan["chosen"])) == list(range(len(set(plan["chosen"]))))
    assert plan == design_sweep.plan_of(arguments, case, seed=1)
    assert plan != design_sweep.plan_of(arguments, case, seed=2)


def test_sizes_are_those_of_small_middling_and_large_calls():
    case = design_cases.DesignedCase("softmax", "f32", 1024, held_out=False)
    assert case.row_bytes == 8192
    sizes = design_cases.draw_sizes(random.Random(3), case)
    moved = [rows * case.row_bytes for rows, _ in sizes]
    assert moved == sorted(moved)
    assert moved[0] < 9e6 < moved[1] < 210e6 < moved[2]
    assert [how == "graph" for _, how in sizes] == [each <= 2e6 for each in moved]


def test_held_out_are_some_lengths_of_all_families_and_some_families():
    held = design_cases.manifest()
    lengths = [
        n for n in range(8, 4000) if design_cases.is_held_out("softmax", n, held)
    ]
    assert len(lengths) == pytest.approx(4000 / held["one_in"], rel=0.15)
    assert all(design_cases.is_held_out("rms_norm", n, held) for n in lengths)
    for family in held["families"]:
        assert all(design_cases.is_held_out(family, n, held) for n in range(8, 99))


def test_draws_are_different_cases_of_many_families():
    cases = design_cases.draw(random.Random(1), 300)
    assert len({(each.family, each.dtype, each.columns) for each in cases}) == 300
    assert len({each.family for each in cases}) > 20
    assert 20 < sum(each.held_out for each in cases) < 150
