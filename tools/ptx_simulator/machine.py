# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blocks and clusters, whose warps take turns."""

import random

import numpy as np

from . import flow, memory, registers, sync, tensor
from .text import PtxError
from .warp import HANDLERS as WARP_HANDLERS
from .warp import Blocked, Warp


class Block:
    def __init__(self, cluster, rank, number):
        self.cluster, self.rank, self.number = cluster, rank, number
        self.machine = cluster.machine
        self.shared = memory.SharedMemory(self.machine.shared_bytes)
        self.mbarriers = {}
        #: By number: warps that have arrived, and how often all had.
        self.arrived, self.rounds = {}, {}
        self.warps = [Warp(self, i) for i in range(-(-self.machine.threads // 32))]
        for warp in self.warps:
            warp.stores, warp.open_stores = [], []
            warp.groups, warp.open_products, warp.is_fenced = [], [], False
            warp.committed = warp.multiplied = 0


class Cluster:
    def __init__(self, machine, first_block):
        self.machine = machine
        self.blocks = []
        for rank in range(machine.cluster):
            self.blocks.append(Block(self, rank, first_block + rank))
        #: Threads that have arrived at the cluster's barrier, and how often all had.
        self.arrived = self.rounds = 0


class Machine:
    """Runs one kernel. `arguments` are the bytes of each parameter; `maps` the tensor maps
    by parameter; `timing` when copies land: "early", "late" or "random"."""

    def __init__(self, kernel, variables, global_memory, timing="late", seed=0):
        self.kernel, self.memory = kernel, global_memory
        self.timing, self.random = timing, random.Random(seed)
        self.meets = flow.meeting_points(kernel)
        self.handlers = {}
        self.steps = 0
        self.copies = []
        self.symbols, self.arguments, self.maps = {}, {}, {}
        self.static_bytes = 0
        dynamic = []
        for variable in [*kernel.shared, *variables["shared"].values()]:
            if variable.size == 0:
                dynamic.append(variable)
                continue
            self._place(variable)
        for variable in dynamic:
            self._place(variable)
        for space in ("global", "const"):
            for name, variable in variables[space].items():
                content = variable.content or bytes(variable.size)
                data = np.frombuffer(content, np.uint8)
                self.symbols[name] = global_memory.add(f"table '{name}'", data, False)
        for number, (name, _) in enumerate(kernel.parameters):
            self.symbols[name] = memory.PARAMETERS + number * memory.PARAMETER_BYTES

    def _place(self, variable):
        start = -(-self.static_bytes // variable.alignment) * variable.alignment
        self.symbols[variable.name] = memory.SHARED_START + start
        self.static_bytes = start + variable.size

    def register_type(self, name):
        stem = name if name in self.kernel.registers else name.rstrip("0123456789")
        return self.kernel.registers[stem]

    # ------------------------------------------------------------ a launch

    def launch(self, grid, threads, arguments, shared_bytes=0, cluster=1):
        """`arguments`: a number or a TensorMap for each parameter."""
        self.grid, self.threads, self.cluster = grid, threads, cluster
        self.shared_bytes = self.static_bytes + shared_bytes
        for (name, size), value in zip(self.kernel.parameters, arguments, strict=True):
            if isinstance(value, tensor.TensorMap):
                self.maps[self.symbols[name]] = value
            else:
                self.arguments[name] = int(value).to_bytes(size, "little")
        for first in range(0, grid, cluster):
            self._run(Cluster(self, first))

    def _run(self, running):
        warps = [warp for block in running.blocks for warp in block.warps]
        while not all(warp.is_done() for warp in warps):
            order = [warp for warp in warps if not warp.is_done()]
            self.random.shuffle(order)
            progress = False
            for warp in order:
                progress |= warp.run()
            if not progress and not self._land():
                self._explain(order)
        while self._land():
            pass
        for warp in warps:
            if warp.stores or warp.open_stores or warp.groups or warp.open_products:
                raise PtxError(
                    f"kernel '{self.kernel.name}', block {warp.block.number}, warp "
                    f"{warp.number}: expected waits for all stores and multiplications before "
                    "the end, but got some that nobody has waited for"
                )

    def _explain(self, order):
        where = [
            f"block {w.block.number} warp {w.number} at {w.waiting}" for w in order[:4]
        ]
        raise PtxError(
            f"kernel '{self.kernel.name}': expected a warp that can go on, but got all waiting: "
            + ", ".join(where)
        )

    # ------------------------------------------------------------ copies

    def start_copy(self, land):
        now = {"early": True, "late": False}.get(
            self.timing, self.random.random() < 0.5
        )
        if now:
            land()
        else:
            self.copies.append(land)

    def _land(self):
        """One copy, in any order. Whether there was one."""
        if not self.copies:
            return False
        self.copies.pop(self.random.randrange(len(self.copies)))()
        return True


# ---------------------------------------------------------------- barriers


def _bar(warp, instruction, mask):
    """bar.sync number{, threads}, by whole warps."""
    warp.require_all(mask)
    block = warp.block
    number = warp.scalar(instruction.operands[0], "u32", mask)
    count = block.machine.threads
    if len(instruction.operands) > 1:
        count = warp.scalar(instruction.operands[1], "u32", mask)
    round_ = block.rounds.setdefault(number, 0)
    if warp.passed is None:
        arrived = block.arrived.setdefault(number, [])
        arrived.append(warp)
        if sum(32 - int(w.ended.sum()) for w in arrived) == count:
            block.arrived[number] = []
            block.rounds[number] += 1
            return
        warp.passed = round_
    if block.rounds[number] == warp.passed:
        wanted = warp.passed
        raise Blocked(f"barrier {number}", lambda: block.rounds[number] > wanted)
    warp.passed = None


def _bar_warp(warp, instruction, mask):
    wanted = warp.scalar(instruction.operands[0], "u32", mask)
    taking_part = int((mask.astype(np.uint64) << np.arange(32, dtype=np.uint64)).sum())
    if (
        wanted
        & ~taking_part
        & ~int((warp.ended << np.arange(32, dtype=np.uint64)).sum())
    ):
        raise PtxError(f"expected the lanes of {wanted:#x}, but got {taking_part:#x}")


def _cluster_arrive(warp, instruction, mask):
    running = warp.block.cluster
    warp.round = running.rounds
    running.arrived += int(mask.sum())
    if running.arrived == running.machine.threads * running.machine.cluster:
        running.arrived = 0
        running.rounds += 1


def _cluster_wait(warp, instruction, mask):
    running, wanted = warp.block.cluster, warp.round
    if running.rounds == wanted:
        raise Blocked("barrier.cluster.wait", lambda: running.rounds > wanted)


def _map_address(warp, instruction, mask):
    target, source, rank = instruction.operands
    ranks = warp.bits(rank, "u32").astype(np.uint64) + np.uint64(1)
    own = warp.bits(source, "u64") & np.uint64((1 << memory.RANK_SHIFT) - 1)
    bits = ranks << np.uint64(memory.RANK_SHIFT) | own
    warp.set(target, bits.astype(registers.pattern(instruction.parts[-1])), mask)


WARP_HANDLERS.update(
    {
        "bar.sync": _bar,
        "barrier.sync": _bar,
        "barrier.cta.sync": _bar,
        "bar.warp.sync": _bar_warp,
        "barrier.cluster.arrive": _cluster_arrive,
        "barrier.cluster.wait": _cluster_wait,
        "mapa": _map_address,
        **tensor.HANDLERS,
        **sync.HANDLERS,
    }
)
