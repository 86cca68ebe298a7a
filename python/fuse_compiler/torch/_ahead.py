# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs are compiled on threads: side by side, and while torch traces and guards.

The compiler holds no lock of Python's. Who needs a program waits for it; of equal texts there is
one. What calls of the layouts that torch has promised need is compiled with it, so that the
first call only launches.
"""

import contextlib
import os
import threading
from concurrent.futures import ThreadPoolExecutor

from fuse_compiler._compile import compile as compile_program
from fuse_compiler._library import Error

# More would only hold more memory at a time.
_MOST_THREADS = 16
_lock = threading.Lock()
_programs = {}
_pool = None


def shared_program(text, device):
    """The compiled program of a text on a torch.device, one for all regions that have it."""
    return start_program(text, device).result()


def start_program(text, device, layouts=None):
    """The same as a Future, which raises Error where the text is refused.

    layouts  for each input shape and strides in its calls, where they are known
    """
    target, number = (
        ("cuda", device.index or 0) if device.type == "cuda" else ("cpu", 0)
    )
    key = text, target, number
    with _lock:
        if key not in _programs:
            _programs[key] = _threads().submit(_compiled, key, layouts)
        return _programs[key]


def _compiled(key, layouts):
    text, target, number = key
    try:
        program = compile_program(text, target=target, device=number)
    except Error:
        # Such as of a GPU that is full: the next one may try again.
        with _lock:
            _programs.pop(key, None)
        raise
    if layouts is not None:
        # What is wrong with these a call says.
        with contextlib.suppress(Error):
            program.prepare(*layouts)
    return program


def _threads():
    global _pool
    if _pool is None:
        count = min(max(os.cpu_count() or 1, 2), _MOST_THREADS)
        _pool = ThreadPoolExecutor(count, thread_name_prefix="fuse-compile")
    return _pool


def _forget_threads():
    """In a child process, which has none of its parent's threads."""
    global _lock, _pool
    _lock, _pool = threading.Lock(), None
    for key in [key for key, future in _programs.items() if not future.done()]:
        del _programs[key]


os.register_at_fork(after_in_child=_forget_threads)
