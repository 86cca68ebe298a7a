"""Random valid programs of the fuse dialect.

A program is grown value by value: every step picks an op whose operands can be
found (or made by a cast) among the values so far, so that the text is always
valid. Dimensions are drawn from a few sizes that have edges in them, and some
are dynamic. The same seed always gives the same program.

    python3 tools/dev/random_program.py --seed 7
"""

import argparse
import random

FLOATS = ["f32", "f32", "f16", "bf16", "f64"]
SIZES = [1, 2, 3, 4, 5, 7, 8, 16, 31, 32, 33, 64, 100, 128, 129, 257, 1024, 4097]
UNARY = "neg abs sign exp exp2 expm1 sqrt rsqrt recip sin cos tanh erf".split()
UNARY += "sigmoid floor ceil round log log2 log1p silu relu".split()
BINARY = "add sub mul div min max".split()
COMPARE = "eq ne lt le gt ge".split()


class Value:
    def __init__(self, name, shape, element):
        self.name, self.shape, self.element = name, tuple(shape), element

    @property
    def type(self):
        dims = "".join(
            ("?" if isinstance(d, str) else str(d)) + "x" for d in self.shape
        )
        return f"tensor<{dims}{self.element}>"


class Generator:
    """Grows one program. Dynamic dimensions are strings, static ones ints."""

    def __init__(self, seed, steps=None):
        self.random = random.Random(seed)
        self.lines, self.arguments, self.values = [], [], []
        self.dims = {}
        self.steps = steps or self.random.randint(1, 14)

    # Names and texts.

    def emit(self, text, shape, element):
        value = Value(f"%v{len(self.lines)}", shape, element)
        self.lines.append(f"  {value.name} = {text(value)}")
        self.values.append(value)
        return value

    def argument(self, shape, element):
        value = Value(f"%a{len(self.arguments)}", shape, element)
        self.arguments.append(value)
        self.values.append(value)
        return value

    def pick(self, condition):
        found = [v for v in self.values if condition(v)]
        # Recent values are likelier, so that chains grow.
        return self.random.choice(found[-6:]) if found else None

    def cast(self, value, element):
        if value.element == element:
            return value
        return self.emit(
            lambda r: f"fuse.cast {value.name} : {value.type} -> {r.type}",
            value.shape,
            element,
        )

    def float_value(self):
        value = self.pick(lambda v: v.element in ("f16", "bf16", "f32", "f64"))
        return value or self.cast(self.random.choice(self.values), "f32")

    # Shapes.

    def base_shape(self):
        rank = self.random.randint(1, 4)
        shape = [
            self.random.choice(SIZES[:12] if rank > 2 else SIZES) for _ in range(rank)
        ]
        while product(shape) > 200_000:
            shape[shape.index(max(shape))] = self.random.choice(SIZES[:8])
        for axis in range(rank):
            if self.random.random() < 0.25:
                name = f"d{len(self.dims)}"
                size = self.random.choice(SIZES[:14] + [0]) if rank < 3 else shape[axis]
                self.dims[name] = max(size, 2) if self.random.random() < 0.9 else size
                shape[axis] = name
        return shape

    def broadcast_of(self, shape):
        """A shape that broadcasts to `shape`."""
        shape = list(shape)
        for axis in range(len(shape)):
            if self.random.random() < 0.3:
                shape[axis] = 1
        return (
            shape[self.random.randint(0, len(shape)) :]
            if self.random.random() < 0.4
            else shape
        )

    def partner(self, value):
        """A value that broadcasts to the shape of `value`, of its type."""

        def fits(other):
            if other.element != value.element or len(other.shape) > len(value.shape):
                return False
            pairs = zip(reversed(other.shape), reversed(value.shape))
            return all(o == 1 or o == v for o, v in pairs)

        roll = self.random.random()
        if roll < 0.15:
            number = self.random.choice(["0.5", "2.0", "-1.0", "1.0", "0.0", "3.0"])
            if value.element.startswith("i"):
                number = number.split(".")[0]
            if value.element == "i1":
                number = "true"
            return self.emit(
                lambda r: f"fuse.constant dense<{number}> : {r.type}", (), value.element
            )
        if roll < 0.35 and len(self.arguments) < 6:
            return self.argument(self.broadcast_of(value.shape), value.element)
        return self.pick(fits)

    # Ops.

    def unary(self):
        value = self.float_value()
        op = self.random.choice(UNARY)
        self.emit(
            lambda r: f"fuse.{op} {value.name} : {value.type}",
            value.shape,
            value.element,
        )

    def binary(self):
        value = self.random.choice(self.values[-6:])
        if value.element == "i1":
            value = self.float_value()
        other = self.partner(value)
        op = self.random.choice(BINARY)
        if self.random.random() < 0.5 and op in ("add", "mul"):
            types = f"{other.type}, {value.type} -> "
            names = f"{other.name}, {value.name}"
        else:
            types = f"{value.type}, {other.type} -> "
            names = f"{value.name}, {other.name}"
        self.emit(
            lambda r: f"fuse.{op} {names} : {types}{r.type}", value.shape, value.element
        )

    def compare(self):
        value = self.float_value()
        other = self.partner(value)
        predicate = self.random.choice(COMPARE)
        flag = self.emit(
            lambda r: f"fuse.compare {predicate} {value.name}, {other.name} : "
            f"{value.type}, {other.type} -> {r.type}",
            value.shape,
            "i1",
        )
        self.emit(
            lambda r: f"fuse.select {flag.name}, {value.name}, {other.name} : "
            f"{flag.type}, {value.type}, {other.type} -> {r.type}",
            value.shape,
            value.element,
        )

    def reduce(self):
        value = self.float_value()
        if not value.shape:
            return
        rank = len(value.shape)
        if self.random.random() < 0.6:
            dims = list(range(rank - self.random.randint(1, min(2, rank)), rank))
        else:
            count = self.random.randint(1, rank)
            dims = sorted(self.random.sample(range(rank), count))
        keep = self.random.random() < 0.7
        kind = self.random.choice(["sum", "max", "min", "mean", "mean", "sum", "prod"])
        shape = []
        for axis, size in enumerate(value.shape):
            if axis not in dims:
                shape.append(size)
            elif keep:
                shape.append(1)
        self.emit(
            lambda r: f"fuse.reduce {kind} {value.name} dims = {dims}"
            f"{' keep' if keep else ''} : {value.type} -> {r.type}",
            shape,
            value.element,
        )

    def composite(self):
        value = self.float_value()
        if not value.shape:
            return
        last = value.shape[-1]
        kind = self.random.choice(
            ["softmax", "log_softmax", "rms_norm", "layer_norm", "gelu"]
        )
        if kind == "gelu":
            form = self.random.choice(["tanh", "erf", "sigmoid"])
            text = f"fuse.gelu {form} {value.name} : {value.type}"
        elif kind.endswith("softmax"):
            axis = len(value.shape) - 1
            if self.random.random() < 0.2:
                axis = self.random.randrange(len(value.shape))
            text = f"fuse.{kind} {value.name} dims = [{axis}] : {value.type}"
        else:
            operands, types = value.name, value.type
            if not isinstance(last, str) and self.random.random() < 0.7:
                weight = self.argument([last], value.element)
                operands, types = (
                    f"{operands}, {weight.name}",
                    f"{types}, {weight.type}",
                )
            text = f"fuse.{kind} {operands} eps = 1.0e-5 : {types}"
        self.emit(lambda r: text, value.shape, value.element)

    def rotary(self):
        def fits(v):
            return (
                len(v.shape) >= 3
                and v.element in ("f16", "bf16", "f32", "f64")
                and isinstance(v.shape[-1], int)
                and v.shape[-1] % 2 == 0
            )

        value = self.pick(fits)
        if not value:
            shape = self.base_shape()[:1] + [self.random.choice([1, 2, 5])]
            shape += [self.random.choice([2, 4, 6, 12, 16, 64, 128])]
            value = self.argument(shape, self.random.choice(FLOATS))
        head = value.shape[-1]
        rotated = self.random.choice(
            [head, head, self.random.randint(1, head // 2) * 2]
        )
        layout = self.random.choice(["interleaved", "half"])
        order = self.random.choice(["tokens_heads", "heads_tokens"])
        rank = len(value.shape)
        tokens = value.shape[rank - 3 if order == "tokens_heads" else rank - 2]
        text = f"fuse.rotary {layout} {order} {value.name}"
        types = value.type
        if self.random.random() < 0.5:
            cos = self.argument([tokens, rotated // 2], "f32")
            sin = self.argument([tokens, rotated // 2], "f32")
            text += f" tables({cos.name}, {sin.name})"
            types += f", {cos.type}"
        else:
            text += " base = 1.0e4"
        if rotated != head:
            text += f" dims = {rotated}"
        if self.random.random() < 0.2:
            text += " inverse"
        self.emit(lambda r: f"{text} : {types}", value.shape, value.element)

    def matmul(self):
        value = self.pick(
            lambda v: len(v.shape) >= 2 and v.element in ("f32", "f16", "bf16")
        )
        if not value:
            return
        k, n = value.shape[-1], self.random.choice(SIZES[:12])
        transposed = self.random.random() < 0.5
        weight = self.argument([n, k] if transposed else [k, n], value.element)
        self.emit(
            lambda r: f"fuse.matmul {value.name}, {weight.name}"
            f"{' transpose_rhs' if transposed else ''} : {value.type}, {weight.type} -> {r.type}",
            list(value.shape[:-1]) + [n],
            value.element,
        )

    def casting(self):
        value = self.random.choice(self.values[-6:])
        self.cast(value, self.random.choice(FLOATS + ["i32", "i64"]))

    def iota(self):
        value = self.float_value()
        if not value.shape:
            return
        axis = self.random.randrange(len(value.shape))
        end = " from_end" if self.random.random() < 0.3 else ""
        element = self.random.choice(["i32", "f32", "i64"])
        self.emit(
            lambda r: f"fuse.iota dim = {axis}{end} like {value.name} : {value.type} -> {r.type}",
            value.shape,
            element,
        )

    def program(self):
        self.argument(self.base_shape(), self.random.choice(FLOATS))
        makers = [self.unary] * 5 + [self.binary] * 7 + [self.reduce] * 3
        makers += [self.composite] * 2 + [self.compare, self.casting, self.rotary]
        makers += [self.matmul, self.iota]
        for _ in range(self.steps):
            self.random.choice(makers)()
        if not self.lines:
            self.unary()
        used = "\n".join(self.lines)
        made = [v for v in self.values if v.name.startswith("%v")]
        results = [
            v for v in made if used.count(v.name + " ") + used.count(v.name + ",") == 1
        ]
        results = results[-4:] or made[-1:]
        names = ", ".join(v.name for v in results)
        types = ", ".join(v.type for v in results)
        arguments = []
        for value in self.arguments:
            dims = [d for d in value.shape if isinstance(d, str)]
            quoted = ", ".join(f'"{d}"' for d in dims)
            attribute = f" {{fuse.dims = [{quoted}]}}" if dims else ""
            arguments.append(f"{value.name}: {value.type}{attribute}")
        body = used + f"\n  return {names} : {types}"
        return (
            f"func.func @program({', '.join(arguments)}) -> ({types}) {{\n{body}\n}}\n"
        )


def product(shape):
    result = 1
    for size in shape:
        result *= size
    return result


def generate(seed, steps=None):
    """The text of program `seed`, and the sizes of its dynamic dimensions."""
    generator = Generator(seed, steps)
    text = generator.program()
    return text, {
        name: size for name, size in generator.dims.items() if f'"{name}"' in text
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    text, dims = generate(options.seed)
    for name, size in dims.items():
        print(f"// --dim {name}={size}")
    print(text, end="")


if __name__ == "__main__":
    main()
