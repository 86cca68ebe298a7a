# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A LLaMA-3 8B block that is compared with torch's: prefill, and one token against a cache.

The program is that of examples/python/llama_program.py, with static sizes. Nothing here
needs torch to be imported.
"""

import math
import re
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3] / "examples" / "python"))

import llama_program  # noqa: E402


@dataclass(frozen=True)
class Case:
    """`tokens` new ones of each sequence, against a cache of `cache` that they fill up.

    bars  {who: the most that Fuse's time may be of its}; "compile" is the fastest mode
    """

    name: str
    batch: int
    tokens: int
    cache: int
    key_heads: int
    element: str
    causal: bool
    bars: tuple = ()
    hidden: int = 4096
    inner: int = 14336
    heads: int = 32
    head: int = 128

    @property
    def config(self):
        return llama_program.Config(
            hidden_size=self.hidden,
            intermediate_size=self.inner,
            num_hidden_layers=1,
            num_attention_heads=self.heads,
            num_key_value_heads=self.key_heads,
            head_dim=self.head,
            vocab_size=128256,
        )

    @property
    def program(self):
        return llama_program.layers_program(
            self.config,
            self.element,
            1,
            self.batch,
            self.tokens,
            self.cache,
            self.causal,
        )

    @property
    def first(self):
        """Tokens that the cache has before."""
        return self.cache - self.tokens

    @property
    def weight_elements(self):
        return sum(math.prod(s) for s in self.config.layer_weights().values())

    @property
    def seen(self):
        """The share of scores that is not masked."""
        if not self.causal:
            return 1.0
        return (self.first + (self.tokens + 1) / 2) / self.cache

    @property
    def flops(self):
        rows = self.batch * self.tokens
        scores = rows * self.heads * self.cache * self.seen
        return 2 * rows * self.weight_elements + 4 * scores * self.head

    @property
    def least_bytes(self):
        """Weights, and the keys and values that are seen, once."""
        keys = 2 * self.batch * self.cache * self.key_heads * self.head
        return 2 * (self.weight_elements + keys)


CASES = (
    Case("prefill 2 x 2048", 2, 2048, 2048, 8, "bf16", True, (("compile", 0.90),)),
    Case("decode 1", 1, 1, 8192, 8, "bf16", True, (("compile", 0.80),)),
    Case("decode 16", 16, 1, 8192, 8, "bf16", True, (("compile", 0.75),)),
    Case(
        "prefill 2 x 2048 full", 2, 2048, 2048, 32, "f16", False, (("compile", 0.93),)
    ),
)


def _sizes(axes, type_text):
    shape = re.search(r"tensor<([\dx]+)x\w+>", type_text).group(1).split("x")
    return dict(zip(axes, map(int, shape), strict=True))


def contraction_flops(line):
    """Of a contraction, by its line in a program of static sizes."""
    found = re.search(
        r'fuse\.contract "(\w+),(\w+)->\w+".*: (tensor<[^>]+>), (tensor<[^>]+>)', line
    )
    if not found:
        return 0
    left, right, *types = found.groups()
    return 2 * math.prod((_sizes(left, types[0]) | _sizes(right, types[1])).values())


def flops_by_kernel(scheduled, case):
    """{name: floating-point operations of its contractions}; those of masked scores are
    no work."""
    found, name = {}, None
    for line in scheduled.splitlines():
        if begins := re.search(r'fuse\.kernel "(\w+)"', line):
            name = begins.group(1)
        if name and "fuse.contract" in line:
            # Attention has axes for batches and heads beside those of a product.
            share = case.seen if re.search(r'"\w{4,},', line) else 1.0
            found[name] = found.get(name, 0) + contraction_flops(line) * share
    return found
