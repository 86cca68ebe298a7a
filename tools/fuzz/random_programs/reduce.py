"""Makes a failing program small.

Each step proposes a smaller program; it is taken if it fails in the same way.
"""

import dataclasses
import re

from . import crosscheck
from .program import Op, Value

SMALLER = [1, 2, 3, 4, 8, 33]
MOST_RUNS = 400


class Reducer:
    def __init__(self, tool, program, verdict, patience):
        self.tool, self.program, self.verdict = tool, program, verdict
        self.patience, self.runs = patience, 0

    def fails(self, text):
        if self.runs >= MOST_RUNS:
            return False
        self.runs += 1
        found = crosscheck.run(self.tool, [text], patience=self.patience)[0]
        return found.is_like(self.verdict)

    def take(self, program):
        if not self.fails(program.text()):
            return False
        self.program = program
        return True

    def run(self):
        """The text of the smallest program found."""
        self.take(dataclasses.replace(self.program, checks=[self.verdict.check]))
        self.take(dataclasses.replace(self.program, fill="normal"))
        self.drop_functions()
        size = None
        while size != len(self.program.text()):
            size = len(self.program.text())
            self.drop_results()
            self.cut_ops()
            self.bypass_ops()
        return self.shrink_dims(self.program.text())

    def functions(self, change):
        """The program with each function changed."""
        functions = [change(f) for f in self.program.functions]
        return dataclasses.replace(self.program, functions=functions)

    def drop_functions(self):
        for function in self.program.functions:
            single = dataclasses.replace(function, name="program")
            if self.take(dataclasses.replace(self.program, functions=[single])):
                return

    def drop_results(self):
        index = 0
        while len(self.program.functions[0].results) > 1:
            if index >= len(self.program.functions[0].results):
                return

            def without(function, index=index):
                results = [*function.results]
                del results[index]
                return dataclasses.replace(function, results=results)

            if not self.take(tidy(self.functions(without))):
                index += 1

    def single(self):
        """The function, where there is one: two would have to stay alike."""
        functions = self.program.functions
        return functions[0] if len(functions) == 1 else None

    def replace_op(self, function, op, value, arguments):
        """The program with `value` instead of the op's result."""

        def swap(v):
            return value if v is op.result else v

        ops = [
            Op(o.kind, o.template, [swap(v) for v in o.operands], o.result, o.facts)
            for o in function.ops
            if o is not op
        ]
        results = [swap(v) for v in function.results]
        made = dataclasses.replace(
            function, ops=ops, results=results, arguments=arguments
        )
        return tidy(dataclasses.replace(self.program, functions=[made]))

    def cut_ops(self):
        """Makes results arguments, the last ones first."""
        function = self.single()
        for op in reversed(function.ops if function else []):
            function = self.single()
            if op not in function.ops or not all(map(is_plain, op.result.shape)):
                continue
            value = Value(f"%b{op.result.name[2:]}", op.result.shape, op.result.element)
            arguments = [*function.arguments, value]
            self.take(self.replace_op(function, op, value, arguments))

    def bypass_ops(self):
        """Replaces a result by an operand of the same type."""
        function = self.single()
        for op in reversed(function.ops if function else []):
            function = self.single()
            for operand in op.operands:
                same = (operand.shape, operand.element)
                if op in function.ops and same == (op.result.shape, op.result.element):
                    arguments = function.arguments
                    if self.take(self.replace_op(function, op, operand, arguments)):
                        break

    def shrink_dims(self, text):
        """Replaces sizes, in types and attributes alike."""
        sizes = {int(s) for s in re.findall(r"(?<=[<x= ])(\d+)(?=x)", text)}
        sizes |= {int(s) for s in re.findall(r"// --dim \w+=(\d+)", text)}
        for size in sorted(sizes, reverse=True):
            for smaller in [s for s in SMALLER if s < size]:
                changed = re.sub(rf"(?<![\w.%#]){size}(?=x)", str(smaller), text)
                changed = re.sub(rf"(?<=x){size}(?=x)", str(smaller), changed)
                changed = re.sub(rf"(?<=[\[ ]){size}(?=[\],])", str(smaller), changed)
                changed = re.sub(rf"(?<=dims = ){size}\b", str(smaller), changed)
                changed = re.sub(rf"(--dim \w+=){size}\b", rf"\g<1>{smaller}", changed)
                if changed != text and self.fails(changed):
                    text = changed
                    break
        return text


def is_plain(dim):
    return isinstance(dim, int) or dim.isidentifier()


def tidy(program):
    """Without ops and arguments that nobody uses."""
    functions = [f.live() for f in program.functions]
    used = {
        id(v)
        for f in functions
        for v in [*f.results, *(v for op in f.ops for v in op.operands)]
    }
    arguments = [v for v in functions[0].arguments if id(v) in used]
    functions = [dataclasses.replace(f, arguments=arguments) for f in functions]
    return dataclasses.replace(program, functions=functions)


def reduce(tool, program, verdict, patience=crosscheck.PATIENCE):
    return Reducer(tool, program, verdict, patience).run()
