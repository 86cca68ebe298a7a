# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A region: its program's text, and the function that runs it.

Sizes are known by name: a dynamic dim has the name of its symbol in torch's graph, and
one program serves all sizes. A dim that is a product of symbols is split before the
call, which is a view, so that the program knows its factors.
"""

import warnings

import torch
from torch._subclasses.fake_tensor import unset_fake_temporarily

from fuse_compiler import lang
from fuse_compiler._library import Error
from fuse_compiler.torch._ahead import start_program
from fuse_compiler.torch._convert import convert, first_value, number_of
from fuse_compiler.torch._layout import input_order, output_order
from fuse_compiler.lang._sizes import Sizes
from fuse_compiler.torch._symbols import DTYPES, split_product, to_shape


class Region(torch.nn.Module):
    """Runs a region's program on tensors.

    Called with what the subgraph takes: tensors and numbers. Returns a tensor, or a
    tuple, as the subgraph does, with the strides that its nodes have.

    waits       whether calls wait for the program, or run the nodes until it is compiled
    text        of the program
    pending     a Future of the program
    program     the compiled Program
    failure     why its nodes run eagerly all the same, or None
    on_failure  what is called with the reason when that is found
    """

    def __init__(self, graph_module, waits=True):
        super().__init__()
        self._eager, self.failure, self.on_failure = graph_module, None, None
        self._waits = waits
        writer = ProgramWriter(graph_module)
        self.text, self._returns_tuple = writer.text, writer.returns_tuple
        self._prepare, self._orders = writer.prepare, writer.orders
        self._sizes, self._numbers = writer.sizes, writer.numbers
        self._device = writer.device
        self.pending = start_program(self.text, self._device, writer.layouts())
        self._program = None
        self._one = _unread(self._device) if self._sizes else None
        # Whether what the program returns is what the subgraph does.
        is_tuple = len(self._orders) > 1
        self._gives_as_is = not any(self._orders) and is_tuple == self._returns_tuple
        # Whether the arguments are the program's inputs as they are.
        self._is_direct = not (self._sizes or self._numbers) and [
            p.index if p.is_nothing else None for p in self._prepare
        ] == list(range(writer.num_arguments))

    @property
    def program(self):
        if self._program is None:
            self._program = self.pending.result()
        return self._program

    def settle(self):
        """Waits for the program; None, with the reason in `failure`, if it is refused."""
        try:
            return self.program
        except Error as error:
            self.failure = str(error)
            return None

    def forward(self, *arguments):
        if self.failure is None and (self._program is not None or self._is_ready()):
            try:
                return self._run(arguments)
            except Error as error:
                self._fail(str(error))
        return self._eager(*arguments)

    def _is_ready(self):
        return (self._waits or self.pending.done()) and self.settle()

    # Nobody hooks into a region, and what nn.Module does for hooks takes two microseconds.
    __call__ = forward

    def _fail(self, message):
        """From now on the nodes run one by one: what they compute is the same."""
        self.failure = message
        warnings.warn(
            f"a region of torch.compile runs eagerly, since its program was refused: {message}",
            stacklevel=2,
        )
        if self.on_failure:
            self.on_failure(message)

    def _run(self, arguments):
        if self._is_direct:
            results = self._program(*arguments)
        else:
            tensors = [prepare(arguments) for prepare in self._prepare]
            for size in self._sizes:
                tensors.append(self._of_size(size(arguments)))
            tensors += [number(arguments) for number in self._numbers]
            results = self._program(*tensors)
        if self._gives_as_is:
            return results
        if not isinstance(results, tuple):
            results = (results,)
        results = tuple(
            r if order is None else r.permute(order)
            for r, order in zip(results, self._orders)
        )
        return results if self._returns_tuple else results[0]

    def _of_size(self, size):
        """A tensor of so many elements that nobody reads."""
        return self._one.expand(size)


def _unread(device):
    """One element. Made now, since in a CUDA graph's memory nothing may outlive the call."""
    with unset_fake_temporarily():
        return torch.zeros(1, dtype=torch.bool, device=device)


class ProgramWriter:
    """Writes the program of a subgraph, and says how it is called.

    text     of the program; no name of the graph enters it, so that layers that are alike
             share one
    prepare  for each input a _Preparation
    sizes    for each input after them, which carries a size only, a function of the
             arguments to it
    numbers  the same for each that is passed as a number after those
    num_arguments  that the subgraph takes
    outputs  the nodes that the subgraph returns
    orders   for each, how the dims of the program's output are permuted, or None
    """

    def __init__(self, graph_module):
        self.builder = lang.Builder("region")
        self.prepare, self.orders, self._values = [], [], {}
        self._layouts = []
        nodes = list(graph_module.graph.nodes)
        self._placeholders = [n for n in nodes if n.op == "placeholder"]
        self.num_arguments = len(self._placeholders)
        self._known = Sizes()
        self._learn_sizes()
        self._order = _order_of_symbols(nodes)
        for index, node in enumerate(self._placeholders):
            self._values[node] = self._take(index, node, node.meta["val"])
        for node in nodes:
            if node.op == "call_function":
                self._values[node] = convert(self.builder, node, self._values)
        (output,) = [n for n in nodes if n.op == "output"]
        returned = output.args[0]
        self.returns_tuple = isinstance(returned, (tuple, list))
        returned = returned if self.returns_tuple else (returned,)
        self.outputs = returned
        self.device = first_value(returned[0]).device
        for node in returned:
            self._give(node)
        if not self.prepare and not self.builder.sizes:
            # Outputs are made like an input, so there must be one.
            self.builder.size(1)
        self.sizes = [self._resolve(a.shape[0]) for a in self.builder.sizes.values()]
        self.numbers = [self._resolve(d) for d in self.builder.numbers]
        self.text = self.builder.text()

    def layouts(self):
        """For each input a pair of shape and strides in all calls; None if they vary."""
        layouts = [*self._layouts, *(((1,), (1,)) for _ in self.sizes)]
        layouts += [None for _ in self.numbers]
        is_static = all(
            isinstance(size, int) for pair in layouts if pair for size in sum(pair, ())
        )
        return layouts if is_static else None

    def _learn_sizes(self):
        for index, node in enumerate(self._placeholders):
            value = node.meta["val"]
            if isinstance(value, torch.Tensor):
                self._known.add_tensor(index, to_shape(value.shape))
            elif isinstance(value, torch.SymInt):
                self._known.add_number(index, number_of(value))

    def _resolve(self, dim):
        found = self._known.resolver(dim)
        if found is None:
            raise lang.Unsupported(
                f"the size {dim} is not known where the region begins"
            )
        return found

    def _take(self, index, node, value):
        """The value of a placeholder; a tensor becomes an input of the program."""
        if not isinstance(value, torch.Tensor):
            if isinstance(value, (tuple, list)):
                raise lang.Unsupported("a tuple that another node makes")
            return number_of(value)
        # As it lies in memory, so that a transposition of it costs nothing.
        order = input_order(value)
        logical = to_shape(value.shape)
        shape = tuple(logical[axis] for axis in order)
        split = self._split(shape)
        strides = tuple(value.stride(axis) for axis in order)
        self._layouts.append((tuple(value.shape[axis] for axis in order), strides))
        array = self.builder.input(f"a{index}", sum(split, []), DTYPES[value.dtype])
        sizes = None
        if len(array.shape) != len(shape):
            sizes = [self._resolver_or_rest(d) for part in split for d in part]
        self.prepare.append(_Preparation(index, order, sizes))
        array = lang.reshape(array, shape)
        return lang.transpose(array, [order.index(axis) for axis in range(len(order))])

    def _split(self, shape):
        """For each dim the dims that it is taken as."""
        result = []
        for dim in shape:
            factors = split_product(dim, self._order, self._known.known)
            known = factors and all(self._known.resolver(f) for f in factors)
            result.append(factors if known else [dim])
        return result

    def _resolver_or_rest(self, dim):
        return self._known.resolver(dim) or (lambda arguments: -1)

    def _give(self, node):
        array, value = self._values[node], first_value(node)
        order = output_order(value)
        if order == tuple(range(len(order))):
            self.orders.append(None)
        else:
            array = lang.transpose(array, order)
            self.orders.append([order.index(axis) for axis in range(len(order))])
        self.builder.output(array)


class _Preparation:
    """How an argument becomes an input of the program: by views of it.

    index       of the argument
    order       of its dims, or None
    is_split    whether a dim is taken as several
    is_nothing  whether it is passed as it is
    """

    def __init__(self, index, order, sizes):
        self.index, self._sizes, self.is_split = index, sizes, sizes is not None
        self.order = None if order == tuple(range(len(order))) else order
        self.is_nothing = self.order is None and sizes is None

    def __call__(self, arguments):
        tensor = arguments[self.index]
        if self.order is not None:
            tensor = tensor.permute(self.order)
        if self._sizes is not None:
            tensor = tensor.view([size(arguments) for size in self._sizes])
        return tensor


def _order_of_symbols(nodes):
    """Each symbol's number in the order in which shapes name them.

    [batch, tokens, ..] tells that a product of both is to be split in this order.
    """
    order = {}
    for node in nodes:
        value = node.meta.get("val")
        if isinstance(value, torch.Tensor):
            for dim in to_shape(value.shape):
                names = [] if isinstance(dim, int) else dim.factors or []
                if len(names) == 1:
                    order.setdefault(names[0], len(order))
    return order
