# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX as instructions."""

import re
from dataclasses import dataclass, field


class PtxError(Exception):
    """What this simulator does not know, or what a kernel must not do."""


@dataclass
class Instruction:
    """`@!%p1 ld.shared.v2.b32 {%r1, %r2}, [%rd3+8];`: operands are strings, and lists
    of them where the text has braces."""

    opcode: str
    operands: list
    guard: str | None = None
    is_negated: bool = False
    line: int = 0

    @property
    def parts(self):
        return self.opcode.split(".")

    def __str__(self):
        return f"line {self.line}: {self.opcode} {self.operands}"


@dataclass
class Variable:
    """A name of memory: bytes, their alignment, and the content of a constant."""

    name: str
    size: int
    alignment: int
    content: bytes | None = None


@dataclass
class Kernel:
    name: str
    #: (name, bytes), in order.
    parameters: list
    instructions: list = field(default_factory=list)
    #: Name to number of an instruction.
    labels: dict = field(default_factory=dict)
    #: By register, or prefix of a numbered one, the type.
    registers: dict = field(default_factory=dict)
    shared: list = field(default_factory=list)


_VARIABLE = re.compile(
    r"(?:\.visible\s+|\.extern\s+)*\.(shared|global|const)\s+\.align\s+(\d+)\s+\.([a-z]\d+)"
    r"\s+([\w$]+)((?:\[\d*\])*)(?:\s*=\s*\{?([^}]*)\}?)?$"
)


def type_bytes(name):
    return int(re.search(r"\d+", name).group()) // 8


def _variable(statement):
    match = _VARIABLE.match(statement)
    if not match:
        raise PtxError(f"expected a variable, but got '{statement[:80]}'")
    space, alignment, kind, name, dims, values = match.groups()
    count = 1
    for dim in re.findall(r"\[(\d*)\]", dims):
        count *= int(dim or 0)
    size = count * type_bytes(kind)
    content = None
    if values is not None:
        numbers = [int(value, 0) for value in values.split(",")]
        width = type_bytes(kind)
        raw = b"".join(
            (n % (1 << 8 * width)).to_bytes(width, "little") for n in numbers
        )
        content = raw.ljust(size, b"\0")
    return space, Variable(name, size, int(alignment), content)


def _split(text):
    """Operands, at the commas that no bracket encloses."""
    operands, depth, start = [], 0, 0
    for i, character in enumerate(text + ","):
        depth += character in "{[("
        depth -= character in "}])"
        if character == "," and depth == 0:
            operands.append(text[start:i].strip())
            start = i + 1
    return [x for x in operands if x]


def _operand(text):
    return _split(text[1:-1]) if text.startswith("{") else text


def _statements(body):
    """(line, text) of statements, labels, and braces that open or close a scope."""
    start, line, depth = 0, 0, 0
    first = None
    for i, character in enumerate(body):
        text = body[start:i].strip()
        if first is None and not character.isspace():
            first = line
        line += character == "\n"
        if character in "{}" and not text and depth == 0:
            yield first, character
        elif character == "{":
            depth += 1
            continue
        elif character == "}":
            depth -= 1
            continue
        elif character == ";" and depth == 0:
            yield first, text
        elif character == ":" and re.fullmatch(r"[$\w]+", text) and body[i + 1] != ":":
            yield first, text + ":"
        else:
            continue
        start, first = i + 1, None


def _read_body(kernel, body, first_line):
    scopes = []
    count = 0

    def rename(text):
        """Registers of an inner scope are others than those outside."""
        for names in reversed(scopes):
            text = re.sub(r"[%\w$]+", lambda m: names.get(m.group(), m.group()), text)
        return text

    for line, statement in _statements(body):
        if statement == "{":
            count += 1
            scopes.append({})
        elif statement == "}":
            scopes.pop()
        elif statement.endswith(":"):
            label = statement[:-1] + (f"@{count}" if scopes else "")
            kernel.labels[label] = len(kernel.instructions)
        elif statement.startswith(".reg"):
            _, kind, names = statement.split(None, 2)
            for name in names.split(","):
                name = name.strip().split("<")[0]
                if scopes:
                    scopes[-1][name] = name = f"{name}@{count}"
                kernel.registers[name] = kind[1:]
        elif statement.startswith(".shared"):
            kernel.shared.append(_variable(statement)[1])
        elif not statement.startswith((".loc", ".pragma", ".file")):
            instruction = _instruction(rename(statement), first_line + line)
            # Inside of a scope labels are the scope's.
            if scopes and instruction.parts[0] == "bra":
                instruction.operands[0] += f"@{count}"
            kernel.instructions.append(instruction)


def _instruction(statement, line):
    guard, is_negated = None, False
    if statement.startswith("@"):
        guard, statement = statement[1:].split(None, 1)
        is_negated = guard.startswith("!")
        guard = guard.lstrip("!")
    opcode, *rest = statement.split(maxsplit=1)
    operands = [_operand(x) for x in _split("".join(rest).strip())]
    return Instruction(opcode, operands, guard, is_negated, line)


_ENTRY = re.compile(r"\.visible\s+\.entry\s+(\w+)\((.*?)\)[^{]*\{", re.S)


def _closing(text, start):
    """Where the brace closes that was opened before `start`."""
    depth = 1
    for match in re.finditer(r"[{}]", text[start:]):
        depth += 1 if match.group() == "{" else -1
        if depth == 0:
            return start + match.start()
    raise PtxError("expected as many closing braces as opening ones, but got fewer")


def _parameter(text):
    match = re.search(
        r"\.(b|u|s|f)(\d+)\s.*?([\w$]+)(?:\[(\d+)\])?$", text.strip(), re.S
    )
    if not match:
        raise PtxError(f"expected a parameter, but got '{text}'")
    return match.group(3), int(match.group(2)) // 8 * int(match.group(4) or 1)


def parse(ptx):
    """The kernels by name, and the module's variables by space and name."""
    bare = re.sub(r"//[^\n]*", "", ptx)
    kernels, variables = {}, {"shared": {}, "global": {}, "const": {}}
    outside, end = "", 0
    for match in _ENTRY.finditer(bare):
        outside += bare[end : match.start()]
        start, end = match.end(), _closing(bare, match.end())
        parameters = [_parameter(x) for x in match.group(2).split(",") if x.strip()]
        kernel = Kernel(match.group(1), parameters)
        _read_body(kernel, bare[start:end], bare.count("\n", 0, start) + 1)
        kernels[kernel.name] = kernel
        end += 1
    outside += bare[end:]
    for statement in outside.split(";"):
        statement = statement.strip()
        declaration = re.search(
            r"(\.visible\s+|\.extern\s+)*\.(shared|global|const)\b.*", statement, re.S
        )
        if declaration:
            space, variable = _variable(" ".join(declaration.group().split()))
            variables[space][variable.name] = variable
    return kernels, variables
