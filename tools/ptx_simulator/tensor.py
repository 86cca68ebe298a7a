# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What feeds tensor cores: mbarriers, TMA, ldmatrix and stmatrix, wgmma.

Copies happen when they are issued, or when nobody can go on without; multiplications
and stores of boxes when they are waited for. So a stage that is given back too early is
overwritten too early, and a wait that is missing finds nothing.
"""

import re
from dataclasses import dataclass, field

import numpy as np

from . import memory, registers
from .text import PtxError
from .warp import LANES, Blocked

CHUNK = 16


def swizzle(addresses, span):
    """Chunks of 16 bytes are permuted within rows of `span` bytes (128, 64, 32), by the
    bits of the address from bit 7; 16 changes nothing."""
    return addresses ^ ((addresses >> 7 & (span // CHUNK - 1)) << 4)


@dataclass
class TensorMap:
    """`sizes` and `box` in elements, `strides` in bytes, the innermost dimension first."""

    address: int
    element: int
    sizes: list
    strides: list
    box: list
    span: int = 128

    def places(self, origin):
        """Offsets in the box, and addresses of the same elements in global memory, of
        those that lie in the tensor."""
        grids = np.meshgrid(*[np.arange(n) for n in reversed(self.box)], indexing="ij")
        grids = [x.ravel() for x in reversed(grids)]
        inside = np.ones(grids[0].size, bool)
        addresses = np.full(grids[0].size, self.address, np.int64)
        for at, start, size, stride in zip(
            grids, origin, self.sizes, self.strides, strict=True
        ):
            inside &= (at + start >= 0) & (at + start < size)
            addresses += (at + start) * stride
        offsets = np.arange(grids[0].size) * self.element
        return offsets[inside], addresses[inside]

    @property
    def bytes(self):
        return int(np.prod(self.box)) * self.element


# ---------------------------------------------------------------- mbarriers


@dataclass
class Phases:
    count: int
    pending: int
    bytes: int = 0
    phase: int = 0

    def settle(self):
        if self.pending < 0:
            raise PtxError(f"expected {self.count} arrivals a phase, but got more")
        if self.pending == 0 and self.bytes == 0:
            self.phase += 1
            self.pending = self.count


def _phases(warp, address):
    rank, at = memory.split_cluster(int(address), warp.block.rank)
    found = warp.block.cluster.blocks[rank].mbarriers.get(at)
    if found is None:
        raise PtxError(f"expected an mbarrier at byte {at}, but got none")
    return found


def _lane_address(warp, operand, mask):
    """The addresses of the lanes that run."""
    return [
        (int(lane), int(warp.addresses(operand)[lane])) for lane in np.nonzero(mask)[0]
    ]


def _init(warp, instruction, mask):
    place, count = instruction.operands
    for lane, address in _lane_address(warp, place, mask):
        number = int(warp.bits(count, "u32")[lane])
        warp.block.mbarriers[address] = Phases(number, number)


def _arrive(warp, instruction, mask):
    operands = list(instruction.operands)
    if not operands[0].startswith("["):
        operands.pop(0)
    place, *rest = operands
    expects = "expect_tx" in instruction.parts
    for lane, address in _lane_address(warp, place, mask):
        phases = _phases(warp, address)
        number = int(warp.bits(rest[0], "u32")[lane]) if rest else 1
        phases.bytes += number if expects else 0
        phases.pending -= 1 if expects else number
        phases.settle()


def _try_wait(warp, instruction, mask):
    target, place, parity = instruction.operands[:3]
    waits = [
        (_phases(warp, address), int(warp.bits(parity, "u32")[lane]))
        for lane, address in _lane_address(warp, place, mask)
    ]

    def is_over():
        return all(phases.phase % 2 != wanted for phases, wanted in waits)

    if not is_over():
        raise Blocked("mbarrier.try_wait", is_over)
    warp.set(target, np.ones(32, bool), mask)


def _store_async(warp, instruction, mask):
    """st.async: arrives with the bytes that the mbarrier counts."""
    place, value, barrier = instruction.operands
    kind = instruction.parts[-1]
    bits, to, at = (
        warp.bits(value, kind),
        warp.addresses(place),
        warp.addresses(barrier),
    )
    for lane in np.nonzero(mask)[0]:
        element = bits[lane : lane + 1].copy().view(np.uint8)
        rank, address = memory.split_cluster(int(to[lane]), warp.block.rank)
        data, start = warp.block.cluster.blocks[rank].shared.find(address, element.size)
        phases = _phases(warp, at[lane])

        def land(data=data, start=start, element=element, phases=phases):
            data[start : start + element.size] = element
            phases.bytes -= element.size
            phases.settle()

        warp.machine.start_copy(land)


# ---------------------------------------------------------------- TMA


def _one_lane(mask):
    lanes = np.nonzero(mask)[0]
    if len(lanes) != 1:
        raise PtxError(f"expected one lane to copy, but got {len(lanes)}")
    return int(lanes[0])


def _box(warp, operand, lane):
    """The map and the coordinates of `[%rd1, {%r1, %r2}]`."""
    place, _, rest = operand.strip("[]").partition(",")
    tensor = warp.machine.maps.get(int(warp.bits(place.strip(), "u64")[lane]))
    if tensor is None:
        raise PtxError(f"expected {place} to be a tensor map's address")
    names = rest.strip().strip("{}").split(",")
    return tensor, [int(warp.numbers(x.strip(), "s32")[lane]) for x in names]


def _load_box(warp, instruction, mask):
    lane = _one_lane(mask)
    place, source, barrier, *ranks = instruction.operands
    tensor, origin = _box(warp, source, lane)
    rank, to = memory.split_cluster(int(warp.addresses(place)[lane]), warp.block.rank)
    _, at = memory.split_cluster(int(warp.addresses(barrier)[lane]), warp.block.rank)
    targets = [rank]
    if "multicast::cluster" in instruction.opcode:
        bits = int(warp.bits(ranks[0], "u16")[lane])
        targets = [i for i in range(16) if bits >> i & 1]
    if to % 128:
        raise PtxError(f"expected a box at a multiple of 128 bytes, but got {to}")
    for rank in targets:
        block = warp.block.cluster.blocks[rank]

        def land(block=block):
            _copy_in(warp.machine, block, tensor, origin, to)
            phases = block.mbarriers[at]
            phases.bytes -= tensor.bytes
            phases.settle()

        warp.machine.start_copy(land)


def _copy_in(machine, block, tensor, origin, to):
    """A box with zeros outside of the tensor."""
    offsets, addresses = tensor.places(origin)
    shared = block.shared.find(to, tensor.bytes)[0]
    for byte in range(tensor.element):
        places = swizzle(
            to + np.arange(0, tensor.bytes, tensor.element) + byte, tensor.span
        )
        shared[places] = 0
        if len(offsets):
            data, _ = machine.memory.find(int(addresses.min()), 1, False)
            start = machine.memory.buffers[
                (int(addresses.min()) - memory.GLOBAL) >> memory.BUFFER_SHIFT
            ].base
            shared[swizzle(to + offsets + byte, tensor.span)] = data[
                addresses - start + byte
            ]


def _store_box(warp, instruction, mask):
    lane = _one_lane(mask)
    target, place = instruction.operands[:2]
    tensor, origin = _box(warp, target, lane)
    at = int(warp.addresses(place)[lane])
    offsets, addresses = tensor.places(origin)
    first, end = max(0, origin[0]), min(origin[0] + tensor.box[0], tensor.sizes[0])
    if max(0, end - first) * tensor.element % CHUNK:
        raise PtxError(
            "expected rows that end with 16 bytes, which a TMA store writes whole"
        )

    def store():
        shared = warp.block.shared.find(at, tensor.bytes)[0]
        for address, offset in zip(addresses, offsets, strict=True):
            data, start = warp.machine.memory.find(int(address), tensor.element, True)
            for byte in range(tensor.element):
                data[start + byte] = shared[swizzle(at + offset + byte, tensor.span)]

    warp.open_stores.append(store)


def _commit_stores(warp, instruction, mask):
    warp.stores.append(warp.open_stores)
    warp.open_stores = []


def _wait_for_stores(warp, instruction, mask):
    pending = int(instruction.operands[0])
    while len(warp.stores) > pending:
        for store in warp.stores.pop(0):
            store()


# ---------------------------------------------------------------- matrices of 8 x 8


def _matrices(warp, instruction, mask):
    warp.require_all(mask)
    is_load = instruction.parts[0] == "ldmatrix"
    names, place = instruction.operands if is_load else reversed(instruction.operands)
    names = names if isinstance(names, list) else [names]
    addresses = warp.addresses(place)
    trans = "trans" in instruction.parts
    row, column = LANES // 4, 2 * (LANES % 4)
    for i, name in enumerate(names):
        rows = [int(addresses[8 * i + r]) for r in range(8)]
        views = [
            warp.block.shared.find(at, CHUNK)[0][at : at + CHUNK].view(np.uint16)
            for at in rows
        ]
        if is_load:
            tile = np.stack(views)
            tile = tile.T if trans else tile
            low, high = tile[row, column], tile[row, column + 1]
            bits = low.astype(np.uint32) | high.astype(np.uint32) << np.uint32(16)
            warp.set(name, bits, mask)
            continue
        bits = warp.bits(name, "b32")
        tile = np.zeros((8, 8), np.uint16)
        tile[row, column] = bits & np.uint32(0xFFFF)
        tile[row, column + 1] = bits >> np.uint32(16)
        for r, view in enumerate(views):
            view[:] = tile.T[r] if trans else tile[r]


# ---------------------------------------------------------------- wgmma


@dataclass
class Product:
    """A multiplication that a warp has issued: its quarter of the 64 rows."""

    sums: list
    columns: int
    #: Of the elements of A and of B.
    kinds: tuple
    #: A descriptor, or bit patterns of four registers.
    a: object
    b: int
    adds: bool
    signs: int
    transposes: tuple
    kept: list = field(default_factory=list)


def _matrix(warp, bits, rows, is_transposed, kind):
    """[rows, 32 bytes] of an operand in shared memory."""
    size = 1 if kind in registers.FLOAT8 else 4 if kind == "tf32" else 2
    start, leading, stride = (((bits >> at) & 0x3FFF) << 4 for at in (0, 16, 32))
    span = {0: 16, 1: 128, 2: 64, 3: 32}[bits >> 62]
    row, k = np.meshgrid(np.arange(rows), np.arange(32 // size), indexing="ij")
    if is_transposed:
        if span == 16:
            raise PtxError("expected a swizzle where K is not contiguous, but got none")
        across = span // 2
        at = row // across * leading + k // 8 * stride + k % 8 * span + row % across * 2
    elif span == 16:
        line = 16 // size
        at = row // 8 * stride + k // line * leading + row % 8 * span + k % line * size
    else:
        at = row // 8 * stride + row % 8 * span + k * size
    places = swizzle(start + at, span)
    warp.block.shared.find(int(places.min()), int(places.max() - places.min()) + size)
    if size == 1:
        return registers.from_float8(warp.block.shared.data[places], kind)
    if size == 4:
        return registers.from_tf32(warp.block.shared.data.view(np.uint32)[places // 4])
    halves = warp.block.shared.data.view(np.uint16)[places // 2]
    return registers.numbers(halves, kind).astype(np.float32)


def _fragment(words, kind):
    """[16, 16] of A from four registers of 32 lanes."""
    a = np.zeros((16, 16), np.float32)
    for i, word in enumerate(words):
        for half in range(2):
            bits = (word >> np.uint32(16 * half) & np.uint32(0xFFFF)).astype(np.uint16)
            row, column = (
                LANES // 4 + 8 * (i & 1),
                2 * (LANES % 4) + 8 * (i >> 1) + half,
            )
            a[row, column] = registers.numbers(bits, kind)
    return a


def _multiply(warp, product):
    left, right = product.kinds
    b = _matrix(warp, product.b, product.columns, product.transposes[1], right)
    if isinstance(product.a, int):
        first = warp.number % 4 * 16
        whole = _matrix(warp, product.a, 64, product.transposes[0], left)
        a = whole[first : first + 16]
    else:
        a = _fragment(product.a, left)
    result = product.signs * (a @ b.T)
    for i, name in enumerate(product.sums):
        value = result[
            LANES // 4 + 8 * (i >> 1 & 1), 8 * (i // 4) + 2 * (LANES % 4) + (i & 1)
        ]
        if product.adds:
            value = value + warp.registers[name].astype(np.uint32).view(np.float32)
        warp.registers[name] = value.astype(np.float32).view(np.uint32)


def _flag(operand):
    return {"true": 1, "false": 0}.get(operand) or int(operand)


def _wgmma(warp, instruction, mask):
    warp.require_all(mask)
    shape = re.fullmatch(r"m64n(\d+)k(8|16|32)", instruction.parts[4])
    kinds = instruction.parts[5:]
    is_float8 = len(kinds) == 3 and all(kind in registers.FLOAT8 for kind in kinds[1:])
    is_tf32 = kinds == ["f32", "tf32", "tf32"]
    has_one_order = is_float8 or is_tf32
    known = (["f32", "bf16", "bf16"], ["f32", "f16", "f16"])
    is_known = kinds in known or is_tf32 or (is_float8 and kinds[0] == "f32")
    is_known &= isinstance(instruction.operands[1], str) or not has_one_order
    places = "32" if is_float8 else "8" if is_tf32 else "16"
    if not shape or not is_known or shape.group(2) != places:
        raise PtxError("expected 32 bytes of TF32, 16- or 8-bit floats, and f32 sums")
    sums, a, b, adds, *flags = instruction.operands
    is_described = isinstance(a, str)
    # Of 8-bit floats and TF32 both operands follow K.
    orders = 0 if has_one_order else 1 + is_described
    if len(sums) * 2 != int(shape.group(1)) or len(flags) != 2 + orders:
        raise PtxError("expected as many sums and flags as the shape has")
    if not warp.is_fenced and (not is_described or not warp.groups):
        raise PtxError(
            "expected wgmma.fence before the first multiplication of a group"
        )
    for name in sums:
        if warp.busy.get(name, "").startswith("it is read"):
            raise PtxError(f"expected {name} to be left alone, as {warp.busy[name]}")
    scale = (
        _flag(adds)
        if re.fullmatch(r"\d+|true|false", adds)
        else warp.scalar(adds, "pred", mask)
    )
    signs = int(flags[0]) * int(flags[1])
    trans = (orders == 2 and int(flags[2]) == 1, orders > 0 and int(flags[-1]) == 1)
    source = (
        warp.scalar(a, "u64", mask)
        if is_described
        else [warp.bits(x, "b32") for x in a]
    )
    product = Product(
        sums, int(shape.group(1)), tuple(kinds[1:]), source, warp.scalar(b, "u64", mask), bool(scale), signs,
        trans, [] if is_described else a,
    )  # fmt: skip
    warp.open_products.append(product)
    _note_busy(warp)


def _note_busy(warp):
    warp.busy = {}
    for products in [*warp.groups, warp.open_products]:
        for product in products:
            warp.busy.update(
                dict.fromkeys(product.kept, "it is read by a wgmma under way")
            )
            warp.busy.update(
                dict.fromkeys(product.sums, "a wgmma under way adds to it")
            )


def _fence_registers(warp, instruction, mask):
    warp.require_all(mask)
    warp.is_fenced = True


def _commit_products(warp, instruction, mask):
    warp.require_all(mask)
    warp.groups.append(warp.open_products)
    warp.open_products, warp.is_fenced = [], False
    warp.committed += 1


def _wait_for_products(warp, instruction, mask):
    """The warpgroup multiplies as a whole: one warp's group has ended when all four have
    issued it, on which kernels rely where one thread gives back what all have read."""
    warp.require_all(mask)
    pending = int(instruction.operands[0])
    first = warp.number // 4 * 4
    others, wanted = warp.block.warps[first : first + 4], warp.committed - pending

    def have_all():
        return all(other.committed >= wanted for other in others)

    if not have_all():
        raise Blocked("wgmma.wait_group", have_all)
    for other in others:
        waited = other.committed - len(other.groups)
        for products in other.groups[
            max(0, other.multiplied - waited) : max(0, wanted - waited)
        ]:
            for product in products:
                _multiply(other, product)
        other.multiplied = max(other.multiplied, wanted)
    warp.groups = warp.groups[max(0, len(warp.groups) - pending) :]
    _note_busy(warp)


def _prefetch_box(warp, instruction, mask):
    """It reads nothing."""


def _registers_of_warps(warp, instruction, mask):
    warp.require_all(mask)
    count = int(instruction.operands[0])
    if count % 8 or not 24 <= count <= 256:
        raise PtxError(
            f"expected a multiple of 8 from 24 to 256 registers, but got {count}"
        )


HANDLERS = {
    "st.async": _store_async,
    "mbarrier.init": _init,
    "mbarrier.arrive": _arrive,
    "mbarrier.try_wait.parity": _try_wait,
    "cp.async.bulk.prefetch": _prefetch_box,
    "cp.async.bulk.commit_group": _commit_stores,
    "cp.async.bulk.wait_group": _wait_for_stores,
    "cp.async.bulk.tensor.1d.shared::cluster.global": _load_box,
    "cp.async.bulk.tensor.2d.shared::cluster.global": _load_box,
    "cp.async.bulk.tensor.3d.shared::cluster.global": _load_box,
    "cp.async.bulk.tensor.4d.shared::cluster.global": _load_box,
    "cp.async.bulk.tensor.5d.shared::cluster.global": _load_box,
    "cp.async.bulk.tensor.1d.global": _store_box,
    "cp.async.bulk.tensor.2d.global": _store_box,
    "cp.async.bulk.tensor.3d.global": _store_box,
    "cp.async.bulk.tensor.4d.global": _store_box,
    "cp.async.bulk.tensor.5d.global": _store_box,
    "ldmatrix.sync.aligned.m8n8": _matrices,
    "stmatrix.sync.aligned.m8n8": _matrices,
    "wgmma.fence": _fence_registers,
    "wgmma.mma_async": _wgmma,
    "wgmma.commit_group": _commit_products,
    "wgmma.wait_group": _wait_for_products,
    "setmaxnreg": _registers_of_warps,
}
