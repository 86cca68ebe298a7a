#!/usr/bin/env python3
# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Processes share a cache of compiled code while it is damaged under them.

    stress_cache.py --rounds 10000

A round is a program that a process compiles or loads, runs and checks. Meanwhile processes
are killed at random moments and started again, bits of entries flip, entries are cut off
or vanish, and some processes have files that cannot grow, as on a full disk. Ends with an
error if a result was wrong, or a process ended otherwise than by being killed.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Compiles programs of random numbers, and says how each went. Its arguments: a seed, and the
# most bytes of a file, 0 for any.
WORKER = """
import random, resource, signal, sys, numpy
import fuse_compiler as fuse
seed, limit = map(int, sys.argv[1:])
if limit:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
chance = random.Random(seed)
x = numpy.arange(64, dtype=numpy.float32)
while True:
    number = chance.randrange(2, 34)
    text = '''func.func @scale(%x: tensor<64xf32>) -> tensor<64xf32> {
  %c = fuse.constant dense<NUMBER.0> : tensor<f32>
  %y = fuse.mul %x, %c : tensor<64xf32>, tensor<f32>
  return %y : tensor<64xf32>
}'''.replace("NUMBER", str(number))
    y = fuse.compile(text, target="cpu")(x)
    print("right" if (y == x * number).all() else "WRONG", flush=True)
"""
# The most seconds that a process lives; how long damage waits for the next.
LIFE, PAUSE = 4.0, 0.02
# Most bytes of a file, for some of the processes.
LIMITS = (0, 0, 0, 1, 100, 700)


class State:
    """How many rounds there were, and what went wrong. Shared by all threads."""

    def __init__(self, folder, rounds):
        self.folder, self.wanted = folder, rounds
        self.lock = threading.Lock()
        self.rounds = self.killed = self.damaged = 0
        self.wrong = []
        self.environment = {
            **os.environ,
            "FUSE_CACHE_DIR": str(folder),
            "FUSE_NUM_THREADS": "1",
            "PYTHONPATH": str(ROOT / "python"),
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def is_over(self):
        return self.rounds >= self.wanted or bool(self.wrong)

    def add(self, line):
        with self.lock:
            self.rounds += line == "right"
            if line == "WRONG":
                self.wrong.append("a wrong result")

    def end(self, status, said):
        with self.lock:
            self.killed += status == -signal.SIGKILL
            if status != -signal.SIGKILL:
                self.wrong.append(f"a process ended with {status}: {said[-400:]}")


def work(state, chance):
    """Starts a process again whenever it was killed, until there were enough rounds."""
    while not state.is_over():
        arguments = str(chance.randrange(10**9)), str(chance.choice(LIMITS))
        process = subprocess.Popen(
            [sys.executable, "-c", WORKER, *arguments],
            env=state.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        killer = threading.Timer(chance.uniform(0.2, LIFE), process.kill)
        killer.start()
        for line in process.stdout:
            state.add(line.strip())
        _, said = process.communicate()
        killer.cancel()
        state.end(process.returncode, said)


def damage(state, chance):
    """Changes an entry: a bit, its length, or that it is there."""
    files = [path for path in state.folder.iterdir() if path.is_file()]
    if not files:
        return
    path = chance.choice(files)
    try:
        content = bytearray(path.read_bytes())
        kind = chance.randrange(8)
        if kind == 0 or not content:
            path.unlink()
        elif kind == 1:
            path.write_bytes(content[: chance.randrange(len(content))])
        else:
            content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
            path.write_bytes(content)
        state.damaged += 1
    except FileNotFoundError:
        pass  # A process was faster.


def stress(folder, rounds, processes, seed=0):
    """The State after so many rounds."""
    state, chance = State(Path(folder), rounds), random.Random(seed)
    workers = [
        threading.Thread(target=work, args=(state, random.Random(chance.random())))
        for _ in range(processes)
    ]
    for worker in workers:
        worker.start()
    while not state.is_over():
        damage(state, chance)
        time.sleep(PAUSE)
    for worker in workers:
        worker.join()
    return state


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=10000)
    parser.add_argument("--processes", type=int, default=16)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        state = stress(folder, arguments.rounds, arguments.processes, arguments.seed)
    print(
        f"{state.rounds} rounds in {arguments.processes} processes, {state.killed} times one "
        f"killed, {state.damaged} entries damaged: {len(state.wrong)} wrong"
    )
    for what in state.wrong:
        print(what)
    return 1 if state.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
