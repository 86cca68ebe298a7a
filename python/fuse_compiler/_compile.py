# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiling and inspecting programs."""

import ctypes
import json
import os

from fuse_compiler._description import Inspection
from fuse_compiler._library import TARGETS, Error, Options, check, lib, take_string
from fuse_compiler._page import Page
from fuse_compiler._program import Program


def _source(text_or_path):
    """Program text and what stands for it in errors."""
    if isinstance(text_or_path, str) and (
        "\n" in text_or_path or "func.func" in text_or_path
    ):
        return text_or_path.encode(), b"<text>"
    try:
        path = os.fspath(text_or_path)
        with open(path, "rb") as file:
            return file.read(), os.fsencode(path)
    except TypeError:
        raise Error(
            f"expected the text of a program or the path of a file, but got "
            f"{type(text_or_path).__name__}; pass a str or a Path"
        ) from None
    except OSError as error:
        raise Error(
            f"expected a program at '{path}', but got: {error.strerror}; "
            "pass the path of a file or the text of a program"
        ) from None


def _options(
    entry,
    target,
    chip,
    strict,
    *,
    device=0,
    line_info=False,
    cache=True,
    launch_overlap=True,
    tuning=None,
    sizes=None,
    lengths=8,
    graph=False,
):
    if target not in TARGETS:
        raise Error(
            f"expected a target of {', '.join(TARGETS)}, but got {target!r}; choose one"
        )
    options = Options()
    lib.fuseOptionsInit(ctypes.byref(options))
    options.entry = (entry or "").encode()
    options.target = TARGETS[target]
    options.chip = (chip or "").encode()
    options.strict = strict
    options.device = device
    options.line_info = line_info
    options.cache = cache
    options.tuning_file = os.fsencode(tuning or "")
    options.launch_overlap = launch_overlap
    for name, size in (sizes or {}).items():
        if not isinstance(size, int) or size < 0:
            raise Error(
                f"expected sizes to be numbers of 0 or more, but got {size!r} for '{name}'; pass "
                'them as in {"n": 4096}'
            )
    named = [f"{name}={size}" for name, size in (sizes or {}).items()]
    options.sizes = ",".join(named).encode()
    options.lengths = lengths
    options.graphs = graph
    return options


class _Compiler:
    """A program's text with the options to compile it with."""

    def __init__(self, text_or_path, options):
        self.text, self._name = _source(text_or_path)
        self._options = options

    def _arguments(self):
        return self.text, len(self.text), self._name, ctypes.byref(self._options)

    def load(self):
        """The handle of the compiled program."""
        handle = ctypes.c_void_p()
        check(lib.fuseCompile(*self._arguments(), ctypes.byref(handle)))
        return handle.value

    def tune(self, shapes):
        """Measures for inputs of these shapes.

        The handle of the faster program, and what was measured.
        """
        flat = [size for shape in shapes for size in shape]
        dims = (ctypes.c_int64 * len(flat))(*flat)
        report = take_string(
            lambda out: lib.fuseAutotune(
                *self._arguments(), ctypes.addressof(dims), len(flat), out
            )
        )
        return self.load(), json.loads(report)


def compile(
    text_or_path,
    entry=None,
    target="auto",
    chip=None,
    strict=False,
    *,
    device=0,
    line_info=False,
    cache=True,
    launch_overlap=True,
    autotune=False,
    tuning=None,
    sizes=None,
    lengths=8,
    graph=False,
):
    """Compiles a program of the fuse dialect and loads it on a device.

    text_or_path  program text, or the path of a file
    entry         the function to compile; None means the only public one
    target        "cuda", "cpu", "emu" (the GPU's kernels on the host, checked),
                  or "auto": CUDA where there is a GPU, else the CPU
    chip          such as "sm_90a"; None means that of the device
    strict        round after every op, as the program says, instead of where a value
                  leaves its kernel
    device        number of the CUDA device
    line_info     map instructions to lines of the program, for profilers
    cache         keep compiled code on disk for the next process
    launch_overlap
                  launch each kernel while the one before it still runs, on GPUs that
                  can (from sm_90 on); it waits itself before it touches memory
    autotune      measure several schedules on the GPU, which takes seconds, and keep
                  the fastest in the tuning file: for the shapes of all inputs, as in
                  [(4096, 1024), (1024,)], or, if True, for those of the first call
    tuning        path of the tuning file; None means $FUSE_TUNING, or tuning.json in
                  the folder of the cache
    sizes         sizes of dynamic dims by name, as in {"n": 4096}: the code is for
                  these, and takes no others
    lengths       where rows have a dynamic length, so many lengths, the first that
                  occur, get code of their own, which the first call compiles, twice
                  where it moves few bytes; the others share code that is slower
    graph         record the second call with the same arrays, `out` too, as a CUDA
                  graph, which later ones run by one launch: for up to 16 sets of
                  arrays, each with temporaries of its own. Refused off a GPU

    Returns a Program. Raises Error with location, reason and remedy.
    """
    options = _options(
        entry,
        target,
        chip,
        strict,
        device=device,
        line_info=line_info,
        cache=cache,
        launch_overlap=launch_overlap,
        tuning=tuning,
        sizes=sizes,
        lengths=lengths,
        graph=graph,
    )
    compiler = _Compiler(text_or_path, options)
    program = _program(compiler, autotune)
    kind = "cuda" if program.device.startswith("cuda") else target
    kind = "cpu" if kind == "auto" else kind
    program._page = Page(compiler.text, entry, kind, program.chip, strict, sizes)
    return program


def load(path, target="auto", *, device=0, cache=True, tuning=None, graph=False):
    """Makes a program of a file that Program.save() has written.

    Code of the file is taken where this Fuse makes the same for this chip; other code is
    compiled. `target` "auto" is the target that the program had; the other arguments are
    those of compile(), and what that decides else is the file's.

    Returns a Program. Raises Error for a file that is another or damaged.
    """
    options = _options(
        None,
        target,
        None,
        False,
        device=device,
        cache=cache,
        tuning=tuning,
        graph=graph,
    )
    handle = ctypes.c_void_p()
    check(
        lib.fuseProgramLoad(
            os.fsencode(path), ctypes.byref(options), ctypes.byref(handle)
        )
    )
    return Program(handle.value)


def _program(compiler, autotune):
    if not autotune:
        return Program(compiler.load())
    if autotune is not True:
        handle, measured = compiler.tune(autotune)
        program = Program(handle)
        program.tuning = measured
        return program
    program = Program(compiler.load(), compiler.tune)
    if not program.device.startswith("cuda"):
        raise Error(
            f"expected a GPU to tune on, but got the device {program.device}; compile "
            "with tuning=FILE, which a machine with a GPU has written"
        )
    return program


def inspect(
    text_or_path,
    entry=None,
    target="cuda",
    chip="sm_90",
    strict=False,
    *,
    line_info=False,
    launch_overlap=True,
    sizes=None,
):
    """Compiles a program for a chip that need not be here, to look at its kernels.

    The arguments are those of compile(). Returns an Inspection.
    """
    text, name = _source(text_or_path)
    options = _options(
        entry,
        target,
        chip,
        strict,
        line_info=line_info,
        launch_overlap=launch_overlap,
        sizes=sizes,
    )
    report = take_string(
        lambda out: lib.fuseInspect(text, len(text), name, ctypes.byref(options), out)
    )
    description = json.loads(report)
    inspection = Inspection(description, description["ptx"])
    inspection._page = Page(text, entry, target, chip, strict, sizes)
    return inspection


def write_bundle(text_or_path, folder, chips, entry=None, strict=False, *, sizes=None):
    """Compiles a program for some chips, and writes what runs it without a compiler.

    folder  where to; it is made if need be
    chips   such as ["sm_80", "sm_90a"], or ["cpu"]

    The others are those of compile(). Returns the names of the files. Raises Error for what
    compile() refuses, and where a file cannot be written.
    """
    text, name = _source(text_or_path)
    options = _options(entry, "cuda", None, strict, sizes=sizes)
    names = ",".join(chips).encode()
    files = take_string(
        lambda out: lib.fuseWriteBundle(
            text,
            len(text),
            name,
            ctypes.byref(options),
            names,
            os.fsencode(folder),
            out,
        )
    )
    return files.splitlines()
