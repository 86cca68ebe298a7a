# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parts of pages that are made of results, as lines of Markdown.

`Results` reads the files once; each of BLOCKS makes one block of them.
"""

import json
import re
import statistics
from functools import cached_property

from bench.fetch_peers import WHEELS
from bench.peers import (
    attention_report,
    block_report,
    contraction_report,
    cpu_report,
    decoding_report,
    distributed_report,
    model_report,
    packed,
    summary,
)
from dev.pages import choices_report, tiles_report
from tuning.replay_sweeps import NEAR


class Results:
    """The files of results/, and what follows from them."""

    def __init__(self, folder):
        self.folder = folder

    def _read(self, name):
        return packed.read_json(self.folder / f"{name}.json.xz")

    @cached_property
    def grid(self):
        return self._read("grid")

    @cached_property
    def compiled(self):
        return self._read("compiled")

    @cached_property
    def contractions(self):
        return self._read("contractions")

    @cached_property
    def contractions_sync(self):
        return self._read("contractions-sync")

    @cached_property
    def few_rows(self):
        return self._read("few-rows")

    @cached_property
    def tiles(self):
        return self._read("mma-sweep")

    @cached_property
    def columns_design(self):
        text = packed.read_text(self.folder / "columns-design.jsonl.xz")
        return [json.loads(line) for line in text.splitlines()]

    @cached_property
    def columns_fit(self):
        return self._read("columns-fit")

    @cached_property
    def attention(self):
        return self._read("attention")

    @cached_property
    def models(self):
        return self._read("models")

    @cached_property
    def host(self):
        return self._read("host")

    @cached_property
    def distributed(self):
        return self._read("distributed")

    @cached_property
    def block(self):
        return self._read("block")

    @cached_property
    def cpu_contractions(self):
        return self._read("cpu-contractions")

    @cached_property
    def peers(self):
        return self._read("peers")

    @cached_property
    def programs(self):
        return self._read("programs")

    @cached_property
    def sweeps(self):
        return self._read("sweeps")

    @cached_property
    def replay(self):
        return self._read("replay")

    @cached_property
    def cases(self):
        return summary.compare(self.grid, self.compiled)


def version(name):
    """Of a library, as wheels.txt has it."""
    (found,) = re.findall(rf"^{name}==([\d.]+\d)", WHEELS.read_text(), re.MULTILINE)
    return found


def speed(results):
    """What a reader of README wants to know, in three lines."""
    found = summary.totals(results.cases)
    behind = f"{found.behind} cases are" if found.behind != 1 else "One case is"
    return [
        f"- **Against the best of torch, torch.compile, Triton, Liger, QuACK and "
        f"FlashInfer**: as fast or faster in {found.ahead} of {found.compared} cases, "
        f"{found.median:.2f} times as fast in the median. {behind} more than 3% slower.",
        f"- **Against the memory**: a kernel that moves 400 MiB or more runs at "
        f"{found.large_share:.0%} of the speed of a plain copy of as many bytes in the "
        f"median, at {min(c.share for c in results.cases if c.is_large):.0%} at worst.",
        "- Those are norms, softmax, losses, sums, activations, quantising and rotary "
        f"embeddings on one {results.grid[0]['gpu']}, from one row to 1 GiB, with every "
        "result checked.",
    ]


def _spread(entries):
    """The distance of the quartiles over the median, of the median case."""
    spreads = [(e["fuse_q3_us"] - e["fuse_q1_us"]) / e["fuse_us"] for e in entries]
    return f"{statistics.median(spreads):.1%}"


def setting(results):
    """What ran, and when."""
    gpu, peers = results.grid[0]["gpu"], results.peers
    libraries = (
        f"torch {peers['torch'].partition('+')[0]}, Triton {peers['triton']}, "
        f"Liger {version('liger-kernel')}, QuACK {version('quack-kernels')}, "
        f"FlashInfer {version('flashinfer-python')}"
    )
    wrong = sum(not entry["correct"] for entry in results.grid)
    long = [entry for entry in results.grid if entry["fuse_us"] >= 100]
    short = [entry for entry in results.grid if entry["fuse_us"] < 100]
    return [
        f"{len(results.grid)} cases on one {gpu}, {summary.days(results.grid)}; {libraries}. "
        f"torch.compile with max-autotune was measured in runs of its own, "
        f"{summary.days(results.compiled)}. Results of Fuse that were wrong: {wrong}. The "
        f"quartiles of a case lie {_spread(long)} of its median apart in calls of 100 us "
        f"and more, {_spread(short)} in shorter ones (medians of all cases)."
    ]


def families(results):
    return summary.family_table(results.cases)


def behind(results):
    """The eight cases that a peer is ahead of by most."""
    rows = [
        [case.text, summary.PEERS[case.peer], f"{1 / case.ratio - 1:.1%}"]
        for case in summary.farthest_behind(results.cases, 8)
    ]
    return summary.table(("case", "fastest peer", "Fuse is slower by"), rows)


def slowest(results):
    """The large cases farthest below a copy, a family each."""
    rows = [
        [case.text, f"{case.share:.0%}"]
        for case in summary.least_shares(results.cases)
        if case.share < 0.97
    ]
    return summary.table(("slowest large case of its family", "share of a copy"), rows)


def _first_calls(cases, name):
    """ms of first calls that compiled something."""
    times = [case["errors"].get(name, {}).get("first_call_s", 0) for case in cases]
    return [1000 * time for time in times if time > 0.02]


def costs(results):
    """What a call of few elements and a compilation cost the host."""
    cases, host = results.peers["cases"], results.host
    compiles = {
        "Fuse": [case["compile_ms"] for case in cases],
        "torch.compile": _first_calls(cases, "compile"),
        "torch.compile, max-autotune": _first_calls(cases, "compile-max"),
        "Triton": _first_calls(cases, "triton"),
    }
    calls = {text: host["host_us"][name] for name, text in _CALLS.items()}
    rows = [
        [
            name,
            f"{calls[name]:.1f} us" if name in calls else "",
            f"{statistics.median(compiles[name]):.0f} ms" if name in compiles else "",
        ]
        for name in dict.fromkeys([*calls, *compiles])
    ]
    return [
        *summary.table(("", "host time of a call", "compiling a kernel"), rows),
        "",
        f"Calls beside one {host['device']}; kernels of {len(cases)} cases. Another process takes "
        f"{host['warm_start_ms']:.1f} ms to load what is compiled.",
    ]


# By what was measured, as the page has it.
_CALLS = {
    "C: fuseCallRun": "Fuse from C",
    "program": "Fuse",
    "program, out= given": "Fuse, `out=` given",
    "torch: add": "torch",
    "torch.compile, fuse": "torch.compile with Fuse",
    "torch.compile, inductor": "torch.compile",
}


def _share(losses):
    known = [loss for loss in losses if loss is not None]
    near = sum(loss <= NEAR for loss in known)
    return [f"{near / len(known):.0%}", len(known)]


def replay(results):
    """How near choices are to the fastest schedule that was measured."""
    found = results.replay
    rows = [
        ["the compiler's choice", *_share([each["loss"] for each in found])],
        ["the model's favourite", *_share([each["model_loss"] for each in found])],
        [
            "the best that `--autotune` would measure",
            *_share([each["shortlist_loss"] for each in found]),
        ],
    ]
    errors = [abs(each["error"]) for each in found if each["error"] is not None]
    times = sum(len(case["us"]) for case in results.sweeps["cases"])
    return [
        f"{times:,} times of {len(results.sweeps['schedules']):,} schedules in "
        f"{len(results.sweeps['cases']):,} cases:",
        "",
        *summary.table(
            ("", "within 3% of the fastest measured", "cases in which it was measured"),
            rows,
        ),
        "",
        "The model predicts the time of a choice to "
        f"{statistics.median(errors):.0%} in the median.",
    ]


def contraction_setting(results):
    """On what contractions were measured, and how far quartiles lie apart."""
    entries = results.contractions
    spreads = [
        (e["cold"]["fuse"]["q3"] - e["cold"]["fuse"]["q1"])
        / e["cold"]["fuse"]["median"]
        for e in entries
        if contraction_report.is_measured(e)
    ]
    wrong = sum(e["errors"].get("fuse", {}).get("wrong", 0) > 0 for e in entries)
    compiling = statistics.median(e["compile_ms"] for e in entries if "compile_ms" in e)
    return [
        f"{len(entries)} cases on one {summary.measured_on(entries)}, torch "
        f"{entries[0]['torch']}; random data, medians of interleaved rounds; results of "
        f"Fuse that were wrong: {wrong}. The quartiles of a case lie "
        f"{statistics.median(spreads):.1%} of its median apart (median of all cases). A "
        f"program takes {compiling:.0f} ms to compile, in the median."
    ]


def contractions_sync(results):
    """What mma.sync reaches where wgmma is, which libraries use there."""
    entries = results.contractions_sync
    found = [
        contraction_report.ratio(e, "cold")
        for e in entries
        if e["set"] == "layers" and contraction_report.is_measured(e)
    ]
    return [
        f"On one {summary.measured_on(entries)}: {statistics.median(found):.2f} of the speed of "
        f"cuBLAS, which uses wgmma there, in the median of {len(found)} layers of 1024 rows "
        f"and more; {min(found):.2f} at least."
    ]


def few_rows_setting(results):
    entries = results.few_rows
    return [f"{len(entries)} cases on one {summary.measured_on(entries)}, bf16."]


def models_setting(results):
    entries = results.models
    names = {
        "eager": "eager",
        "fuse-graphs": "Fuse with CUDA graphs",
        "compile": "torch.compile in its default mode",
        "max": "its max-autotune without CUDA graphs",
        "max-graphs": "its max-autotune",
    }
    said = ", ".join(
        f"{mean:.2f} over {names.get(name, name)} ({count} cases)"
        for name, (mean, count) in model_report.summary(entries).items()
    )
    gpus = summary.gpus(entries, "device").replace(", ", " and one ")
    if any("layers" in entry for entry in entries):
        said += "; beside max-autotune most have one layer"
    return [
        f"Times of others over Fuse's, on one {gpus}, torch {entries[0]['torch']}, transformers "
        f"{entries[0]['transformers']}; bfloat16, random weights, layers of real sizes but few "
        f"of them, medians of interleaved rounds. In the geometric mean {said}."
    ]


def block_tables(results):
    """The comparison and the timelines, for the page of all results."""
    lines = [
        *block_report.setting(results.block),
        "",
        "Times of torch's ways over Fuse's, by calls or in a CUDA graph:",
        "",
        *block_report.table(results.block),
    ]
    launches = block_report.timeline(results.block)
    # Behind the two lines of the header.
    return [*lines, "", *launches] if len(launches) > 2 else lines


def _report(function, file):
    """The block that a report makes of one file of results."""
    return lambda results: function(getattr(results, file))


# By their names in pages.
BLOCKS = {
    "speed": speed,
    "setting": setting,
    "families": families,
    "behind": behind,
    "slowest": slowest,
    "costs": costs,
    "replay": replay,
    "contraction_setting": contraction_setting,
    "contractions_sync": contractions_sync,
    "few_rows_setting": few_rows_setting,
    "models_setting": models_setting,
    "contractions": _report(contraction_report.plain_table, "contractions"),
    "contractions_fused": _report(contraction_report.fused_table, "contractions"),
    "cpu_setting": _report(cpu_report.setting, "cpu_contractions"),
    "cpu_contractions": _report(cpu_report.table, "cpu_contractions"),
    "contractions_behind": _report(contraction_report.behind_table, "contractions"),
    "contractions_quantised": _report(
        contraction_report.quantised_table, "contractions"
    ),
    "tiles": _report(tiles_report.table, "tiles"),
    "choices": lambda results: choices_report.table(
        results.columns_design, results.columns_fit
    ),
    "few_rows": _report(decoding_report.table, "few_rows"),
    "attention_setting": _report(attention_report.setting, "attention"),
    "attention": _report(attention_report.table, "attention"),
    "models": _report(model_report.table, "models"),
    "block": _report(block_report.summary_line, "block"),
    "distributed": _report(distributed_report.summary_lines, "distributed"),
}
