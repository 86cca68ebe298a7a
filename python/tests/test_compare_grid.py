# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The grid of the comparison, as far as it needs no GPU."""

import types

import fuse_compiler as fuse
import pytest
from bench import compare_grid
from bench.peers import (
    ahead,
    bars,
    blame,
    cases,
    competitors,
    grid,
    grid_report,
    plots,
    reductions,
    schedules,
)


def one_of_each():
    """A case of every family in every element type, with rows that are not aligned."""
    for family in grid.FAMILIES:
        for dtype in family.dtypes:
            columns = 64 if family.lengths is grid.HEADS else 1000
            yield family.make(dtype, 8, columns)


@pytest.mark.parametrize("case", one_of_each(), ids=lambda case: case.name)
def test_programs_compile(case):
    result = fuse.inspect(case.program, chip="sm_90")
    # Where there are few results, sums take two steps; all else is one kernel.
    is_sum = case.name.startswith(("sum ", "column sum "))
    assert len(result.kernels) <= (2 if is_sum else 1)
    for tensor, given in zip(result.inputs, case.inputs, strict=True):
        assert tensor.dtype == given.dtype
        for dim, size in zip(tensor.shape, given.shape, strict=True):
            assert dim == size or isinstance(dim, str)


def test_cases_are_distinct():
    cases = grid.grid_cases()
    assert len({case.key for case in cases}) == len(cases)


def test_rows_move_the_bytes():
    for case in grid.grid_cases(sets=["stream", "hidden", "short"]):
        # Weights are beside the rows, and a row is moved whole.
        assert 0.9 * grid.STREAM_BYTES < case.case.bytes < 1.1 * grid.STREAM_BYTES


def test_every_family_comes_before_a_second_length():
    families = [family.name for family in grid.FAMILIES if "bf16" in family.dtypes]
    wide = [name for name in families if not name.startswith("rope")]
    first = grid.grid_cases()[: len(wide)]
    assert [case.family for case in first] == wide
    assert {case.shape[-1] for case in first} == {4096}


def test_a_layer_is_between_few_rows_and_many():
    cases = grid.grid_cases(sets=["layer"])
    assert all(6 << 20 < case.case.bytes < grid.READ_BYTES for case in cases)
    assert {case.dtype for case in cases} == set(grid.LAYER_DTYPES)
    assert {case.shape for case in cases} == set(grid.LAYER_SHAPES)


def test_what_is_of_the_size_of_a_cache():
    cases = grid.grid_cases(sets=["middle"])
    for case in cases:
        nearest = min(grid.MIDDLE_BYTES, key=lambda size: abs(size - case.case.bytes))
        assert 0.9 * nearest < case.case.bytes < 1.1 * nearest
    assert len({case.key for case in cases}) == len(cases)
    assert {case.shape[-1] for case in cases} == set(grid.MIDDLE_LENGTHS)


def test_chains_are_a_set_of_their_own():
    chained = grid.grid_cases(sets=["chain"])
    assert {case.family for case in chained} == {each.name for each in grid.CHAINS}
    assert not {each.name for each in grid.FAMILIES} & {
        each.name for each in grid.CHAINS
    }
    assert all(case.case.torch for case in chained)
    assert {case.family for case in chained if case.reads} == {
        "entropy",
        "kl_divergence",
    }
    assert all(case.set != "chain" for case in grid.grid_cases(["softmax"]))


def test_what_has_another_schedule_today(capsys):
    case = grid.grid_cases(["softmax"], ["bf16"], ["square"])[0]
    [schedule] = schedules.of_case(case, "sm_90")
    entry = {
        "family": "softmax",
        "set": "square",
        "dtype": "bf16",
        "shape": list(case.shape),
        "schedule": schedule,
    }
    other = {**entry, "schedule": "#fuse.rows<threads = 32>"}
    gone = {**entry, "set": "none"}
    entries = [entry, other, gone]
    assert compare_grid.list_changed(entries, [case], "sm_90") == 2
    shown = capsys.readouterr().out
    assert f"was #fuse.rows<threads = 32>\n    is  {schedule}" in shown
    assert "is  no such case" in shown


def test_what_compiles_for_half_a_second_is_of_one_type():
    assert {case.dtype for case in grid.grid_cases() if case.jit} == {"bf16"}


def test_a_selection():
    cases = grid.grid_cases(["softmax"], ["f16"], ["decode"])
    assert {case.family for case in cases} == {"softmax"}
    assert {case.timing for case in cases} == {"graph"}
    assert (1, 4096) in {case.shape for case in cases}


def test_bytes_of_a_reduction():
    # Logits and labels in, a loss of four bytes out.
    case = reductions.cross_entropy("bf16", 10, 100)
    assert case.bytes == 10 * 100 * 2 + 10 * 8 + 10 * 4


@pytest.mark.parametrize("option", ["--plot", "--changed"])
def test_results_that_are_not_there_are_refused(option, capsys):
    with pytest.raises(SystemExit):
        compare_grid.parse_arguments([option, "/nowhere/grid.json"])
    assert "but got '/nowhere/grid.json'" in capsys.readouterr().err


def test_an_unknown_family_is_refused(capsys):
    with pytest.raises(SystemExit):
        compare_grid.parse_arguments(["--families", "softmax,sofmax"])
    assert "but got sofmax" in capsys.readouterr().err


def test_libraries_that_are_not_here_are_named():
    def absent(module):
        raise ImportError(f"no {module}")

    here = competitors.Competitors(["liger", "quack"], import_module=absent)
    assert here.missing == {
        "liger": "ImportError: no liger_kernel.ops",
        "quack": "ImportError: no quack",
    }
    case = grid.grid_cases(["rms_norm"])[0]
    assert here.of("rms_norm", case.case, costly=True, jit=True) == {}


def test_what_compiles_for_seconds_takes_part_only_where_it_may():
    here = competitors.Competitors(["compile"])
    case = grid.grid_cases(["rms_norm"])[0].case
    assert here.of("rms_norm", case, costly=False, jit=True) == {}
    assert list(here.of("rms_norm", case, costly=True, jit=False)) == ["compile"]


def test_a_library_that_compiles_takes_part_only_where_it_may():
    library = types.SimpleNamespace(
        rmsnorm=lambda x, w, eps: (x, w, eps),
        fused_add_rmsnorm=None,
        silu_and_mul=None,
    )
    modules = {"flashinfer": library, "torch": None}
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(compare_grid.sys.modules, "torch", types.ModuleType("torch"))
        here = competitors.Competitors(["flashinfer"], import_module=modules.get)
    case = grid.grid_cases(["rms_norm"])[0].case
    assert here.of("rms_norm", case, costly=True, jit=False) == {}
    binder = here.of("rms_norm", case, costly=False, jit=True)["flashinfer"]
    assert binder("x", "w")() == ("x", "w", 1e-5)


def test_triton_stops_where_a_row_is_too_long():
    here = competitors.Competitors(["triton"])

    def takes_part(family, columns):
        case = family("bf16", 8, columns)
        return "triton" in here.of("any", case, costly=False, jit=False)

    assert takes_part(reductions.logsumexp, 65536)
    assert not takes_part(reductions.logsumexp, 131072)
    assert takes_part(cases.gelu, 131072)
    assert not takes_part(reductions.column_sum, 64)


def summary(median):
    return {"median": median, "q1": median - 1, "q3": median + 1, "rounds": 10}


RIGHT = {"max_error": 0.0, "wrong": 0, "first_call_s": 0.1}
OFF = {"max_error": 0.5, "wrong": 3, "first_call_s": 0.1}
HERE = {"gpu": "G", "date": "today", "commit": "abc"}


def entry(times, checks):
    case = grid.grid_cases(["softmax"], ["bf16"], ["square"])[0]
    summaries = {name: summary(time) for name, time in times.items()}
    return grid_report.entry_of(case, summaries, checks, ["#a", "#b"], HERE)


def test_entry():
    times = {"fuse": 100.0, "copy": 98.0, "eager": 90.0, "triton": 120.0}
    failed = {"failed": "RuntimeError: no"}
    checks = {"fuse": RIGHT, "eager": OFF, "triton": RIGHT, "quack": failed}
    found = entry(times, checks)
    assert found["family"] == "softmax"
    assert found["shape"] == [4096, 4096]
    assert (found["fuse_us"], found["fuse_q1_us"], found["copy_us"]) == (100, 99, 98)
    # The fastest is wrong, so it is not the best.
    assert (found["best_peer"], found["best_peer_us"]) == ("triton", 120)
    assert found["schedule"] == "#a; #b"
    assert found["correct"]
    assert found["competitors"]["eager"]["wrong"] == 3
    assert found["competitors"]["quack"] == failed
    assert grid_report.row(found) == (
        "| softmax | 4096x4096 | bf16 | 100.00 (99.00 to 101.00) | 98.0 "
        "| triton | 120.00 | 1.20 |"
    )


def test_entry_of_a_wrong_result():
    found = entry({"fuse": 50.0, "copy": 98.0}, {"fuse": OFF})
    assert not found["correct"]
    assert found["best_peer"] is None
    assert "WRONG by up to 5.0e-01" in grid_report.row(found)


def test_entry_of_a_failure():
    found = entry({"copy": 98.0}, {"fuse": {"failed": "no kernel\nmore"}})
    assert not found["correct"]
    assert grid_report.row(found) == (
        "| softmax | 4096x4096 | bf16 | failed: no kernel | | | | |"
    )


def test_a_case_measured_again_replaces_the_old():
    old = entry({"fuse": 50.0, "copy": 98.0}, {"fuse": RIGHT})
    new = entry({"fuse": 40.0, "copy": 98.0}, {"fuse": RIGHT})
    assert grid_report.merged([old], [new]) == [new]


def test_counters_stay_where_the_schedule_does():
    old = entry({"fuse": 50.0, "copy": 98.0}, {"fuse": RIGHT})
    old |= {"schedule": "a", "commit": "1", "profile": {"read": 1.0}}
    same = old | {"commit": "2"}
    del same["profile"]
    other = same | {"schedule": "b"}
    own = same | {"profile": {"read": 2.0}}
    kept = same | {"profile": {"commit": "1", "read": 1.0}}
    assert grid_report.merged([old], [same]) == [kept]
    assert (
        grid_report.merged([kept], [same | {"commit": "3"}])[0]["profile"]
        == kept["profile"]
    )
    assert grid_report.merged([old], [other]) == [other]
    assert grid_report.merged([old], [own]) == [own]


def test_what_is_written_is_read_again(tmp_path):
    entries = [entry({"fuse": 50.0, "copy": 98.0}, {"fuse": RIGHT})]
    run = {"gpu": "G", "missing": {"quack": "ImportError: no"}, "skipped": 4}
    grid_report.write(tmp_path, entries, run)
    assert grid_report.read_entries(tmp_path / "grid.json") == entries
    text = (tmp_path / "grid.md").read_text()
    assert "- quack: ImportError: no" in text
    assert "4 cases were not measured" in text


def test_the_process_is_started_again_when_it_dies(tmp_path):
    """The first loses the GPU in a case, the second ends well."""
    starts = []

    def start(words):
        starts.append(words)
        current = tmp_path / "grid-current.json"
        if len(starts) == 1:
            current.write_text("[]")
            return -14
        current.unlink()
        return 0

    assert compare_grid.supervise(tmp_path, 100, start, clock=lambda: 0) == 0
    assert len(starts) == 2
    assert "--measure" in starts[0]


def test_the_competitor_that_ended_the_process_is_left_out(tmp_path):
    first, second = grid.grid_cases(["softmax"])[:2]
    blame.Blame(tmp_path).note(first, "quack")
    assert blame.is_unfinished(tmp_path)
    # It is remembered by all that come after.
    for _ in range(2):
        found = blame.Blame(tmp_path)
        assert found.suspects(first) == {"quack"}
        assert found.suspects(second) == set()
    assert not blame.is_unfinished(tmp_path)
    blame.forget(tmp_path)
    assert blame.Blame(tmp_path).suspects(first) == set()


def test_what_is_done_is_nobodys_fault(tmp_path):
    case = grid.grid_cases(["softmax"])[0]
    found = blame.Blame(tmp_path)
    found.note(case, "quack")
    found.clear()
    assert blame.Blame(tmp_path).suspects(case) == set()


def test_it_is_not_started_for_ever(tmp_path):
    def start(words):
        (tmp_path / "grid-current.json").write_text("[]")
        return 1

    assert compare_grid.supervise(tmp_path, 100, start, clock=lambda: 0) == 1


@pytest.mark.gpu
def test_a_small_grid(torch, tmp_path):
    from bench.peers.grid_run import GridRun

    words = ["--peers", "eager", "--seconds", "0.01", "--budget", "60"]
    arguments = compare_grid.parse_arguments(words)
    cases = grid.grid_cases(["softmax"], ["f32"], ["decode", "square"])[-3:]
    assert {case.timing for case in cases} == {"events", "graph"}
    assert GridRun(arguments, cases, tmp_path, "commit").run() == 0
    entries = grid_report.read_entries(tmp_path / "grid.json")
    assert [grid_report.key_of(entry) for entry in entries] == [c.key for c in cases]
    for found in entries:
        assert found["best_peer"] == "eager"
        assert 0 < found["fuse_q1_us"] <= found["fuse_us"] <= found["fuse_q3_us"]
        assert found["copy_us"] > 0
        assert found["schedule"].startswith("#fuse.rows<")
    # Nothing is left to measure.
    assert GridRun(arguments, cases, tmp_path, "commit").run() == 0


def test_cores_share_what_they_compile_ahead():
    cases = list(range(10))
    parts = [ahead.part_of(cases, f"{index}/4") for index in range(4)]
    assert sorted(sum(parts, [])) == cases
    assert max(map(len, parts)) == 3


@pytest.mark.parametrize("option", ["--ahead", "--warm"])
def test_no_time_to_compile_ahead_is_refused(capsys, option):
    with pytest.raises(SystemExit):
        compare_grid.parse_arguments([option, "-5"])
    message = f"{option}: expected 0 seconds or more, but got -5"
    assert message in capsys.readouterr().err


def test_what_compiles_is_compiled_ahead():
    found = grid.grid_cases(["softmax"], ["bf16"], ["stream"])
    cases = {each.costly: each for each in found if each.shape[-1] <= 4096}
    every = competitors.Competitors(["eager", "triton", "compile-max"])
    cheap, costly = cases[False], cases[True]

    def names(case, everywhere):
        return set(ahead.competitors_of(case, every, everywhere))

    assert names(cheap, everywhere=False) == {"triton"}
    assert names(costly, everywhere=False) == {"triton", "compile-max"}
    assert names(cheap, everywhere=True) == {"triton", "compile-max"}


def test_what_has_an_entry_is_not_compiled_again():
    cases = grid.grid_cases(["softmax"], ["bf16"], ["square", "decode"])
    done = {
        "family": "softmax",
        "set": "square",
        "dtype": "bf16",
        "shape": [4096, 4096],
    }
    left = grid_report.remaining(cases, [done])
    assert len(left) == len(cases) - 1
    assert all(case.set == "decode" for case in left)


def test_all_parts_run_at_once():
    running, most = set(), []

    class Part:
        def __init__(self, words):
            running.add(self)
            most.append(len(running))
            self.words = words

        def wait(self):
            running.remove(self)
            return 0 if self.words[-1] == "--part=0/3" else 1

    assert ahead.run_parts(["grid"], 3, start=Part) == 2
    assert most == [1, 2, 3]


def test_what_is_compiled_ahead_measures_nothing():
    class Autotuner:
        launchers = ("a", "b")

        def autotune_to_one_config(self, tensor):
            raise AssertionError("measured")

    ahead.take_first(Autotuner)
    tuner = Autotuner()
    tuner.autotune_to_one_config("tensor", stream=0)
    assert tuner.launchers == ("a",)


def test_a_function_is_compiled_once_for_all_places():
    made = []

    def make():
        made.append(len(made))
        return lambda x: (len(made), x)

    bind = competitors._late(make)
    assert made == []
    assert [bind(place)() for place in "ab"] == [(1, "a"), (1, "b")]


def test_rates():
    found = entry({"fuse": 100.0, "copy": 50.0}, {"fuse": RIGHT})
    assert plots.series([found]) == {
        "copy": [(4096, found["bytes"] / 50e-6 * 1e-9)],
        "fuse": [(4096, found["bytes"] / 100e-6 * 1e-9)],
    }
    ((intensity, rate, family),) = plots.roofline_points([found])
    # Five operations an element, of two bytes in and two out.
    assert intensity == pytest.approx(5 / 4)
    assert rate == pytest.approx(5 * 4096 * 4096 / 100e-6)


def test_pictures(tmp_path):
    pytest.importorskip("matplotlib")
    found = entry({"fuse": 100.0, "copy": 50.0}, {"fuse": RIGHT})
    paths = plots.draw([{**found, "set": "stream"}], tmp_path)
    assert [path.name for path in paths] == ["bandwidth-bf16.svg", "roofline.svg"]
    assert all("<svg" in path.read_text() for path in paths)


def test_families_are_summed_up():
    base = {"family": "softmax", "set": "stream", "fuse_us": 100.0, "copy_us": 90.0}
    entries = [
        {**base, "best_peer": "triton", "best_peer_us": 120.0},
        # Behind by more than the tolerance, and by less.
        {**base, "copy_us": 100.0, "best_peer": "eager", "best_peer_us": 96.0},
        {**base, "copy_us": 80.0, "best_peer": "eager", "best_peer_us": 98.0},
        {**base, "best_peer": None, "best_peer_us": None},
        {"family": "softmax", "set": "stream", "failed": "no"},
        {**base, "set": "decode", "best_peer": None},
    ]
    assert grid_report.families(entries)[2:] == [
        "| softmax | stream | 4 | 80 | 90 | 100 | 1 of 3 | 0.98 |",
        "| softmax | decode | 1 | 90 | 90 | 90 | 0 of 0 |  |",
    ]


def reaching(percent, **changes):
    found = entry({"fuse": 10000.0, "copy": 100.0 * percent}, {"fuse": RIGHT})
    return found | {"set": "stream"} | changes


def test_bars():
    long, unaligned = [2, 65536], [2, 25129]
    # Rows of one block, unaligned, longer, streams, and calls of a few rows.
    assert bars.bar_of(reaching(98.5))[:2] == (98, 98.5)
    assert bars.bar_of(reaching(98.5, shape=long))[0] == 97
    assert bars.bar_of(reaching(98.5, shape=unaligned))[0] == 97
    assert bars.bar_of(reaching(98.5, family="gelu"))[0] == 99
    assert bars.bar_of(reaching(98.5, family="logsumexp"))[0] == 97
    assert bars.bar_of(reaching(98.5, set="square"))[0] == 95
    assert bars.bar_of(reaching(98.5, set="decode")) is None
    read = bars.bar_of(reaching(98.5, set="read", bytes=42 * 10**9))
    assert read == (4300, 4200, "GB/s")


def test_those_under_their_bar_are_named():
    entries = [reaching(97.5), reaching(98.5), reaching(50, set="decode")]
    entries.append(reaching(90, family="gelu"))
    # Neither a kernel that only reads nor counters.
    blank = "  |" * 6
    assert grid_report.missed_bars(entries)[2:] == [
        "| gelu | stream | 4096x4096 | bf16 | 90.0 % | 99 % |" + blank,
        "| softmax | stream | 4096x4096 | bf16 | 97.5 % | 98 % |" + blank,
    ]
