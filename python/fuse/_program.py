# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiling, calling and inspecting programs."""

import ctypes
import json
import os
import re
from dataclasses import dataclass, field

from fuse._arrays import CUDA, adapter_of
from fuse._library import (
    STAGES,
    TARGETS,
    DLTensor,
    Error,
    Options,
    check,
    lib,
    take_string,
)

# Sets of input layouts that one program remembers.
_MAX_SITES = 256


@dataclass(frozen=True)
class Tensor:
    """An input or output of a program."""

    name: str
    # "f32", "f16", "bf16", "f64", "f8E4M3FN", "f8E5M2", "i1" (one byte), "i8", "i32"
    # or "i64".
    dtype: str
    # Numbers, and names or expressions of dynamic dims.
    shape: tuple
    # Of outputs: the input that it is written into unless `out` says otherwise.
    in_place: str | None = None
    # Of outputs: the inputs whose buffers it may be given.
    may_alias: tuple = ()


@dataclass(frozen=True)
class Kernel:
    """One kernel of a program."""

    name: str
    ops: tuple
    # "#fuse.rows<threads = 256, ...>".
    schedule: str
    # Bytes moved: a number, or an expression over the program's dynamic dims.
    bytes_read: int | str
    bytes_written: int | str
    # Its PTX; "" on the CPU.
    ptx: str = field(repr=False)
    # "ptx": counts of loads and stores by width; "ptxas": registers, spills.
    stats: dict = field(repr=False)


class _Description:
    """What the JSON of libfuse.so says about a program."""

    def __init__(self, description, ptx):
        self.name = description["name"]
        self.ptx = ptx
        self.symbols = tuple(description["symbols"])
        self.inputs = tuple(map(_tensor, description["inputs"]))
        self.outputs = tuple(map(_tensor, description["outputs"]))
        self.kernels = tuple(_kernel(kernel, ptx) for kernel in description["kernels"])
        # Dicts as in `fuse inspect --json`: what was done, what was not, and why.
        self.remarks = tuple(description["remarks"])


class Inspection(_Description):
    """A program compiled for a chip that need not be here: what fuse.inspect() gives.

    name, symbols, inputs, outputs, kernels, remarks and ptx are those of Program.
    """


def _tensor(fields):
    return Tensor(
        fields["name"],
        fields["dtype"],
        tuple(fields["shape"]),
        fields.get("in_place"),
        tuple(fields.get("may_alias", ())),
    )


def _kernel(fields, ptx):
    return Kernel(
        fields["name"],
        tuple(fields["ops"]),
        fields["schedule"],
        fields["bytes_read"],
        fields["bytes_written"],
        _entry(ptx, fields["name"]),
        {key: fields[key] for key in ("ptx", "ptxas", "operands") if key in fields},
    )


def _entry(ptx, name):
    found = re.search(
        rf"^\.visible \.entry {re.escape(name)}\(.*?^}}$", ptx, re.MULTILINE | re.DOTALL
    )
    return found.group() if found else ""


class _Frame:
    """The structs of calls with one set of layouts. One call at a time uses it."""

    def __init__(self, layouts, num_inputs):
        self.tensors = (DLTensor * len(layouts))()
        self._arrays = []
        pointers = [ctypes.pointer(tensor) for tensor in self.tensors]
        for tensor, layout in zip(self.tensors, layouts):
            self._fill(tensor, layout)
        self._inputs = (ctypes.POINTER(DLTensor) * num_inputs)(*pointers[:num_inputs])
        outputs = pointers[num_inputs:]
        self._outputs = (ctypes.POINTER(DLTensor) * len(outputs))(*outputs)
        self.inputs = ctypes.addressof(self._inputs)
        self.outputs = ctypes.addressof(self._outputs)

    def _dims(self, values):
        array = (ctypes.c_int64 * len(values))(*values)
        self._arrays.append(array)
        return ctypes.cast(array, ctypes.POINTER(ctypes.c_int64))

    def _fill(self, tensor, layout):
        tensor.ndim = len(layout.shape)
        tensor.shape = self._dims(layout.shape)
        if layout.strides is not None:
            tensor.strides = self._dims(layout.strides)
        tensor.dtype.code, tensor.dtype.bits = layout.dtype
        tensor.dtype.lanes = 1
        tensor.device.device_type, tensor.device.device_id = layout.device


class _Site:
    """What calls with equal input layouts share: shapes of the outputs, and frames."""

    def __init__(self, layouts, shapes):
        self.layouts = layouts
        # Per output, its shape, and later a function from a shape to a new array.
        self.shapes = shapes
        self.makers = None
        # By the outputs' layouts, frames that no call uses.
        self.frames = {}


class Program(_Description):
    """A compiled program on its device; call it with arrays.

    name     of the entry function
    device   "cpu" or "cuda:0"
    chip     "cpu", or such as "sm_90"
    symbols  names of the dynamic dims
    inputs   a Tensor for each argument
    outputs  a Tensor for each result
    kernels  a Kernel for each kernel, in the order of the launches
    remarks  what was fused and what was not, and why, as dicts
    ptx      the PTX of all kernels; "" on the CPU
    tuning   what was measured for it, a dict for each kernel: its name in `kernel`,
             the schedules with their times in microseconds in `trials`, the number of
             the fastest in `best`, where trial 0 is what is chosen without measuring;
             None if nothing was measured

    May be called from several threads at a time.
    """

    def __init__(self, handle, tune=None):
        """For compile() only; takes ownership of the handle.

        `tune` makes a faster one for inputs of the shapes that it is given, and tells
        what it measured.
        """
        self._tune = tune
        self.tuning = None
        # Handles that calls of other threads may still use.
        self._retired = []
        self._sites = {}
        self._load(handle)

    def _load(self, handle):
        self._handle = handle
        text = ctypes.c_char_p()
        check(lib.fuseProgramDescribe(handle, ctypes.byref(text)))
        description = json.loads(text.value)
        super().__init__(description, self.print("ptx"))
        self.chip = description["chip"]
        self.device = description["device"]
        device = lib.fuseProgramDevice(handle)
        self._is_cuda = device.device_type == CUDA
        self._run = lib.fuseRun
        names = [tensor.name for tensor in self.inputs]
        # For each output the index of the input that it is written into.
        self._in_place = [
            names.index(output.in_place) if output.in_place else None
            for output in self.outputs
        ]

    # As a default, the function is there even when the interpreter goes down.
    def __del__(self, free=lib.fuseProgramFree):
        for handle in (self._handle, *self._retired):
            free(handle)

    def __repr__(self):
        return (
            f"<fuse.Program {self.name} on {self.device}, {len(self.kernels)} kernels>"
        )

    def print(self, stage):
        """The program at a stage, as text, for aligned arrays with rows of whole vectors.

        stage: "kernels", "schedule", "gpu", "llvm" or "ptx".
        """
        if stage not in STAGES:
            raise Error(
                f"expected a stage of {', '.join(STAGES)}, but got {stage!r}; choose one"
            )
        return take_string(
            lambda out: lib.fuseProgramPrint(self._handle, STAGES[stage], out)
        )

    def __call__(self, *arrays, out=None, stream=None):
        """Runs the program on arrays of its device.

        arrays  one for each input, with its dtype and shape; dynamic dims may have
                any size, equal names equal sizes. Anything with __dlpack__. Views
                need no copy, as long as no stride is negative.
        out     where to write: a contiguous array if there is one output, else a sequence with
                an array or None for each. Without it, outputs are new arrays of the
                framework of the first input, except those that the program wants in
                place of an input. It may be an input where `may_alias` lists that.
        stream  CUDA stream (a handle, or torch's or CuPy's object). Default: torch's
                current stream of the tensors' device; else the default stream.

        Returns the output, or a tuple of all. On CUDA the work may still be running.
        Raises Error if the arrays are not what the program takes.
        """
        described = [adapter_of(array).describe(array) for array in arrays]
        key = tuple([each[1] for each in described])
        site = self._sites.get(key) or self._new_site(key, arrays)
        if out is None:
            outs = self._outputs(site, key, arrays)
        else:
            outs = self._given(site, key, arrays, out)
        targets = [adapter_of(array).describe(array) for array in outs]
        # The layouts of new arrays follow from those of the inputs.
        out_key = None if out is None else tuple([each[1] for each in targets])
        if stream is None:
            handle = (
                adapter_of(arrays[0]).stream(key[0]) if self._is_cuda and arrays else 0
            )
        else:
            handle = _stream_handle(stream)
        self._launch(site, out_key, described, outs, targets, handle)
        return outs[0] if len(outs) == 1 else tuple(outs)

    def _launch(self, site, out_key, described, outs, targets, stream):
        # Popping is atomic, so a frame belongs to this call alone.
        try:
            frame = site.frames[out_key].pop()
        except (KeyError, IndexError):
            frame = self._new_frame(site, outs, targets)
        tensors = frame.tensors
        index = 0
        for each in described:
            tensors[index].data = each[0]
            index += 1
        for each in targets:
            tensors[index].data = each[0]
            index += 1
        status = self._run(
            self._handle,
            frame.inputs,
            len(described),
            frame.outputs,
            len(targets),
            stream,
        )
        if status:
            check(status)
        site.frames.setdefault(out_key, []).append(frame)

    def _outputs(self, site, key, arrays):
        """New arrays, or the inputs that the program writes into."""
        if site.makers is None:
            site.makers = [self._maker(key, arrays, output) for output in self.outputs]
        for source, output in zip(self._in_place, self.outputs):
            if source is not None:
                _check_writable(arrays[source], output)
        return [
            make(shape) if source is None else arrays[source]
            for make, shape, source in zip(site.makers, site.shapes, self._in_place)
        ]

    def _maker(self, key, arrays, output):
        if not arrays:
            raise Error(
                "expected out for a program without inputs, but got none; pass an array for "
                "each output"
            )
        # A bf16 output is like a bf16 input, since NumPy has two ways to hold one.
        like = 0
        for index, tensor in enumerate(self.inputs):
            if tensor.dtype == output.dtype and type(arrays[index]) is type(arrays[0]):
                like = index
                break
        return adapter_of(arrays[like]).empty(key[like], output.dtype)

    def _given(self, site, key, arrays, out):
        """The arrays of `out`, and what stands for None."""
        single = len(self.outputs) == 1 and not isinstance(out, (list, tuple))
        given = [out] if single else list(out)
        if len(given) != len(self.outputs):
            raise Error(
                f"expected {len(self.outputs)} arrays in out, but got {len(given)}; "
                f"pass one or None for each output of '{self.name}'"
            )
        for array, output in zip(given, self.outputs):
            if array is not None:
                _check_writable(array, output)
        if any(array is None for array in given):
            new = self._outputs(site, key, arrays)
            given = [
                other if array is None else array for array, other in zip(given, new)
            ]
        return given

    def _new_site(self, key, arrays):
        if len(arrays) != len(self.inputs):
            raise Error(
                f"expected {len(self.inputs)} input arrays, but got {len(arrays)}; pass one for "
                f"each input of '{self.name}'"
            )
        layouts = [
            _layout(adapter_of(array), each, tensor)
            for array, each, tensor in zip(arrays, key, self.inputs)
        ]
        tune, self._tune = self._tune, None
        if tune:
            handle, self.tuning = tune([layout.shape for layout in layouts])
            self._retired.append(self._handle)
            self._load(handle)
        shapes = self._infer_shapes(layouts)
        if len(self._sites) >= _MAX_SITES:
            self._sites.clear()
        site = self._sites[key] = _Site(layouts, shapes)
        return site

    def _infer_shapes(self, layouts):
        frame = _Frame(layouts, len(layouts))
        dims = (ctypes.c_int64 * lib.fuseProgramOutputDims(self._handle))()
        check(
            lib.fuseProgramInferShapes(
                self._handle, frame.inputs, len(layouts), ctypes.addressof(dims)
            )
        )
        shapes, start = [], 0
        for output in self.outputs:
            end = start + len(output.shape)
            shapes.append(tuple(dims[start:end]))
            start = end
        return shapes

    def _new_frame(self, site, outs, targets):
        layouts = [
            _layout(adapter_of(array), target[1], tensor)
            for array, target, tensor in zip(outs, targets, self.outputs)
        ]
        return _Frame(site.layouts + layouts, len(site.layouts))


def _layout(adapter, key, tensor):
    try:
        return adapter.layout(key, tensor.dtype)
    except Error as error:
        raise Error(f"'{tensor.name}': {error}") from None


def _check_writable(array, output):
    if not adapter_of(array).is_writable(array):
        raise Error(
            f"expected '{output.name}' to be writable, but got a read-only array; copy it"
        )


def _stream_handle(stream):
    for name in ("cuda_stream", "ptr"):
        if hasattr(stream, name):
            return getattr(stream, name)
    return int(stream)


def _source(text_or_path):
    """Program text and what stands for it in errors."""
    if isinstance(text_or_path, str) and (
        "\n" in text_or_path or "func.func" in text_or_path
    ):
        return text_or_path.encode(), b"<text>"
    path = os.fspath(text_or_path)
    try:
        with open(path, "rb") as file:
            return file.read(), os.fsencode(path)
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
    named = [f"{name}={size}" for name, size in (sizes or {}).items()]
    options.sizes = ",".join(named).encode()
    options.lengths = lengths
    return options


class _Compiler:
    """A program's text with the options to compile it with."""

    def __init__(self, text_or_path, options):
        self._text, self._name = _source(text_or_path)
        self._options = options

    def _arguments(self):
        return self._text, len(self._text), self._name, ctypes.byref(self._options)

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

    Returns a Program. Raises Error with place, reason and remedy.
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
    )
    compiler = _Compiler(text_or_path, options)
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
    return Inspection(description, description["ptx"])
