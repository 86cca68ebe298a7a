# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A warp: 32 lanes that run the same instruction, those that a branch has not parted."""

import numpy as np

from . import memory, registers
from .text import PtxError, type_bytes

LANES = np.arange(32, dtype=np.uint32)


class Blocked(Exception):
    """The warp waits; its instruction is to be run again when `ready()` holds."""

    def __init__(self, reason, ready):
        super().__init__(reason)
        self.ready = ready


class Warp:
    def __init__(self, block, number):
        self.block, self.number = block, number
        self.machine = block.machine
        self.registers = {}
        #: Registers of multiplications under way, and what they are of them.
        self.busy = {}
        lanes = number * 32 + np.arange(32) < self.machine.threads
        #: Innermost last: next instruction, lanes, and where they meet the others.
        self.paths = [[0, lanes, len(self.machine.kernel.instructions)]]
        self.ended = ~lanes
        self.waiting = None
        #: What barriers have let through already.
        self.passed = None

    # ------------------------------------------------------------ registers

    def special(self, name):
        block = self.block
        values = {
            "%tid.x": self.number * 32 + LANES,
            "%tid.y": 0 * LANES,
            "%tid.z": 0 * LANES,
            "%laneid": LANES,
            "%ctaid.x": block.number,
            "%ctaid.y": 0,
            "%ctaid.z": 0,
            "%nctaid.x": self.machine.grid,
            "%ntid.x": self.machine.threads,
            "%cluster_ctarank": block.rank,
            "%cluster_nctarank": self.machine.cluster,
            "%clusterid.x": block.number // self.machine.cluster,
        }
        if name not in values:
            return None
        return np.broadcast_to(np.asarray(values[name], np.uint32), 32)

    def bits(self, operand, kind):
        """The bit patterns of an operand."""
        if self.busy.get(operand) is not None:
            raise PtxError(
                f"expected {operand} to be left alone, as {self.busy[operand]}"
            )
        found = self.registers.get(operand)
        if found is None:
            found = self.special(operand)
        if found is None and operand in self.machine.symbols:
            found = np.full(32, self.machine.symbols[operand], np.uint64)
        if found is None and operand.startswith("%"):
            # Nothing has written it, which is no error where nobody looks.
            found = np.full(32, 0xDEADBEEF, np.uint64)
        if found is None:
            return registers.immediate(operand, kind)
        wanted = registers.pattern(kind)
        return found if found.dtype == wanted else found.astype(wanted)

    def numbers(self, operand, kind):
        return registers.numbers(self.bits(operand, kind), kind)

    def scalar(self, operand, kind, mask):
        """What all lanes must agree on."""
        values = self.numbers(operand, kind)[mask]
        if np.any(values != values[0]):
            raise PtxError(
                f"expected {operand} to be the same in all lanes, but got {values}"
            )
        return values[0].item()

    def set(self, name, bits, mask):
        if name == "_":
            return
        if self.busy.get(name) is not None:
            raise PtxError(f"expected {name} to be left alone, as {self.busy[name]}")
        old = self.registers.get(name)
        if mask.all() or old is None or old.dtype != bits.dtype:
            self.registers[name] = bits.copy()
        else:
            self.registers[name] = np.where(mask, bits, old)

    # ------------------------------------------------------------ steps

    def is_done(self):
        return bool(self.ended.all())

    def run(self):
        """Runs until the lanes have ended or wait. Whether anything was done."""
        if self.waiting and not self.waiting.ready():
            return False
        self.waiting = None
        progress = False
        while not self.is_done():
            try:
                self.step()
            except Blocked as blocked:
                self.waiting = blocked
                return progress
            progress = True
        return progress

    def step(self):
        while self.paths[-1][0] == self.paths[-1][2] or not self.paths[-1][1].any():
            self.paths.pop()
        path = self.paths[-1]
        at, lanes, _ = path
        instruction = self.machine.kernel.instructions[at]
        mask = lanes
        if instruction.guard:
            mask = lanes & (
                self.bits(instruction.guard, "pred") ^ instruction.is_negated
            )
        self.machine.steps += 1
        try:
            if instruction.parts[0] == "bra":
                self.branch(path, instruction, mask)
                return
            if mask.any():
                self.execute(instruction, mask)
        except PtxError as error:
            raise PtxError(
                f"kernel '{self.machine.kernel.name}', block {self.block.number}, warp "
                f"{self.number}, {instruction}: {error}"
            ) from error
        path[0] = at + 1

    def branch(self, path, instruction, mask):
        at, lanes, _ = path
        target = self.machine.kernel.labels[instruction.operands[0]]
        if not mask.any():
            path[0] = at + 1
        elif (mask == lanes).all():
            path[0] = target
        else:
            if "uni" in instruction.parts:
                raise PtxError("expected lanes that go the same way, but got both")
            meet = self.machine.meets[at]
            path[0] = meet
            self.paths.append([target, mask, meet])
            self.paths.append([at + 1, lanes & ~mask, meet])

    def end(self, mask):
        self.ended = self.ended | mask
        for path in self.paths:
            path[1] = path[1] & ~mask

    def require_all(self, mask):
        """What is .aligned is for all lanes of the warp."""
        if not (mask | self.ended).all():
            raise PtxError(f"expected all lanes of the warp, but got {mask.sum()}")

    def execute(self, instruction, mask):
        handler = self.machine.handlers.get(id(instruction))
        if handler is None:
            handler = self.machine.handlers[id(instruction)] = self.handler(instruction)
        handler(self, instruction, mask)

    def handler(self, instruction):
        for prefix, function in HANDLERS.items():
            if instruction.opcode == prefix or instruction.opcode.startswith(
                prefix + "."
            ):
                return function
        if registers.operation(instruction):
            return arithmetic(instruction)
        raise PtxError("expected an instruction that the simulator knows")

    # ------------------------------------------------------------ addresses

    def addresses(self, operand, kind="u64"):
        base, _, offset = operand.strip("[] ").partition("+")
        found = self.bits(base.strip(), kind).astype(np.int64)
        return found + int(offset) if offset else found


def arithmetic(instruction):
    function, kinds, result = registers.operation(instruction)
    target, *sources = instruction.operands

    if instruction.parts[0] == "mov" and (
        isinstance(target, list) or isinstance(sources[0], list)
    ):
        return _move_parts

    def run(warp, _, mask):
        with np.errstate(all="ignore"):
            values = [
                warp.numbers(x, kind) for x, kind in zip(sources, kinds, strict=True)
            ]
            bits = registers.patterns(function(*values), result)
        warp.set(target, bits, mask)

    return run


def _move_parts(warp, instruction, mask):
    """mov.b32 {a, b}, c; or mov.b32 c, {a, b};"""
    target, source = instruction.operands
    bits = registers.width(instruction.parts[-1])
    if isinstance(target, list):
        whole, part = warp.bits(source, f"b{bits}"), bits // len(target)
        for i, name in enumerate(target):
            piece = whole.astype(np.uint64) >> np.uint64(part * i)
            warp.set(name, piece.astype(registers.BITS[part]), mask)
        return
    part, whole = bits // len(source), np.zeros(32, np.uint64)
    for i, name in enumerate(source):
        whole |= warp.bits(name, f"b{part}").astype(np.uint64) << np.uint64(part * i)
    warp.set(target, whole.astype(registers.BITS[bits]), mask)


# ---------------------------------------------------------------- loads and stores


def _find(warp, instruction, address, size):
    opcode = instruction.parts
    is_store = opcode[0] == "st"
    if "global" in opcode or address >= memory.GLOBAL:
        return warp.machine.memory.find(address, size, is_store)
    rank, at = memory.split_cluster(address, warp.block.rank)
    return warp.block.cluster.blocks[rank].shared.find(at, size)


def _load_parameter(warp, instruction, mask):
    target, source = instruction.operands
    name, _, offset = source.strip("[]").partition("+")
    raw = warp.machine.arguments[name]
    kind = registers.pattern(instruction.parts[-1])
    value = np.frombuffer(raw, kind, count=1, offset=int(offset or 0))
    warp.set(target, np.repeat(value, 32), mask)


def _access(warp, instruction, mask):
    """ld and st, of vectors, too; hints for caches mean nothing."""
    is_load = instruction.parts[0] == "ld"
    operands = instruction.operands
    values, place = (
        (operands[0], operands[1]) if is_load else (operands[1], operands[0])
    )
    names = values if isinstance(values, list) else [values]
    kind = instruction.parts[-1]
    size = type_bytes(kind)
    kept = registers.BITS[8 * size]
    addresses = warp.addresses(place)
    loaded = np.zeros((len(names), 32), kept)
    stored = None if is_load else [warp.bits(name, f"b{8 * size}") for name in names]
    for lane in np.nonzero(mask)[0]:
        address, total = int(addresses[lane]), size * len(names)
        if address % total:
            raise PtxError(
                f"expected an address aligned to {total} bytes, but got {address:#x}"
            )
        data, offset = _find(warp, instruction, address, total)
        elements = data[offset : offset + total].view(kept)
        if is_load:
            loaded[:, lane] = elements
        else:
            elements[:] = [each[lane] for each in stored]
    for name, bits in zip(names, loaded, strict=True) if is_load else ():
        if size == 1:
            signed = bits.view(np.int8) if kind[0] == "s" else bits
            bits = signed.astype(np.int16).view(np.uint16)
        warp.set(name, _widened(warp, name, bits, kind), mask)


def _widened(warp, name, bits, kind):
    """A register may be wider than what is loaded."""
    declared = warp.machine.register_type(name)
    wanted = registers.pattern(declared)
    if wanted == bits.dtype:
        return bits
    if kind[0] == "s":
        signed = bits.view(f"int{8 * bits.dtype.itemsize}")
        return signed.astype(f"int{8 * np.dtype(wanted).itemsize}").view(wanted)
    return bits.astype(wanted)


def _address_space(warp, instruction, mask):
    """cvta{.to}.space"""
    target, source = instruction.operands
    bits = warp.bits(source, "u64")
    if "shared" in instruction.opcode:
        if "to" in instruction.parts:
            bits = bits - np.uint64(memory.GENERIC_SHARED)
        else:
            own = memory.join_cluster(warp.block.rank, 0)
            known = np.where(
                bits >> np.uint64(memory.RANK_SHIFT), bits, bits + np.uint64(own)
            )
            bits = known + np.uint64(memory.GENERIC_SHARED)
    warp.set(target, bits, mask)


# ---------------------------------------------------------------- exchanges and ends


def _shuffle(warp, instruction, mask):
    mode = instruction.parts[2]
    target, source, operand, clamp, members = instruction.operands
    values, b = warp.bits(source, "b32"), warp.bits(operand, "u32") & 31
    packed = warp.bits(clamp, "u32")
    taking_part = warp.scalar(members, "u32", mask)
    if taking_part != int((mask << LANES).sum()):
        raise PtxError(f"expected the lanes of {taking_part:#x}, but got {mask}")
    segment, bound = packed >> 8 & 31, packed & 31
    last = LANES & segment | bound & ~segment & 31
    lanes = LANES.astype(np.int64)
    sources = {"bfly": lanes ^ b, "up": lanes - b, "down": lanes + b}.get(mode)
    if sources is None:
        sources = (LANES & segment | b & ~segment & 31).astype(np.int64)
    inside = sources >= last if mode == "up" else sources <= last
    sources = np.where(inside, sources, lanes)
    name, _, predicate = (
        target if isinstance(target, str) else "|".join(target)
    ).partition("|")
    warp.set(name, values[sources], mask)
    if predicate:
        warp.set(predicate, inside, mask)


def _vote(warp, instruction, mask):
    """Whether any of the lanes, or all of them, have a predicate."""
    target, source, members = instruction.operands
    taking_part = warp.scalar(members, "u32", mask)
    if taking_part != int((mask << LANES).sum()):
        raise PtxError(f"expected the lanes of {taking_part:#x}, but got {mask}")
    join = {"any": np.any, "all": np.all}[instruction.parts[2]]
    result = join(warp.bits(source, "pred")[mask].astype(bool))
    warp.set(target, np.full(32, result), mask)


def _elect(warp, instruction, mask):
    name, _, predicate = instruction.operands[0].partition("|")
    warp.set(name, np.full(32, np.nonzero(mask)[0][-1], np.uint32), mask)
    # Any will do; code that counts on the first is wrong.
    warp.set(predicate, LANES == np.nonzero(mask)[0][-1], mask)


def _trap(warp, instruction, mask):
    raise PtxError("expected the kernel to run to its end, but got a trap")


def _return(warp, instruction, mask):
    warp.end(mask)


def _nothing(warp, instruction, mask):
    if "aligned" in instruction.parts:
        warp.require_all(mask)


def _policy(warp, instruction, mask):
    warp.set(instruction.operands[0], np.zeros(32, np.uint64), mask)


#: By the start of the opcode.
HANDLERS = {
    "ld.param": _load_parameter,
    "ld": _access,
    "st.global": _access,
    "st.shared": _access,
    "cvta": _address_space,
    "shfl.sync": _shuffle,
    "vote.sync": _vote,
    "elect.sync": _elect,
    "trap": _trap,
    "ret": _return,
    "exit": _return,
    "griddepcontrol": _nothing,
    "fence": _nothing,
    "membar": _nothing,
    "prefetch": _nothing,
    "createpolicy": _policy,
}
