# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Global and shared memory, by addresses that tell them apart.

parameters      1 << 52, 256 bytes each
global memory   1 << 48, 64 GiB a buffer
generic         1 << 40 + address of shared::cluster
shared::cluster rank + 1 << 24 + address of shared::cta
shared::cta     from 1024, where hardware starts, too
"""

import numpy as np

from .text import PtxError

SHARED_START = 1024
RANK_SHIFT = 24
GENERIC_SHARED = 1 << 40
GLOBAL = 1 << 48
BUFFER_SHIFT = 36
PARAMETERS = 1 << 52
PARAMETER_BYTES = 256


class Buffer:
    def __init__(self, name, data, is_writable):
        self.name, self.is_writable = name, is_writable
        self.data = data
        self.base = 0


class GlobalMemory:
    def __init__(self):
        self.buffers = []

    def add(self, name, data, is_writable):
        """Adds bytes (a NumPy array of uint8), and returns their address."""
        buffer = Buffer(name, data, is_writable)
        buffer.base = GLOBAL + (len(self.buffers) << BUFFER_SHIFT)
        self.buffers.append(buffer)
        return buffer.base

    def find(self, address, size, is_store):
        """The buffer and offset of an access."""
        number = (address - GLOBAL) >> BUFFER_SHIFT
        if not 0 <= number < len(self.buffers):
            raise PtxError(f"expected an address in a buffer, but got {address:#x}")
        buffer = self.buffers[number]
        offset = address - buffer.base
        if offset + size > buffer.data.size:
            raise PtxError(
                f"expected an access inside {buffer.name} of {buffer.data.size} bytes, but "
                f"got bytes {offset} to {offset + size - 1}"
            )
        if is_store and not buffer.is_writable:
            raise PtxError(f"expected {buffer.name} to be read only, but got a store")
        return buffer.data, offset


class SharedMemory:
    """Of one block, from address 0."""

    def __init__(self, size):
        self.data = np.zeros(SHARED_START + size, np.uint8)

    def find(self, address, size):
        if not SHARED_START <= address <= self.data.size - size:
            raise PtxError(
                f"expected an access inside {self.data.size - SHARED_START} bytes of shared "
                f"memory, but got byte {address - SHARED_START}"
            )
        return self.data, address


def split_cluster(address, own_rank):
    """(rank, address of shared::cta) of an address of either shared space."""
    if address >> RANK_SHIFT:
        return (address >> RANK_SHIFT) - 1, address & ((1 << RANK_SHIFT) - 1)
    return own_rank, address


def join_cluster(rank, address):
    return (rank + 1 << RANK_SHIFT) | address
