# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the PTX that Fuse emits, on NumPy: a second opinion, without a GPU.

The emulator (docs/testing.md) runs the LLVM IR that PTX is made from, and knows every
rule of memory order. This reads the PTX itself, after LLVM's NVPTX back end, and has
nothing in common with it: its own reading of the PTX ISA, its own layouts. It knows
registers, which the emulator does not: those of an unfinished wgmma must not change.

    programs = launch.Program(text of fuse inspect --emit=gpu, text of --emit=ptx)
    results = program.run([x, w])

text.py      PTX as instructions
flow.py      where the lanes of a branch meet again
memory.py    global and shared memory
registers.py operands and arithmetic
warp.py      a warp: lanes, branches, loads and stores, exchanges
tensor.py    mbarriers, TMA, wgmma, matrices
sync.py      cp.async, mma.sync
machine.py   blocks and clusters that take turns
launch.py    a whole program of static shapes
"""
