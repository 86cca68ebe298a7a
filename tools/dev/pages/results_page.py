# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""results/README.md: what the files there hold, summed up."""

import collections
import statistics

from bench.peers import bars, grid_report, summary
from dev.pages import blocks

# What each file is, and the script that writes it.
FILES = {
    "grid.json.xz": (
        "the grid: each case against torch, Triton, Liger, QuACK and FlashInfer, with "
        "counters of the slow ones",
        "bench/compare_grid.py, bench/profile_grid.py",
    ),
    "compiled.json.xz": (
        "the grid's cases, and chains of ops, against torch.compile with max-autotune",
        "bench/compare_grid.py",
    ),
    "peers.json.xz": (
        "25 cases against torch.compile in all modes; host time and compile time",
        "bench/compare_peers.py",
    ),
    "attention.json.xz": (
        "attention as one kernel against cuDNN, torch's flash kernel and FlexAttention",
        "bench/compare_attention.py",
    ),
    "block.json.xz": (
        "a LLaMA-3 8B block against torch, eager and compiled",
        "bench/compare_block.py --join",
    ),
    "contractions.json.xz": (
        "contractions on tensor cores against cuBLAS, cuBLASLt and torch",
        "bench/compare_contractions.py",
    ),
    "models.json.xz": (
        "models of transformers under torch.compile, with Fuse as its backend and others",
        "bench/compare_models.py",
    ),
    "first-calls.json.xz": (
        "seconds of the first call of a compiled model, and of torch's tracing alone",
        "bench/measure_first_call.py",
    ),
    "host.json.xz": (
        "how long calls of small programs keep the host",
        "bench/measure_host_time.py",
    ),
    "distributed.json.xz": (
        "LLaMA's blocks shared by two GPUs, against eager and torch.compile",
        "bench/compare_distributed.py",
    ),
    "contractions-sync.json.xz": (
        "the same by mma.sync, as chips without wgmma run them, on a Hopper GPU",
        "bench/compare_contractions.py --chip sm_90",
    ),
    "programs.json.xz": (
        "the programs of docs/fusion.md against eager and torch.compile",
        "bench/compare_peers.py --set programs",
    ),
    "few-rows.json.xz": (
        "products of few rows in a graph over several weights, as in decoding",
        "bench/compare_few_rows.py",
    ),
    "cpu-contractions.json.xz": (
        "contractions on a CPU against NumPy and its BLAS, on one core and on all",
        "bench/compare_cpu_contractions.py",
    ),
    "mma-sweep.json.xz": (
        "times of some 25 schedules of tensor cores for each of 83 products of 8 to "
        "4096 rows, on an H100 and an H200; tuning/fit_mma_model.py reads it",
        "tuning/sweep_mma.py",
    ),
    "weights-sweep.json.xz": (
        "times of some schedules beside weights of 8 and 4 bits, with a cold L2 and in a graph, "
        "on an H200; tuning/product_winners.py reads those of one row",
        "tuning/sweep_weights.py",
    ),
    "few-rows-sweep.json.xz": (
        "times of some 20 schedules for each of 14 products of 1 and 8 rows, in a graph over different weights, on "
        "an H200; tuning/fit_mma_model.py reads it",
        "tuning/sweep_few_rows.py",
    ),
    "wide-sweep.json.xz": (
        "times of 14 tiles for each of five products of f32 on an H200; tuning/fit_tiled_model.py reads it",
        "tuning/sweep_few_rows.py --wide",
    ),
    "streamed-sweep.json.xz": (
        "times of 24 schedules of attention by wgmma and by mma.sync for each of 14 cases on an H200; "
        "tuning/fit_streamed_model.py reads it",
        "tuning/sweep_streamed.py",
    ),
    "rows-design.jsonl.xz": (
        "two designed sweeps: times of legal schedules of rows, drawn at random and by the trees of the first; the "
        "results of 2,016 of the first's 10,809 kernels, of 16 bits, were compared too strictly, and these not timed; a "
        "third of rows with hundreds of instructions an element",
        "tuning/run_design.py",
    ),
    "columns-design.jsonl.xz": (
        "the same of columns, pointwise kernels and transposes, drawn at random; a second sweep ended early, a third "
        "is of columns, by the trees of the first",
        "tuning/run_design.py",
    ),
    "columns-fit.json.xz": (
        "how good trees and the rules before them were for columns that no tree had seen",
        "tuning/fit_schedules.py --of columns --json",
    ),
    "sweeps.json.xz": (
        "times of many schedules of each case",
        "tuning/sweep_schedules.py, tuning/replay_sweeps.py --add",
    ),
    "replay.json.xz": (
        "the choice of a schedule for each case of the sweeps, by the last rules that chose",
        "tuning/replay_sweeps.py --json",
    ),
    "bandwidth-*.svg": (
        "rates over row length, all competitors",
        "bench/compare_grid.py",
    ),
    "roofline.svg": ("all large cases under the roof", "bench/compare_grid.py"),
}


def _files():
    rows = [[f"`{name}`", text, f"`{by}`"] for name, (text, by) in FILES.items()]
    header = ("file", "holds", "written by `tools/`")
    rule = "| --- | --- | --- |"
    lines = ["| " + " | ".join(row) + " |" for row in (header, *rows)]
    return [lines[0], rule, *lines[1:]]


def _origin(name, entries):
    """A line of what a file's entries were measured on."""
    commits = collections.Counter(entry["commit"] for entry in entries)
    counts = ", ".join(f"{key} ({count})" for key, count in commits.most_common())
    return f"- {name}: {len(entries)} entries, {summary.measured_on(entries)}, commits {counts}"


def _compiled_rows(entries):
    """A line a family of the ratios to torch.compile, and one of all."""
    groups = {}
    for entry in entries:
        if entry.get("best_peer_us") and "fuse_us" in entry:
            ratio = entry["best_peer_us"] / entry["fuse_us"]
            groups.setdefault(entry["family"], []).append(ratio)
    groups["**all**"] = [ratio for group in groups.values() for ratio in group]
    return [
        [
            family,
            len(found),
            f"{min(found):.2f}",
            f"{statistics.median(found):.2f}",
            f"{max(found):.2f}",
            sum(ratio < summary.BEHIND for ratio in found),
        ]
        for family, found in groups.items()
    ]


def _compiled(entries):
    header = ("family", "cases", "least", "median", "most", "more than 3% behind")
    return summary.table(header, _compiled_rows(entries))


def _chains(entries):
    """A line a chain and type: % of a copy, and torch.compile's time over Fuse's."""
    groups = {}
    for entry in entries:
        groups.setdefault((entry["family"], entry["dtype"]), []).append(entry)
    rows = []
    for (family, dtype), group in sorted(groups.items()):
        shares = [bars.percent_of(entry) for entry in group]
        ratios = [entry["best_peer_us"] / entry["fuse_us"] for entry in group]
        rows.append(
            [
                family,
                dtype,
                len(group),
                *(f"{of(shares):.0f}" for of in (min, statistics.median)),
                *(f"{of(ratios):.2f}" for of in (min, statistics.median)),
            ]
        )
    header = ("chain", "type", "cases", "least % of a copy", "median")
    return summary.table((*header, "least peer / fuse", "median"), rows)


def _programs(results):
    """A line a program of test/Programs, by what it shows."""
    rows = []
    for case in results.programs["cases"]:
        times = {name: spent["median"] for name, spent in case["times"].items()}
        rows.append(
            [
                case.get("kind", ""),
                case["name"],
                len(case["kernels"]),
                *(f"{times[name]:.1f}" for name in ("fuse", "eager", "compile")),
                f"{times['compile'] / times['fuse']:.2f}",
            ]
        )
    header = ("what it shows", "program", "kernels", "Fuse, us", "eager")
    return summary.table((*header, "torch.compile", "compile / fuse"), rows)


def _replayed(results):
    """A line a family of how near today's choices are."""
    groups = collections.defaultdict(list)
    for each in results.replay:
        groups[each["family"]].append(each["loss"])
    rows = []
    for family in sorted(groups):
        known = [loss for loss in groups[family] if loss is not None]
        near = sum(loss <= blocks.NEAR for loss in known)
        share = f"{near / len(known):.0%}" if known else ""
        rows.append([family, len(groups[family]), len(known), share])
    header = ("family", "cases", "choice measured", "within 3% of the fastest")
    return summary.table(header, rows)


def _runs(sweeps):
    cases = collections.Counter(case["run"] for case in sweeps["cases"])
    rows = [
        [run["name"], run["date"], run["commit"], cases[index]]
        for index, run in enumerate(sweeps["runs"])
    ]
    return summary.table(("sweep", "date", "commit", "cases"), rows)


def markdown(results):
    grid, compiled = results.grid, results.compiled
    chains = [entry for entry in compiled if entry["set"] == "chain"]
    others = [entry for entry in compiled if entry["set"] != "chain"]
    missed = len(bars.under(grid))
    return [
        "<!-- Written by tools/dev/generate_pages.py; run 'make docs'. -->",
        "",
        "# Results",
        "",
        *blocks.setting(results),
        "",
        "[performance.md](../docs/performance.md) is the short form, and "
        "[bench.md](../docs/bench.md) says how it is measured. An entry is a line, with the "
        "times of all competitors and Fuse's schedule. To look one up:",
        "",
        "```sh",
        """xz -dc results/grid.json.xz | grep '"rms_norm".*5120.*"bf16"'""",
        "```",
        "",
        *_files(),
        "",
        _origin("grid", grid),
        _origin("compiled", compiled),
        "",
        "## By family",
        "",
        *blocks.families(results),
        "",
        "![Rates over row length, bf16](bandwidth-bf16.svg)",
        "",
        "The same in [f32](bandwidth-f32.svg) and [f16](bandwidth-f16.svg), and "
        "[under the roof](roofline.svg).",
        "",
        "## By family and set of shapes",
        "",
        "Least, median and most are % of a copy; `behind` counts cases more than 3% "
        "slower than the best peer of the grid; `peer / fuse` is a median.",
        "",
        *grid_report.families(grid),
        "",
        "## Beside torch.compile with max-autotune",
        "",
        "Its time over Fuse's.",
        "",
        *_compiled(others),
        "",
        "Chains of ops, which no example and no library has, at 512 MiB:",
        "",
        *_chains(chains),
        "",
        "## Programs of docs/fusion.md",
        "",
        f"{results.programs['gpu']}, {results.programs['date'][:10]}.",
        "",
        *_programs(results),
        "",
        "## A LLaMA-3 8B block",
        "",
        *blocks.block_tables(results),
        "",
        "## Under their bar",
        "",
        f"{missed} cases are slower than `tools/bench/peers/bars.py` asks.",
        "",
        *grid_report.missed_bars(grid),
        "",
        "## Sweeps of schedules",
        "",
        *blocks.replay(results),
        "",
        *_replayed(results),
        "",
        *_runs(results.sweeps),
    ]
