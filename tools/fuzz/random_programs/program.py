"""A program as data: values, ops, and their text.

An op's text is a template in which {o[0]} is the name of the first operand,
{t[0]} its type and {r} the type of the result, so that operands can be replaced
without knowing the op.
"""

import dataclasses

FLOATS = ("f16", "bf16", "f32", "f64")
INTS = ("i32", "i64")
# Computed in i32.
SMALL = ("i8", "i16", "ui8")
# Only moved and cast.
STORAGE = ("f8E4M3FN", "f8E5M2")


class Value:
    """A dimension is an int, or a string: the name of a dynamic one."""

    def __init__(self, name, shape, element):
        self.name, self.shape, self.element = name, tuple(shape), element
        # Of an argument: whether it is passed by value.
        self.is_scalar = False

    @property
    def type(self):
        return tensor(self.shape, self.element)

    @property
    def rank(self):
        return len(self.shape)

    def is_static(self):
        return all(isinstance(size, int) for size in self.shape)


@dataclasses.dataclass
class Op:
    """`kind` and `facts` are for those who want to rewrite the op."""

    kind: str
    template: str
    operands: list
    result: Value
    facts: dict = dataclasses.field(default_factory=dict)

    def text(self):
        body = self.template.format(
            o=[v.name for v in self.operands],
            t=[v.type for v in self.operands],
            r=self.result.type,
            n=self.result.name,
        )
        *before, last = body.split("\n")
        lines = [*before, f"{self.result.name} = {last}"]
        return "".join(f"  {line}\n" for line in lines)


@dataclasses.dataclass
class Function:
    name: str
    arguments: list
    ops: list
    results: list

    def text(self):
        results = ", ".join(v.type for v in self.results)
        names = ", ".join(v.name for v in self.results)
        arguments = ", ".join(argument_text(v) for v in self.arguments)
        body = "".join(op.text() for op in self.ops)
        return (
            f"func.func @{self.name}({arguments}) -> ({results}) {{\n{body}"
            f"  return {names} : {results}\n}}\n"
        )

    def live(self):
        """The function without ops that no result needs."""
        needed = {id(v) for v in self.results}
        kept = []
        for op in reversed(self.ops):
            if id(op.result) in needed:
                kept.append(op)
                needed.update(id(v) for v in op.operands)
        return dataclasses.replace(self, ops=kept[::-1])


@dataclasses.dataclass
class Program:
    """The first function is the program, the others compute the same."""

    functions: list
    dims: dict
    seed: int
    fill: str
    checks: list

    def text(self):
        names = {
            size
            for value in self.functions[0].arguments
            for size in value.shape
            if isinstance(size, str)
        }
        lines = [f"// --dim {n}={s}\n" for n, s in self.dims.items() if n in names]
        lines.append(f"// --seed {self.seed}\n// --fill {self.fill}\n")
        lines.append(f"// --check {','.join(self.checks)}\n")
        return "".join(lines) + "\n".join(f.text() for f in self.functions)


def tensor(shape, element):
    dims = "".join(f"{'?' if isinstance(s, str) else s}x" for s in shape)
    return f"tensor<{dims}{element}>"


def argument_text(value):
    names = [f'"{size}"' for size in value.shape if isinstance(size, str)]
    attribute = f" {{fuse.dims = [{', '.join(names)}]}}" if names else ""
    if value.is_scalar:
        attribute = " {fuse.scalar}"
    return f"{value.name}: {value.type}{attribute}"
