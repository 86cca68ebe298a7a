# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled programs, and calling them."""

import ctypes
import json
import numbers
import os

from fuse_compiler._adapter import CPU, CUDA, DTYPES, Layout
from fuse_compiler._arrays import adapters
from fuse_compiler._description import Description
from fuse_compiler._frames import Frame, Site
from fuse_compiler._library import STAGES, Error, check, lib, native, take_string
from fuse_compiler._numbers import HostNumber, number_code

# Sets of input layouts that one program remembers.
_MAX_SITES = 256


class Program(Description):
    """A compiled program on its device; call it with arrays.

    name     of the entry function
    device   "cpu" or "cuda:0"
    chip     "cpu", or such as "sm_90"
    symbols  names of the dynamic dims
    inputs   a Tensor for each argument
    outputs  a Tensor for each result
    kernels  a Kernel for each kernel, in the order of the launches
    remarks  what was fused and what was not, and why, as dicts; and, once calls have
             copied views, what they copied ("category": "fuse-copy")
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
        self._place = (device.device_type, device.device_id)
        self._run = lib.fuseRun
        self._scalars = [i for i, each in enumerate(self.inputs) if each.is_scalar]
        names = [tensor.name for tensor in self.inputs]
        # For each output the index of the input that it is written into.
        self._in_place = [
            names.index(output.in_place) if output.in_place else None
            for output in self.outputs
        ]
        self._writes_inputs = any(output.in_place for output in self.outputs)
        # Calls of layouts that are known, without ctypes; see python/native.
        is_apart = bool(native) and not self._writes_inputs
        codes = bytes(number_code(each) for each in self.inputs)
        self._caller = native.Caller(self._is_cuda, codes) if is_apart else None

    @property
    def remarks(self):
        """What was fused and what was not, and why; and what calls have copied."""
        text = take_string(lambda out: lib.fuseProgramRemarks(self._handle, out))
        return tuple(json.loads(text))

    def __reduce_ex__(self, protocol):
        raise Error(
            "expected a program to be used where it was compiled, but got a request to copy or "
            "pickle it; share the program itself, or its text and compile that again"
        )

    # As a default, the function is there even when the interpreter goes down.
    def __del__(self, free=lib.fuseProgramFree):
        # Its calls go before the programs.
        self._caller = None
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

    def save(self, path):
        """Writes the text, the options and all code compiled so far, for fuse.load().

        Raises Error where the file cannot be written.
        """
        check(lib.fuseProgramSave(self._handle, os.fsencode(path)))

    def __call__(self, *arrays, out=None, stream=None, **named):
        """Runs the program on arrays of its device.

        arrays  one for each input, with its dtype and shape; dynamic dims may have
                any size, equal names equal sizes. Anything with __dlpack__. Views
                need no copy, as long as no stride is negative. Inputs with fuse.scalar
                take Python numbers, too. Those behind may be passed by name
        out     where to write: an array or a view if there is one output, else a sequence with
                one or None for each. Without it, outputs are new arrays of the
                framework of the first input, except those that the program writes over
                an input. It may be an input where `may_alias` lists that.
        stream  CUDA stream (a handle, or torch's or CuPy's object). Default: torch's
                current stream of the tensors' device; else the default stream.

        Returns the output, or a tuple of all. On CUDA the work may still be running.
        Raises Error if the arrays are not what the program takes, or those that it is
        to write to must not change.
        """
        if named:
            arrays = self._with_named(arrays, named)
        if self._caller:
            handle = None if stream is None else _stream_handle(stream)
            result = self._caller.run(arrays, out, handle)
            if result is not None:
                return result
        return self._call(arrays, out, stream)

    # torch.compile calls it as it is, and does not look into it.
    __call__._torchdynamo_disable = True

    def _call(self, arrays, out, stream):
        """A call with any arrays, through ctypes."""
        given = arrays
        if self._scalars and len(arrays) == len(self.inputs):
            arrays = self._with_numbers(arrays)
        try:
            described = [adapters[type(array)].describe(array) for array in arrays]
        except Error:
            raise self._input_error(arrays) from None
        key = tuple([each[1] for each in described])
        site = self._sites.get(key) or self._new_site(key, arrays)
        # The layouts of new arrays follow from those of the inputs.
        out_key = None
        if out is None and not self._writes_inputs:
            makers = site.makers or self._makers(site, key, arrays)
            outs = [make(shape) for make, shape in zip(makers, site.shapes)]
            addresses = [adapters[type(array)].address(array) for array in outs]
            written = ()
        else:
            outs, targets, written = self._targets(site, key, arrays, out)
            addresses = [each[0] for each in targets]
            if out is not None:
                out_key = tuple([each[1] for each in targets])
        if stream is None:
            handle = (
                adapters[type(arrays[first])].stream(key[first])
                if self._is_cuda and (first := self._first_tensor()) is not None
                else 0
            )
        else:
            handle = _stream_handle(stream)
            for array in arrays:
                adapters[type(array)].check_stream(array)
        self._launch(site, out_key, described, outs, addresses, handle)
        for wrote, array in written:
            wrote(array)
        if self._caller and (out is None or _all_given(self._given(out))):
            calls = site.calls[out_key] = site.calls.get(out_key, 0) + 1
            # It declines while somebody watches torch's calls, as at the first call of what
            # torch.compile has made, and is asked again later.
            if calls & (calls - 1) == 0:
                written_to = () if out is None else zip(outs, targets)
                self._offer(site, key, described, arrays, given, tuple(written_to))
        return outs[0] if len(outs) == 1 else tuple(outs)

    def _with_numbers(self, arrays):
        """The arrays, with Python's numbers as memory of the host."""
        return tuple(
            HostNumber.of(array, self.inputs[i])
            if i in self._scalars and isinstance(array, numbers.Real)
            else array
            for i, array in enumerate(arrays)
        )

    def _first_tensor(self):
        """The number of the first input that lies on the device; None if there is none."""
        indices = range(len(self.inputs))
        return next((i for i in indices if i not in self._scalars), None)

    def _offer(self, site, key, described, arrays, given, targets):
        """Lets the extension make the calls with this layout from now on.

        given: the arrays, and numbers as they were passed.
        targets: the outputs and what describes them, where they were passed, too.
        """
        outs = tuple([array for array, _ in targets])
        if any(each[2] is not array for each, array in zip(described, arrays)):
            # Copied first: another array of this layout may not be.
            return
        recipes = [
            adapters[type(arrays[like])].recipe(key[like], output.dtype, shape)
            for output, shape in zip(() if outs else self.outputs, site.shapes)
            for like in [self._like(arrays, output)]
        ]
        if None in recipes:
            return
        layouts = [
            _layout(adapters[type(array)], each[1], tensor)
            for (array, each), tensor in zip(targets, self.outputs)
        ]
        addresses = [each[0] for each in (*described, *[each for _, each in targets])]
        call = self._prepared(site.layouts, addresses, layouts)
        if not self._caller.add(given, outs, call, tuple(recipes)):
            lib.fuseCallFree(call)

    def _prepared(self, layouts, addresses, written=()):
        """The handle of a call at these layouts, which writes to those of `written`."""
        count = len(layouts)
        frame, call = Frame([*layouts, *written], count), ctypes.c_void_p()
        for tensor, address in zip(frame.tensors, addresses):
            tensor.data = address
        if written:
            status = lib.fusePrepareOutputs(
                self._handle,
                frame.inputs,
                count,
                frame.outputs,
                len(written),
                ctypes.byref(call),
            )
        else:
            status = lib.fusePrepare(
                self._handle, frame.inputs, count, ctypes.byref(call)
            )
        check(status)
        return call.value

    def prepare(self, *inputs, **named):
        """Compiles now what calls with such inputs need, so that they only launch.

        inputs  one for each input: an array, whose layout counts, or a shape, which
                stands for a contiguous array that is aligned to 16 bytes, or a pair of
                shape and strides; anything for a number that is passed by value.
                As in calls, by name, too

        A CUDA graph can be captured then without a call before it. Raises Error like a call.
        """
        if named:
            inputs = self._with_named(inputs, named)
        if len(inputs) != len(self.inputs):
            raise self._count_error(inputs)
        layouts = []
        for given, tensor in zip(inputs, self.inputs):
            if tensor.is_scalar:
                layouts.append(Layout((), DTYPES[tensor.dtype], (CPU, 0)))
            elif isinstance(given, (tuple, list)):
                layouts.append(self._layout_of(given, tensor))
            else:
                adapter = adapters[type(given)]
                layouts.append(_layout(adapter, adapter.describe(given)[1], tensor))
        self._tune_for(layouts)
        lib.fuseCallFree(self._prepared(layouts, [None] * len(layouts)))

    def _layout_of(self, given, tensor):
        """The layout that a shape stands for, or a pair of shape and strides."""
        is_pair = any(isinstance(each, (tuple, list)) for each in given)
        shape, strides = given if is_pair else (given, None)
        if strides is not None:
            strides = tuple(int(stride) for stride in strides)
        shape = tuple(int(size) for size in shape)
        return Layout(shape, DTYPES[tensor.dtype], self._place, strides)

    def _input_error(self, arrays):
        """The error that one of the inputs causes, with its name."""
        if len(arrays) != len(self.inputs):
            return self._count_error(arrays)
        for array, tensor in zip(arrays, self.inputs):
            try:
                adapters[type(array)].describe(array)
            except Error as error:
                return _about(tensor.name, error)
        return Error("expected arrays that nobody changes, but got others; call again")

    def _with_named(self, arrays, named):
        """All inputs in their order."""
        rest = self.inputs[len(arrays) :]
        missing = [each.name for each in rest if each.name not in named]
        known = {each.name for each in rest}
        unknown = [name for name in named if name not in known]
        if not missing and not unknown:
            return (*arrays, *[named[each.name] for each in rest])
        taken = {each.name for each in self.inputs[: len(arrays)]}
        if unknown and unknown[0] in taken:
            got, remedy = f"'{unknown[0]}' twice", "pass it once"
        elif unknown:
            got, remedy = f"'{unknown[0]}'", "pass each input by its name"
        else:
            got, remedy = f"no '{missing[0]}'", "pass it, too"
        names = ", ".join(each.name for each in self.inputs)
        raise Error(
            f"expected the inputs {names} of '{self.name}', but got {got}; {remedy}"
        )

    def _count_error(self, arrays):
        return Error(
            f"expected {len(self.inputs)} input arrays, but got {len(arrays)}; pass one for "
            f"each input of '{self.name}'"
        )

    def _launch(self, site, out_key, described, outs, addresses, stream):
        # Popping is atomic, so a frame belongs to this call alone.
        try:
            frame = site.frames[out_key].pop()
        except (KeyError, IndexError):
            frame = self._new_frame(site, outs)
        tensors = frame.tensors
        index = 0
        for each in described:
            tensors[index].data = each[0]
            index += 1
        for address in addresses:
            tensors[index].data = address
            index += 1
        status = self._run(
            self._handle,
            frame.inputs,
            len(described),
            frame.outputs,
            len(addresses),
            stream,
        )
        if status:
            check(status)
        site.frames.setdefault(out_key, []).append(frame)

    def _targets(self, site, key, arrays, out):
        """The outputs and their descriptions; and whom to tell of which one's writing."""
        given = self._in_place_inputs(arrays) if out is None else self._given(out)
        outs, targets, written = [], [], []
        for index, array in enumerate(given):
            if array is None:
                array = self._in_place_inputs(arrays)[index]
            if array is None:
                makers = site.makers or self._makers(site, key, arrays)
                array = makers[index](site.shapes[index])
                targets.append(adapters[type(array)].describe(array))
            else:
                name = self.outputs[index].name
                try:
                    adapter = adapters[type(array)]
                    targets.append(adapter.describe_out(array, name))
                except Error as error:
                    raise _about(name, error) from None
                if adapter.wrote:
                    written.append((adapter.wrote, array))
            outs.append(array)
        return outs, targets, written

    def _in_place_inputs(self, arrays):
        """For each output the input that it is written into, or None."""
        return [None if i is None else arrays[i] for i in self._in_place]

    def _makers(self, site, key, arrays):
        site.makers = [self._maker(key, arrays, output) for output in self.outputs]
        return site.makers

    def _maker(self, key, arrays, output):
        if not arrays:
            raise Error(
                "expected out for a program without inputs, but got none; pass an array for "
                "each output"
            )
        like = self._like(arrays, output)
        return adapters[type(arrays[like])].empty(key[like], output.dtype)

    def _like(self, arrays, output):
        """The number of the input that an output is made like."""
        # A bf16 output is like a bf16 input, since NumPy has two ways to hold one.
        first = self._first_tensor()
        if first is None:
            raise Error(
                "expected out for a program of numbers only, but got none; pass an array for "
                "each output"
            )
        for index, tensor in enumerate(self.inputs):
            is_like = type(arrays[index]) is type(arrays[first])
            if tensor.dtype == output.dtype and is_like and not tensor.is_scalar:
                return index
        return first

    def _given(self, out):
        """An array or None for each output."""
        if len(self.outputs) == 1 and not isinstance(out, (list, tuple)):
            return [out]
        try:
            given = list(out)
        except TypeError:
            given = [out]
        if len(given) != len(self.outputs):
            raise Error(
                f"expected {len(self.outputs)} arrays in out, but got {len(given)}; "
                f"pass one or None for each output of '{self.name}'"
            )
        return given

    def _new_site(self, key, arrays):
        if len(arrays) != len(self.inputs):
            raise self._count_error(arrays)
        layouts = [
            _layout(adapters[type(array)], each, tensor)
            for array, each, tensor in zip(arrays, key, self.inputs)
        ]
        self._tune_for(layouts)
        shapes = self._infer_shapes(layouts)
        if len(self._sites) >= _MAX_SITES:
            self._sites.clear()
        site = self._sites[key] = Site(layouts, shapes)
        return site

    def _tune_for(self, layouts):
        tune, self._tune = self._tune, None
        if tune:
            handle, self.tuning = tune([layout.shape for layout in layouts])
            self._retired.append(self._handle)
            self._load(handle)

    def _infer_shapes(self, layouts):
        frame = Frame(layouts, len(layouts))
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

    def _new_frame(self, site, outs):
        layouts = [
            _layout(
                adapters[type(array)], adapters[type(array)].describe(array)[1], tensor
            )
            for array, tensor in zip(outs, self.outputs)
        ]
        return Frame(site.layouts + layouts, len(site.layouts))


def _layout(adapter, key, tensor):
    try:
        return adapter.layout(key, tensor.dtype)
    except Error as error:
        raise _about(tensor.name, error) from None


def _about(name, error):
    """The error with the array's name, unless it has it."""
    quoted = f"'{name}'"
    return error if quoted in str(error) else Error(f"{quoted}: {error}")


def _all_given(outs):
    return all(array is not None for array in outs)


def _stream_handle(stream):
    for name in ("cuda_stream", "ptr"):
        if hasattr(stream, name):
            return getattr(stream, name)
    try:
        return int(stream)
    except (TypeError, ValueError):
        raise Error(
            f"expected a CUDA stream, but got {type(stream).__name__}; pass its handle, or an "
            "object of torch or CuPy"
        ) from None
