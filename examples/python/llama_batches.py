# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Continuous batching: sequences of any lengths come and go, and each step of a Batcher is one
call that gives all of them a token. Their keys and values lie in pages of one pool.

    batcher = Batcher(config, weights, pages=1000)
    first = batcher.add([1, 5, 9])
    batcher.step()                    # reads the prompt: {first: its next token}
    second = batcher.add([7, 2])
    batcher.step()                    # both, one of them with its prompt
    batcher.remove(first)             # its pages are free
"""

from dataclasses import dataclass, field

import fuse_compiler as fuse
import torch
from llama import Generator
from llama_program import model_program


@dataclass
class Sequence:
    """Tokens in the cache, those that are to come there next, and the pages."""

    length: int
    new: list
    pages: list = field(default_factory=list)


class Batcher(Generator):
    """config, weights, element, target: as of Generator. `pages` of `page` tokens are shared by
    all sequences, each of which has at most `longest` tokens."""

    def __init__(
        self,
        config,
        weights,
        *,
        pages,
        page=16,
        longest=4096,
        element="f32",
        target="cpu",
    ):
        self._load(config, weights, element, target)
        self.page, self.longest = page, longest
        self.program = fuse.compile(
            model_program(self.config, element, page=page), target=target
        )
        heads, size = self.config.num_key_value_heads, self.config.head_dim
        self.caches = self._zeros(pages, page, heads, size)
        self.tables = self._angles(longest)
        self.free = list(range(pages))
        self.sequences, self.added = {}, 0

    def add(self, ids):
        """The number of a new sequence, which the next step reads."""
        if not ids:
            raise ValueError(
                "expected a prompt of tokens, but got none; pass one at least"
            )
        number, self.added = self.added, self.added + 1
        self.sequences[number] = Sequence(0, list(ids))
        return number

    def remove(self, number):
        self.free += self.sequences.pop(number).pages

    def step(self):
        """{sequence: its next token}, of all that there are."""
        if not self.sequences:
            return {}
        every = list(self.sequences.values())
        for each in every:
            self._take_pages(each)
        tokens = max(len(each.new) for each in every)
        rows = [self._row(each, tokens) for each in every]
        ids, numbers, slots = (
            torch.tensor(part, device=self.device) for part in zip(*rows, strict=True)
        )
        most = max(len(each.pages) for each in every)
        table = [each.pages + [0] * (most - len(each.pages)) for each in every]
        last = [b * tokens + len(each.new) - 1 for b, each in enumerate(every)]
        first, table, last = (
            torch.tensor(part, dtype=torch.int32, device=self.device)
            for part in ([each.length for each in every], table, last)
        )
        *_, chosen = self.program(
            ids,
            first,
            numbers.int(),
            slots.int(),
            table,
            *self.tables,
            last,
            *self.caches,
            *self.weights,
        )
        found = dict(zip(self.sequences, chosen.tolist(), strict=True))
        for number, each in self.sequences.items():
            each.length += len(each.new)
            each.new = [found[number]]
        return found

    def _take_pages(self, sequence):
        """Pages for the new tokens."""
        length = sequence.length + len(sequence.new)
        if length > self.longest:
            raise ValueError(
                f"expected at most {self.longest} tokens of a sequence, but got {length}; pass "
                "a larger longest"
            )
        missing = -(-length // self.page) - len(sequence.pages)
        if missing > len(self.free):
            raise ValueError(
                f"expected {missing} free pages, but got {len(self.free)}; remove sequences or "
                "pass more pages"
            )
        sequence.pages += [self.free.pop() for _ in range(missing)]

    def _row(self, sequence, tokens):
        """Ids, numbers and slots of its new tokens; what fills the row goes nowhere."""
        places = range(sequence.length, sequence.length + len(sequence.new))
        size, pages = self.page, sequence.pages
        slots = [pages[place // size] * size + place % size for place in places]
        rest = tokens - len(slots)
        return (
            sequence.new + [0] * rest,
            [*places, *[0] * rest],
            slots + [-1] * rest,
        )
