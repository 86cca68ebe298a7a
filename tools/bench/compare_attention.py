#!/usr/bin/env python3
# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention as one kernel against torch's: cuDNN's, its own flash kernel, FlexAttention; of
few queries also the share of the memory's bandwidth with which keys and values are read.

Every case runs on random inputs and is checked against attention in f32 of some rows; times
are medians of interleaved rounds with a cold L2. About two minutes on a GPU.

    compare_attention.py --out attention.json
    compare_attention.py --dry-run             # no GPU: every program is one kernel
    compare_attention.py --only keys           # decoding
    compare_attention.py --only 'of 64' --variant polynomials=2 --variant tile_k=64,stages=3
"""

import argparse
import datetime
import json
import math
import re
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tools")]

import fuse_compiler as fuse  # noqa: E402
from bench.compare_peers import commit  # noqa: E402
from bench.peers import attention_cases  # noqa: E402

ROUNDS, CHECKED_ROWS = 7, 256
# Of the largest element: weights and results are rounded to bf16.
LARGEST_ERROR = 2e-2


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default="attention.json", help="file for the results")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument(
        "--variant",
        action="append",
        default=[],
        help="fields of the schedule that are tried beside the choice, as stages=3,split=99",
    )
    parser.add_argument("--fuse-opt", default="fuse-opt", help="the tool for --variant")
    parser.add_argument("--dry-run", action="store_true", help="only compile")
    parser.add_argument(
        "--chip", help="such as sm_90, whose mma.sync an H100 runs, too"
    )
    return parser.parse_args()


def dry_run(cases, chip):
    """Compiles every program; the number of those that are not one kernel."""
    failures = 0
    for case in cases:
        kernels = fuse.inspect(case.program, chip=chip).kernels
        streamed = kernels[0].schedule.startswith("#fuse.streamed<")
        # The second combines what blocks leave.
        most = 1 if case.rows is None else 2
        failures += not streamed or len(kernels) > most
        print(f"{case.name:50} {len(kernels)} kernels", flush=True)
    return failures


def varied(tool, program, chip, variant):
    """The program with other fields in its schedule."""
    passes = [f"-fuse-form=chip={chip}", f"-fuse-schedule=chip={chip}"]
    text = subprocess.run(
        [tool, *passes], input=program, check=True, capture_output=True, text=True
    ).stdout

    def fields(match):
        found = dict(each.split(" = ") for each in match[1].split(", "))
        found |= dict(each.split("=") for each in variant.split(","))
        return f"#fuse.streamed<{', '.join(f'{k} = {v}' for k, v in found.items())}>"

    return re.sub(r"#fuse\.streamed<([^>]*)>", fields, text)


def variants(arguments, case):
    """Programs by their names, as far as they compile."""
    found = {}
    for variant in arguments.variant:
        try:
            text = varied(
                arguments.fuse_opt, case.program, arguments.chip or "sm_90a", variant
            )
            found[variant] = fuse.compile(
                text, target="cuda", cache=False, chip=arguments.chip
            )
        except (fuse.Error, subprocess.CalledProcessError) as error:
            print(f"{case.name}: {variant}: {str(error).splitlines()[0][:200]}")
    return found


def changed(torch, case, extra, s, head, i, j):
    """What a case does to scores, in f32."""
    if case.scores == "soft cap":
        cap = attention_cases.SOFT_CAP
        s = cap * torch.tanh(s / cap)
    elif case.scores == "alibi":
        s = s + extra[0, head] * (j - i)
    elif case.scores == "bias":
        s = s + extra[0, head, i[:, 0]].float()
    if case.scores == "window":
        s = s.masked_fill(i - j >= attention_cases.WINDOW_TOKENS, -math.inf)
    return s.masked_fill(j > i, -math.inf) if case.causal else s


def checked(case):
    """Pairs of a sequence and a query head: the first, and the last of each."""
    pairs = {(0, 0), (0, min(1, case.heads - 1)), (case.batch - 1, case.heads - 1)}
    return sorted(pairs)


def reference(torch, case, q, k, v, extra):
    """The last rows of some heads."""
    share = case.heads // case.key_heads
    first = max(0, case.queries - CHECKED_ROWS)
    rows = torch.arange(first, case.queries, device="cuda")[:, None]
    columns = torch.arange(case.tokens, device="cuda")[None]
    found = []
    for batch, head in checked(case):
        keys, values = (each[batch, head // share].float() for each in (k, v))
        s = (q[batch, head, rows[:, 0]].float() @ keys.T) / math.sqrt(case.head)
        s = changed(torch, case, extra, s, head, rows, columns)
        found.append(torch.softmax(s, -1) @ values)
    return torch.stack(found)


def error_of(torch, case, result, wanted):
    """Of the reference's rows, over the largest element."""
    got = [result[batch, head, -CHECKED_ROWS:] for batch, head in checked(case)]
    got = torch.stack(got).float()
    return ((got - wanted).abs().max() / wanted.abs().max()).item()


def peers_of_op(torch, case, q, k, v):
    from torch.nn import functional
    from torch.nn.attention import SDPBackend, sdpa_kernel

    def attention(backend):
        def run():
            with sdpa_kernel(backend):
                return functional.scaled_dot_product_attention(
                    q,
                    k,
                    v,
                    is_causal=case.causal,
                    enable_gqa=case.heads != case.key_heads,
                )

        return run

    return {
        "cudnn": attention(SDPBackend.CUDNN_ATTENTION),
        "flash": attention(SDPBackend.FLASH_ATTENTION),
    }


def peers_of_scores(torch, case, q, k, v, extra):
    from torch.nn.attention import flex_attention as flex

    cap, width = attention_cases.SOFT_CAP, attention_cases.WINDOW_TOKENS
    change = {
        "soft cap": lambda s, b, h, i, j: cap * torch.tanh(s / cap),
        "alibi": lambda s, b, h, i, j: s + extra[0, h, 0, 0] * (j - i),
        "bias": lambda s, b, h, i, j: s + extra[b, h, i, j],
    }.get(case.scores)

    def keeps(b, h, i, j):
        return (j <= i) & (i - j < width) if case.scores == "window" else j <= i

    mask = None
    if case.causal:
        mask = flex.create_block_mask(
            keeps, None, None, case.tokens, case.tokens, device="cuda"
        )
    # Else it stops compiling after a few shapes, and runs unfused.
    torch._dynamo.reset()
    compiled = torch.compile(flex.flex_attention)
    grouped = case.heads != case.key_heads

    def run():
        return compiled(q, k, v, score_mod=change, block_mask=mask, enable_gqa=grouped)

    return {"flex": run}


def medians(torch, functions):
    """Microseconds of each, in interleaved rounds, the L2 written over before each call."""
    flush = torch.empty(64 << 20, device="cuda", dtype=torch.int32)
    times = {name: [] for name in functions}
    for _ in range(ROUNDS):
        for name, function in functions.items():
            flush.zero_()
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            function()
            end.record()
            torch.cuda.synchronize()
            times[name].append(start.elapsed_time(end) * 1e3)
    return {name: statistics.median(each) for name, each in times.items()}


def inputs_of(case, q, k, v):
    """Of the program. The peers are given parts that were joined before."""
    if case.second:
        first = case.head - case.second
        q = q[..., :first].contiguous(), q[..., first:].contiguous()
        k = k[..., :first].contiguous(), k[:, :1, :, first:].contiguous()
    else:
        q, k = (q,), (k,)
    return (*q, *k) if case.width else (*q, *k, v)


def run_case(torch, case, arguments):
    chip = arguments.chip

    def random(heads, tokens):
        shape = (case.batch, heads, tokens, case.head)
        return torch.randn(*shape, device="cuda", dtype=torch.bfloat16)

    q = random(case.heads, case.queries)
    k, v = (random(case.key_heads, case.tokens) for _ in range(2))
    if case.second:
        k[..., -case.second :] = k[:, :1, :, -case.second :].clone()
    v = k[..., : case.width] if case.width else v[..., : case.values].contiguous()
    extra = None
    if case.scores == "alibi":
        slopes = [2 ** (-(head + 1) / 2) for head in range(case.heads)]
        extra = torch.tensor(slopes, device="cuda").view(1, case.heads, 1, 1)
    elif case.scores == "bias":
        shape = (case.batch, case.heads, case.tokens, case.tokens)
        extra = torch.randn(*shape, device="cuda").bfloat16()
    program = fuse.compile(case.program, target="cuda", cache=False, chip=chip)
    inputs = inputs_of(case, q, k, v)
    inputs = inputs if extra is None else (*inputs, extra)
    functions = {"fuse": lambda: program(*inputs)}
    for name, other in variants(arguments, case).items():
        functions[name] = lambda other=other: other(*inputs)
    if not case.scores or case.second:
        functions |= peers_of_op(torch, case, q, k, v)
    if case.scores or case.rows:
        functions |= peers_of_scores(torch, case, q, k, v, extra)
    wanted, errors = reference(torch, case, q, k, v, extra), {}
    for name, function in list(functions.items()):
        try:
            result = function()
        except RuntimeError as error:
            if name == "fuse":
                raise
            print(f"{case.name}: {name} fails: {str(error)[:120]!r}", flush=True)
            del functions[name]
            continue
        errors[name] = error_of(torch, case, result, wanted)
    return {
        "name": case.name,
        "flops": case.flops,
        "key_bytes": case.key_bytes if case.rows else None,
        "bytes_per_us": bytes_per_us(torch),
        "kernels": [kernel.schedule for kernel in program.kernels],
        "errors": errors,
        "us": medians(torch, functions),
        "gpu": torch.cuda.get_device_name(),
        "torch": torch.__version__,
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "commit": commit(),
    }


def bytes_per_us(torch):
    """Of the memory, by its clock and width: two transfers a clock."""
    properties = torch.cuda.get_device_properties(0)
    return 2 * properties.memory_clock_rate * 1e-3 * properties.memory_bus_width / 8


def line(entry):
    mine = entry["us"]["fuse"]
    others = ", ".join(
        f"{time / mine:.2f} of {name}"
        for name, time in entry["us"].items()
        if name != "fuse"
    )
    errors = entry["errors"].items()
    bad = [name for name, error in errors if not error < LARGEST_ERROR]
    wrong = f"  WRONG: {', '.join(bad)}" if bad else ""
    if entry["key_bytes"]:
        share = entry["key_bytes"] / mine / entry["bytes_per_us"]
        rate = f"{100 * share:4.0f}% of the bandwidth"
    else:
        rate = f"{entry['flops'] / mine / 1e6:4.0f} TFLOP/s"
    return f"{entry['name']:50} {mine:8.1f} us {rate}  {others}{wrong}"


def main():
    arguments = parse_arguments()
    cases = [c for c in attention_cases.all_cases() if arguments.only in c.name]
    if arguments.dry_run:
        return 1 if dry_run(cases, arguments.chip or "sm_90a") else 0
    import torch

    entries = []
    for case in cases:
        entries.append(run_case(torch, case, arguments))
        Path(arguments.out).write_text(json.dumps(entries, indent=1))
        print(line(entries[-1]), flush=True)
    return 1 if any(not e["errors"]["fuse"] < LARGEST_ERROR for e in entries) else 0


if __name__ == "__main__":
    sys.exit(main())
