#!/usr/bin/env python3
# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of transformers with torch.compile(model, backend="fuse"), against other ways to run them.

In inference and in a training step (forward and backward), against eager and

    fuse-graphs  this backend, which replays the launches from CUDA graphs
    compile      torch.compile in its default mode
    max          max-autotune-no-cudagraphs: products tuned, the same launches as the others
    max-graphs   max-autotune, which also replays the launches from CUDA graphs

Weights are random; layers have their real sizes, but there are few. Each model runs in a process
of its own with empty caches, and what is measured is written at once. A model is killed 20 seconds
after its budget, and with --add one that was measured before stays in the file.

Tuning takes minutes, most of them on the processor. With --tune all models are first tuned side by
side, for so many seconds at most, and then measured alone, with the caches that this has filled and
without the seconds of first calls. One layer has the same products as many.

With --ahead so many models are traced, compiled and compared with f64 side by side, also without
the seconds of first calls, and then measured one after another. On 16 cores training steps of the
first eight models, --ahead 4, take about four minutes.

    compare_models.py --out models.json --only llama,bert --modes inference --budget 60
    compare_models.py --out models.json --add --modes inference --layers 1 --peers fuse,compile,max \\
                      --tune 330 --gpus 2 --jobs 4
    compare_models.py --out training.json --modes training --first 8 --ahead 4 --total 300
    compare_models.py --tiny --device cpu --peers fuse --options attention=always
"""

import argparse
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tools")]

from bench.compare_peers import commit  # noqa: E402
from bench.peers import (  # noqa: E402
    model_batches,
    model_cases,
    model_report,
    model_tune,
)

PEERS = ("fuse", "fuse-graphs", "compile", "max", "max-graphs")
MODES = ("inference", "training")
# With --ahead, for the rounds of one model.
MEASURING = 15


def parse_arguments(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default="models.json", help="file for the results")
    parser.add_argument(
        "--only", default="", help="models whose name contains one of a,b,c"
    )
    parser.add_argument("--first", type=int, help="so many models of these")
    parser.add_argument(
        "--ahead",
        type=int,
        default=0,
        help="models prepared at a time before each is measured alone",
    )
    parser.add_argument(
        "--add", action="store_true", help="keep what the file has of other models"
    )
    parser.add_argument("--peers", default="fuse,compile")
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument(
        "--budget", type=float, default=60, help="seconds for a model in a mode"
    )
    parser.add_argument(
        "--total", type=float, default=1e9, help="seconds for all of it"
    )
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--dtype", default="bfloat16")
    parser.add_argument("--tiny", action="store_true", help="small sizes")
    parser.add_argument(
        "--shape", help="of the input, as 1,16, instead of the model's own"
    )
    parser.add_argument(
        "--options",
        default=[],
        type=lambda text: [pair for pair in text.split(",") if pair],
        help="of the backend, as attention=never,contractions=never",
    )
    parser.add_argument("--layers", type=int, help="instead of the model's own few")
    parser.add_argument(
        "--tune", type=float, default=0, help="seconds to tune all models beforehand"
    )
    parser.add_argument(
        "--gpus", type=int, default=1, help="models run on each of so many"
    )
    parser.add_argument("--jobs", type=int, default=2, help="models tuned at a time")
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    parser.add_argument("--tunes", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--lock", default="", help=argparse.SUPPRESS)
    parser.add_argument("--waits", default="", help=argparse.SUPPRESS)
    arguments = parser.parse_args(argv)
    for name, known in (("peers", PEERS), ("modes", MODES)):
        given = [each for each in getattr(arguments, name).split(",") if each]
        unknown = set(given) - set(known)
        if unknown:
            parser.error(
                f"expected {name} of {', '.join(known)}, but got {', '.join(unknown)}"
            )
        setattr(arguments, name, given)
    if arguments.ahead and (arguments.tune or arguments.gpus > 1):
        parser.error("expected --ahead without --tune and --gpus; leave one out")
    return arguments


def run_inside(arguments):
    """In the process of one model: writes its entry to --out, once its seconds are sent."""
    name, mode = arguments.inside.split("/")
    (case,) = [c for c in model_cases.all_cases() if c.name == name]
    from bench.peers import model_run

    if arguments.tunes:
        return model_run.tune(case, mode, arguments)

    def write(entry):
        Path(arguments.out).write_text(json.dumps(entry))

    def seconds():
        """The next that are sent; 0 at the end."""
        return float(sys.stdin.readline().strip() or 0)

    budget = seconds()
    if not budget:
        return
    clock = model_run.Clock(budget)
    comparison = model_run.Comparison(case, mode, arguments, clock, write)
    if not arguments.waits:
        return comparison.run()
    comparison.prepare()
    Path(arguments.waits).touch()
    comparison.measure(model_run.Clock(seconds()))


class ModelProcess:
    """The process of a model in a mode, with caches of its own.

    It imports what it needs at once, which takes ten seconds and no GPU, and waits for run(), or
    fills the folder `caches` if it `tunes`.
    """

    def __init__(self, case, mode, arguments, gpu=0, caches=None, tunes=False):
        self.case, self.mode, self._arguments = case, mode, arguments
        self._gpu, self._caches, self._tunes = gpu, caches, tunes
        self._folder = tempfile.TemporaryDirectory()
        self._out = Path(self._folder.name) / "entry.json"
        self._waits = Path(self._folder.name) / "waits"
        self._errors = Path(self._folder.name, "errors").open("w+")
        self._process = subprocess.Popen(
            self._command(),
            env=self._environment(),
            stdin=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            start_new_session=True,
        )
        self.poll = self._process.poll

    def kill(self):
        """With all that compile for it."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def _environment(self):
        folder, arguments = self._folder.name, self._arguments
        jobs = arguments.jobs if self._tunes else max(arguments.gpus, arguments.ahead)
        tuned = model_tune.environment(
            self._caches or folder, model_tune.workers_of(jobs)
        )
        return {
            **os.environ,
            "FUSE_CACHE_DIR": f"{folder}/fuse",
            "TRANSFORMERS_VERBOSITY": "error",
            **tuned,
            **({"CUDA_VISIBLE_DEVICES": str(self._gpu)} if arguments.gpus > 1 else {}),
        }

    def _command(self):
        arguments = self._arguments
        return [
            sys.executable,
            __file__,
            f"--inside={self.case.name}/{self.mode}",
            f"--out={self._out}",
            f"--rounds={arguments.rounds}",
            f"--device={arguments.device}",
            f"--dtype={arguments.dtype}",
            f"--peers={','.join(arguments.peers)}",
            f"--options={','.join(arguments.options)}",
            *(
                [f"--waits={self._waits}"]
                if arguments.ahead and not self._tunes
                else []
            ),
            *(["--tiny"] if arguments.tiny else []),
            *([f"--shape={arguments.shape}"] if arguments.shape else []),
            *([f"--layers={arguments.layers}"] if arguments.layers else []),
            *([f"--tune={arguments.tune}"] if arguments.tune else []),
            f"--ahead={arguments.ahead}",
            *(["--tunes"] if self._tunes else []),
            *(
                [f"--lock={model_tune.lock_file(self._caches, self._gpu)}"]
                if self._tunes
                else []
            ),
        ]

    def begin(self, budget):
        """Lets it prepare, with --ahead."""
        self._process.stdin.write(f"{budget}\n")
        self._process.stdin.flush()

    def is_waiting(self):
        return self._waits.exists() or self._process.poll() is not None

    def finish(self, seconds):
        """The entry, measured for so many seconds; at once where it is not prepared by now."""
        if not self.is_waiting():
            self.kill()
        return self.run(seconds)

    def run(self, budget):
        """The entry, after so many seconds and some more at most: a compiler may be at work."""
        failure = None
        try:
            self._process.communicate(
                f"{budget}\n", timeout=budget + model_batches.GRACE
            )
            if self._process.returncode:
                self._errors.seek(0)
                failure = f"exit code {self._process.returncode}: {self._errors.read()[-800:]}"
        except subprocess.TimeoutExpired:
            self.kill()
            failure = "the time was over"
        entry = (
            json.loads(self._out.read_text())
            if self._out.exists()
            else {
                "model": self.case.name,
                "mode": self.mode,
                "dtype": self._arguments.dtype,
                "device": self._arguments.device,
                "peers": {},
            }
        )
        if failure:
            entry["failure"] = failure
        return entry

    def close(self):
        """Ends it, if it still waits."""
        self.kill()
        self._process.communicate()
        self._errors.close()
        self._folder.cleanup()


def run_all(arguments, wanted, gpu=0, caches=None, start=None):
    """Yields the entry of each case and mode; the next process starts while one runs."""
    start = time.monotonic() if start is None else start
    waiting = None
    for number, (case, mode) in enumerate(wanted):
        process = waiting or ModelProcess(case, mode, arguments, gpu, caches)
        waiting = None
        left = arguments.total - (time.monotonic() - start)
        if left < 15:
            process.close()
            print(f"{case.name}, {mode}: not run, the time was over", flush=True)
            continue
        if number + 1 < len(wanted):
            waiting = ModelProcess(*wanted[number + 1], arguments, gpu, caches)
        entry = process.run(min(arguments.budget, left))
        process.close()
        yield entry


def run_ahead(arguments, wanted, start):
    """The same, models prepared side by side."""

    def left():
        return arguments.total - (time.monotonic() - start)

    return model_batches.run_batches(
        lambda item: ModelProcess(*item, arguments),
        wanted,
        arguments.ahead,
        arguments.budget,
        MEASURING,
        left,
    )


def run_on_gpus(arguments, wanted, caches, start):
    """The same with a line of models on each GPU."""
    done = queue.Queue()

    def work(gpu):
        try:
            for entry in run_all(
                arguments, wanted[gpu :: arguments.gpus], gpu, caches, start
            ):
                done.put(entry)
        finally:
            done.put(None)

    for gpu in range(arguments.gpus):
        threading.Thread(target=work, args=(gpu,), daemon=True).start()
    for _ in range(arguments.gpus):
        yield from iter(done.get, None)


def tune_all(arguments, wanted, caches):
    """Fills the caches; says what was not tuned in time."""

    def start(number):
        case, mode = wanted[number]
        gpu = number % arguments.gpus
        return ModelProcess(case, mode, arguments, gpu, caches, tunes=True)

    turns = model_tune.Turns(start, arguments.jobs, arguments.tune)
    for number, is_tuned in turns.run(range(len(wanted))).items():
        case, mode = wanted[number]
        how = "tuned" if is_tuned else "not tuned in time"
        print(f"{case.name}, {mode}: {how}", flush=True)


def kept_entries(arguments):
    """What the file has, with --add."""
    out = Path(arguments.out)
    return json.loads(out.read_text()) if arguments.add and out.exists() else []


def with_entry(entries, entry):
    """The entries with one more, which replaces that of the same model, mode and peers.

    Times of one entry come from interleaved rounds: those of two runs are not mixed.
    """

    def facts(one):
        names = ("model", "mode", "dtype", "device", "layers")
        same = [one.get(name) for name in names]
        return *same, set(one["peers"])

    return [*(e for e in entries if facts(e) != facts(entry)), entry]


def main():
    arguments = parse_arguments()
    if arguments.inside:
        run_inside(arguments)
        return 0
    start = time.monotonic()
    cases = model_cases.selected(arguments.only)[: arguments.first]
    wanted = [(case, mode) for case in cases for mode in arguments.modes]
    with tempfile.TemporaryDirectory() as folder:
        caches = folder if arguments.tune else None
        if arguments.tune:
            tune_all(arguments, wanted, caches)
        if arguments.ahead:
            return report(arguments, run_ahead(arguments, wanted, start))
        return report(arguments, run_on_gpus(arguments, wanted, caches, start))


def report(arguments, found):
    """Writes and prints entries as they come; 1 if one is not as it should be."""
    entries, wrong = kept_entries(arguments), False
    for entry in found:
        entry["commit"] = commit()
        entries = with_entry(entries, entry)
        Path(arguments.out).write_text(json.dumps(entries, indent=1))
        print("\n".join(model_report.lines(entry)), flush=True)
        if "failure" in entry:
            print(f"  FAILED: {entry['failure']}", flush=True)
        wrong = wrong or bool(model_report.problems(entry)) or "failure" in entry
    for name, (mean, count) in model_report.summary(entries).items():
        print(f"geometric mean of {name}'s time over Fuse's: {mean:.2f}, {count} cases")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
