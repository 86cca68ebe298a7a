"""Grows one program, value by value.

Every step picks an op whose operands can be found among the values so far, or
made by a cast or as an argument, so that the text is always valid. The same seed
always gives the same program.
"""

import math
import random

from . import (
    composites,
    contractions,
    movement,
    nested,
    order,
    pointwise,
    quantized,
    rotary,
    softmax_forms,
    streamed,
)
from .program import FLOATS, SMALL, Function, Op, Program, Value
from .rewrites import make_twin

SIZES = [0, 1, 2, 3, 4, 5, 7, 8, 16, 31, 32, 33, 64, 100, 127, 128, 129]
LONG = [255, 1023, 1024, 1025, 4096, 4097, 8193]
ELEMENTS = ["f32", "f32", "f16", "bf16", "f64", "i32", "i64", "i1"] * 3
ELEMENTS += SMALL
MOST_ELEMENTS = 40_000
# The emulator runs up to 512 threads for each row.
MOST_EMULATED, MOST_EMULATED_ROWS = 10_000, 256
FILLS = ["normal"] * 5 + ["rare", "special", "masked", "wide", "small", "small"]

# Fixed numbers below this one are programs that tests count on.
FIRST_OF_ALL_KINDS = 10_000

MAKERS = pointwise.MAKERS + composites.MAKERS + contractions.MAKERS
MAKERS += quantized.MAKERS
MAKERS += movement.MAKERS + order.MAKERS + rotary.MAKERS + streamed.MAKERS


class Generator:
    def __init__(self, seed, without=()):
        self.random = random.Random(seed)
        self.arguments, self.ops, self.values = [], [], []
        # Sizes of dynamic dimensions, derived ones included.
        self.dims = {}
        self.makers = [(w, m) for w, m in MAKERS if m.__name__ not in without]
        self.without = without
        self.emulated = self.chance(0.5)
        self.fills = FILLS

    # Chance.

    def chance(self, probability):
        return self.random.random() < probability

    def choice(self, options):
        return self.random.choice(options)

    # Sizes.

    def size(self, dim):
        return self.dims[dim] if isinstance(dim, str) else dim

    def count(self, shape):
        return math.prod(self.size(dim) for dim in shape)

    def fits(self, *shapes):
        """Whether tensors of these shapes are small enough to be checked."""
        if not self.emulated:
            return all(self.count(shape) <= MOST_ELEMENTS for shape in shapes)
        return all(
            self.count(shape) <= MOST_EMULATED
            and self.count(shape[:-1]) <= MOST_EMULATED_ROWS
            for shape in shapes
        )

    def is_named(self, dim):
        """A dimension that an argument can have: no derived one."""
        return isinstance(dim, int) or dim.isidentifier()

    def new_dim(self, size):
        name = f"d{len(self.dims)}"
        self.dims[name] = size
        return name

    def derived_dim(self, text, size):
        """A dynamic dimension that an op made; equal texts are equal sizes."""
        self.dims[text] = size
        return text

    def base_shape(self, least=0, most=5):
        ranks = [r for r in (0, 1, 1, 2, 2, 2, 3, 3, 4, 5) if least <= r <= most]
        rank = self.choice(ranks)
        sizes = SIZES[1:] if self.chance(0.97) else SIZES
        shape = [self.choice(sizes[:10] if rank > 2 else sizes) for _ in range(rank)]
        if shape and rank < 3 and self.chance(0.25):
            shape[self.random.randrange(rank)] = self.choice(LONG)
        while not self.fits(shape):
            shape[shape.index(max(shape))] = self.choice(SIZES[1:8])
        for axis in range(rank):
            if self.chance(0.2):
                size = 0 if self.chance(0.05) else shape[axis]
                shape[axis] = self.new_dim(size)
        return shape

    # Values.

    def argument(self, shape, element):
        value = Value(f"%a{len(self.arguments)}", shape, element)
        value.is_scalar = not value.shape and self.chance(0.5)
        self.arguments.append(value)
        self.values.append(value)
        return value

    def emit(self, kind, template, operands, shape, element, **facts):
        value = Value(f"%v{len(self.ops)}", shape, element)
        self.ops.append(Op(kind, template, list(operands), value, facts))
        self.values.append(value)
        return value

    def pick(self, condition=lambda value: True):
        """A value, a recent one rather than an old one; None if there is none."""
        found = [v for v in self.values if condition(v)]
        return self.choice(found[-6:]) if found else None

    def cast(self, value, element):
        if value.element == element:
            return value
        return self.emit(
            "cast", "fuse.cast {o[0]} : {t[0]} -> {r}", [value], value.shape, element
        )

    def of_elements(self, elements, condition=lambda value: True):
        """A value with one of the element types, cast if need be."""
        found = self.pick(lambda v: v.element in elements and condition(v))
        if found:
            return found
        other = self.pick(condition)
        return other and self.cast(other, self.choice(elements))

    def float_value(self, condition=lambda value: True):
        return self.of_elements(FLOATS, condition)

    def constant(self, text, shape, element):
        return self.emit(
            "constant", f"fuse.constant dense<{text}> : {{r}}", [], shape, element
        )

    def number(self, element):
        """The text of a constant."""
        if element == "i1":
            return self.choice(["true", "false"])
        if element == "ui8":
            return self.choice(["0", "1", "3", "7", "100", "255"])
        if element.startswith("i"):
            return self.choice(["0", "1", "-1", "3", "7", "-128", "100"])
        return self.choice(["0.0", "1.0", "-1.0", "0.5", "2.0", "-0.0", "3.0", "0.1"])

    def broadcast_of(self, shape):
        """A shape that broadcasts to `shape`."""
        shape = [1 if self.chance(0.25) or not self.is_named(d) else d for d in shape]
        start = self.random.randint(0, len(shape)) if self.chance(0.4) else 0
        return shape[start:]

    def partner(self, value):
        """A value that broadcasts to the shape of `value`, of its element type."""

        def fits(other):
            pairs = zip(reversed(other.shape), reversed(value.shape))
            return (
                other.element == value.element
                and other.rank <= value.rank
                and all(o == 1 or o == v for o, v in pairs)
            )

        roll = self.random.random()
        if roll < 0.2:
            shape = (
                () if self.chance(0.8) else (1,) * self.random.randint(0, value.rank)
            )
            return self.constant(self.number(value.element), shape, value.element)
        if roll < 0.4 and len(self.arguments) < 7:
            return self.argument(self.broadcast_of(value.shape), value.element)
        return self.pick(fits)

    # The program.

    def results(self):
        """Values that nobody uses, and a few others."""
        used = {id(v) for op in self.ops for v in op.operands}
        made = [op.result for op in self.ops]
        results = [v for v in made if id(v) not in used][-4:]
        if self.chance(0.15):
            results.append(self.choice(made))
        if self.chance(0.05):
            results.append(self.choice(self.arguments))
        if self.chance(0.05):
            results.append(self.choice(results))
        self.random.shuffle(results)
        return results

    def checks(self, has_twin):
        """Not every program needs every check."""
        others = ["unaligned", "unfused", "strict", "schedules"]
        checks = ["fused", *self.random.sample(others, 1 if has_twin else 2)]
        if self.emulated:
            checks = ["fused", "emulated", self.choice(others)]
            checks += self.random.choices(
                [[], ["emulated-schedules"], ["strided"]], [4, 2, 1]
            )[0]
        return sorted({*checks, *(["twins"] if has_twin else [])})

    def grow(self):
        self.argument(self.base_shape(), self.choice(ELEMENTS))
        weights = [weight for weight, _ in self.makers]
        makers = [maker for _, maker in self.makers]
        for _ in range(self.choice([1, 2, 3, 4, 5, 6, 8, 10, 14])):
            self.random.choices(makers, weights)[0](self)
        if not self.ops:
            pointwise.unary(self)

    def program(self, seed):
        if seed >= FIRST_OF_ALL_KINDS and self.chance(0.15):
            self.choice([nested, nested, softmax_forms]).grow(self)
        else:
            self.grow()
        function = Function("program", self.arguments, self.ops, self.results()).live()
        fill = self.choice(self.fills)
        twin = make_twin(self, function, fill) if self.chance(0.5) else None
        functions = [function, *([twin] if twin else [])]
        return Program(functions, self.dims, seed, fill, self.checks(bool(twin)))


def generate(seed, without=()):
    """Program number `seed`, without the ops of the makers named."""
    return Generator(seed, without).program(seed)
