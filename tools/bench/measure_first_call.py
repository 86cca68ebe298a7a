#!/usr/bin/env python3
# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long the first call of a compiled model takes, and how much of it is torch's tracing.

    measure_first_call.py --only llama-3,gpt-2,bert [--mode training] [--out first.json]

Each way has a process of its own, with empty caches, that has imported all it needs, and called the
model once eagerly. So many as there are cores do that side by side; then each calls while the others
wait:

    trace     dynamo and AOTAutograd alone, whose graph then runs eagerly
    fuse      this backend
    no-wait   the same with options={"wait": False}
    compile   torch.compile in its default mode
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tools")]

from bench.peers import model_cases  # noqa: E402

WAYS = ("trace", "fuse", "no-wait", "compile")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="llama-3,gpt-2,bert")
    parser.add_argument("--mode", default="inference")
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--tiny", action="store_true", help="small sizes")
    parser.add_argument("--layers", type=int)
    parser.add_argument("--out", help="file for the seconds")
    parser.add_argument(
        "--ahead",
        type=int,
        default=os.cpu_count(),
        help="processes that wait at a time",
    )
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    return parser.parse_args()


def run_inside(arguments):
    """Says that it is ready, waits for a line, and prints the seconds of the first call."""
    name, way = arguments.inside.split("/")
    (case,) = [c for c in model_cases.all_cases() if c.name == name]
    import torch
    import torch._dynamo.backends.common  # noqa: F401
    import torch._functorch.aot_autograd  # noqa: F401
    from bench.peers import model_run

    chosen = {
        "trace": {"backend": "aot_eager"},
        "fuse": model_run.COMPILERS["fuse"],
        "no-wait": {**model_run.COMPILERS["fuse"], "options": {"wait": False}},
        "compile": model_run.COMPILERS["compile"],
    }[way]
    model, x = model_run.build(
        case, arguments.tiny, arguments.device, torch.bfloat16, layers=arguments.layers
    )
    is_training = arguments.mode == "training"
    model.train(is_training)
    function = (model_run.loss if is_training else model_run.inference)(case, model)

    def call(function):
        if is_training:
            return model_run.training_step(function, model, x)
        with torch.no_grad():
            return function(x)

    call(function)
    compiled = torch.compile(function, dynamic=False, **chosen)
    print("ready", flush=True)
    sys.stdin.readline()
    seconds = model_run.once(lambda: call(compiled), arguments.device)
    again = model_run.once(lambda: call(compiled), arguments.device)
    print(json.dumps([seconds, again]), flush=True)


def start(name, way, arguments, folder):
    environment = {
        **os.environ,
        "FUSE_CACHE_DIR": f"{folder}/fuse",
        "TORCHINDUCTOR_CACHE_DIR": f"{folder}/inductor",
        "TRITON_CACHE_DIR": f"{folder}/triton",
        "TRANSFORMERS_VERBOSITY": "error",
    }
    command = [
        *(sys.executable, __file__, f"--inside={name}/{way}"),
        *(f"--device={arguments.device}", f"--mode={arguments.mode}"),
        *(["--tiny"] if arguments.tiny else []),
        *([f"--layers={arguments.layers}"] if arguments.layers else []),
    ]
    return subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def is_ready(process):
    return process.stdout.readline().strip() == "ready"


def measured(process, ready=None):
    """Seconds of the first call and of the second; None if it failed.

    ready  whether it has said so, where that was read before
    """
    if not (is_ready(process) if ready is None else ready):
        return None
    process.stdin.write("\n")
    process.stdin.flush()
    line = process.stdout.readline()
    process.communicate()
    return json.loads(line) if line.strip() else None


def main():
    arguments = parse_arguments()
    if arguments.inside:
        run_inside(arguments)
        return
    ways = arguments.ways.split(",")
    cases = [c.name for c in model_cases.selected(arguments.only)]
    # The first process brings Python's modules from the disk; its time does not count.
    wanted = [(cases[0], ways[0]), *((name, way) for name in cases for way in ways)]
    found = {name: {} for name in cases}
    with tempfile.TemporaryDirectory() as folder:
        numbers = range(len(wanted))
        for first in numbers[:: arguments.ahead]:
            batch = numbers[first : first + arguments.ahead]
            processes = [start(*wanted[n], arguments, f"{folder}/{n}") for n in batch]
            ready = [is_ready(process) for process in processes]
            for number, process, is_up in zip(batch, processes, ready):
                name, way = wanted[number]
                found[name][way] = measured(process, is_up)
                print(name, arguments.mode, way, found[name][way], flush=True)
                if arguments.out:
                    write(found, arguments)
    for name, seconds in found.items():
        first = {way: pair[0] for way, pair in seconds.items() if pair}
        if "compile" in first:
            shares = ", ".join(
                f"{way} {value / first['compile']:.3f}" for way, value in first.items()
            )
            print(f"{name}: of torch.compile's first call: {shares}")


def write(found, arguments):
    import torch

    is_gpu = arguments.device == "cuda"
    result = {
        "device": torch.cuda.get_device_name() if is_gpu else "cpu",
        "cores": len(os.sched_getaffinity(0)),
        "torch": torch.__version__,
        "commit": os.environ.get("FUSE_COMMIT", ""),
        "mode": arguments.mode,
        "seconds": found,
    }
    Path(arguments.out).write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
