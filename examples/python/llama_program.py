#!/usr/bin/env python3
# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The text of LLaMA programs: decoder layers over a cache of keys and values, or a whole
model from tokens to logits. Weights are arguments, in the shapes that checkpoints have.

One program is prefill and decode: it takes any number of new tokens of each sequence, appends
their keys and values to the caches, and lets each new token see the cache up to itself. With
pages sequences have different lengths, and caches are pools of pages that a table assigns.
"""

import argparse
import json
import math
import pathlib
from dataclasses import dataclass
from typing import NamedTuple

TYPES = ("f32", "bf16", "f16")


def _llama3(frequency, scaling):
    """Slow turns are slowed down by `factor`, fast ones are not, and those between in part."""
    turns = scaling["original_max_position_embeddings"] * frequency / (2 * math.pi)
    low, high = scaling["low_freq_factor"], scaling["high_freq_factor"]
    share = min(max((turns - low) / (high - low), 0.0), 1.0)
    return frequency * (share + (1 - share) / scaling["factor"])


@dataclass(frozen=True)
class Config:
    """What a config.json of Hugging Face says of Llama, Qwen2, Qwen3 and what is built alike."""

    hidden_size: int
    intermediate_size: int
    num_hidden_layers: int
    num_attention_heads: int
    num_key_value_heads: int
    head_dim: int
    vocab_size: int
    rms_norm_eps: float = 1e-5
    rope_theta: float = 5e5
    # As in config.json: {"rope_type": "llama3", "factor": 8.0, ...}; None for none.
    rope_scaling: dict | None = None
    # Biases of the projections of queries, keys and values (Qwen2).
    has_biases: bool = False
    # Norms of each head of queries and keys (Qwen3).
    has_head_norms: bool = False
    ties_embeddings: bool = False

    def __post_init__(self):
        if self.num_attention_heads % self.num_key_value_heads:
            raise ValueError(
                f"expected heads of queries to be a multiple of those of keys, but got "
                f"{self.num_attention_heads} and {self.num_key_value_heads}; see "
                "num_key_value_heads in config.json"
            )

    @classmethod
    def of(cls, config):
        """From a transformers configuration, or what json makes of a config.json."""
        known = config if isinstance(config, dict) else config.to_dict()
        kind = known.get("model_type", "llama")
        if kind not in ("llama", "mistral", "qwen2", "qwen3"):
            raise ValueError(
                f"expected a model of type llama, mistral, qwen2 or qwen3, but got {kind!r}; "
                "write its layers as a program of their own"
            )
        heads = known["num_attention_heads"]
        # transformers 5 has all of it in rope_parameters.
        rope = known.get("rope_parameters") or known.get("rope_scaling") or {}
        rope_kind = rope.get("rope_type", rope.get("type", "default"))
        return cls(
            hidden_size=known["hidden_size"],
            intermediate_size=known["intermediate_size"],
            num_hidden_layers=known["num_hidden_layers"],
            num_attention_heads=heads,
            num_key_value_heads=known.get("num_key_value_heads") or heads,
            head_dim=known.get("head_dim") or known["hidden_size"] // heads,
            vocab_size=known["vocab_size"],
            rms_norm_eps=known["rms_norm_eps"],
            rope_theta=rope.get("rope_theta") or known.get("rope_theta") or 1e4,
            rope_scaling=None if rope_kind == "default" else rope,
            has_biases=kind == "qwen2" or bool(known.get("attention_bias")),
            has_head_norms=kind == "qwen3",
            ties_embeddings=bool(known.get("tie_word_embeddings")),
        )

    def frequencies(self):
        """Radians by which each pair of a head turns from one token to the next."""
        size, given = self.head_dim, self.rope_scaling
        found = [self.rope_theta ** (-pair / size) for pair in range(0, size, 2)]
        if not given:
            return found
        kind = given.get("rope_type", given.get("type"))
        if kind == "linear":
            return [each / given["factor"] for each in found]
        if kind == "llama3":
            return [_llama3(each, given) for each in found]
        raise ValueError(
            f"expected a scaling of RoPE of type linear or llama3, but got {kind!r}; add "
            "its frequencies here"
        )

    def layer_weights(self):
        """{name in a checkpoint, after model.layers.N.: shape}."""
        hidden, inner = self.hidden_size, self.intermediate_size
        queries = self.num_attention_heads * self.head_dim
        keys = self.num_key_value_heads * self.head_dim
        rows = {"q_proj": queries, "k_proj": keys, "v_proj": keys}
        weights = {"input_layernorm.weight": (hidden,)}
        for name, count in rows.items():
            weights[f"self_attn.{name}.weight"] = (count, hidden)
            if self.has_biases:
                weights[f"self_attn.{name}.bias"] = (count,)
        if self.has_head_norms:
            weights["self_attn.q_norm.weight"] = (self.head_dim,)
            weights["self_attn.k_norm.weight"] = (self.head_dim,)
        return weights | {
            "self_attn.o_proj.weight": (hidden, queries),
            "post_attention_layernorm.weight": (hidden,),
            "mlp.gate_proj.weight": (inner, hidden),
            "mlp.up_proj.weight": (inner, hidden),
            "mlp.down_proj.weight": (hidden, inner),
        }

    def model_weights(self):
        """{name in a checkpoint: shape} of a whole model, in the program's order."""
        table = (self.vocab_size, self.hidden_size)
        weights = {"model.embed_tokens.weight": table}
        for layer in range(self.num_hidden_layers):
            for name, shape in self.layer_weights().items():
                weights[f"model.layers.{layer}.{name}"] = shape
        weights["model.norm.weight"] = (self.hidden_size,)
        if not self.ties_embeddings:
            weights["lm_head.weight"] = table
        return weights


def number(value):
    """A float as the dialect writes it, with a point."""
    mantissa, *exponent = repr(float(value)).split("e")
    point = "" if "." in mantissa else ".0"
    return mantissa + point + "".join(f"e{each}" for each in exponent)


def tensor(shape, element):
    """A tensor's type; None is a dim of any size."""
    sizes = "".join(f"{'?' if size is None else size}x" for size in shape)
    return f"tensor<{sizes}{element}>"


class Positions(NamedTuple):
    """The arguments that say where new tokens are.

    first      tokens before the new ones: a number, with pages one of each sequence; None where
               all of the cache is seen
    numbers    of the new tokens in their sequences
    slots      where they go: the same without pages, else page * size + place in the page, and
               what is outside of the pool is dropped
    cos, sin   tables of angles, a row a number
    table      the pages of each sequence; None without pages
    """

    first: str | None
    numbers: str
    slots: str
    cos: str
    sin: str
    table: str | None = None


class Writer:
    """Writes the lines of a program. A value is its name; `types` has the types. `page`: tokens
    of a page; None for caches of `cache` tokens of each sequence."""

    def __init__(self, config, element, batch, tokens, cache=None, page=None):
        if element not in TYPES:
            raise ValueError(
                f"expected an element type of {', '.join(TYPES)}, but got {element!r}; cast "
                "the weights"
            )
        self.config, self.element = config, element
        self.batch, self.tokens, self.cache, self.page = batch, tokens, cache, page
        self.lines, self.types, self.arguments, self.results = [], {}, [], []

    def argument(self, name, shape, element=None, dims=()):
        attribute = ", ".join(f'"{each}"' for each in dims)
        self.types[f"%{name}"] = tensor(shape, element or self.element)
        self.arguments.append(
            f"%{name}: {self.types[f'%{name}']}"
            + (f" {{fuse.dims = [{attribute}]}}" if dims else "")
        )
        return f"%{name}"

    def result(self, value, in_place=None):
        attribute = f' {{fuse.in_place = "{in_place[1:]}"}}' if in_place else ""
        self.results.append((value, attribute))

    def op(self, text, operands, shape, element=None, arrow=False):
        """One op with the types of its operands, and its own where `arrow` says so."""
        name = f"%v{len(self.types)}"
        self.types[name] = tensor(shape, element or self.element)
        written = ", ".join(self.types[each] for each in operands)
        if arrow:
            written += f" -> {self.types[name]}"
        self.lines.append(f"  {name} = {text} : {written}")
        return name

    def constant(self, number, element):
        name = f"%v{len(self.types)}"
        self.types[name] = f"tensor<{element}>"
        self.lines.append(
            f"  {name} = fuse.constant dense<{number}> : tensor<{element}>"
        )
        return name

    def rows(self, *sizes):
        return (self.batch, self.tokens, *sizes)

    def dims(self, **sizes):
        """The names of those that may have any size."""
        return [name for name, size in sizes.items() if size is None]

    def norm(self, x, weight, *sizes):
        eps = f"eps = {number(self.config.rms_norm_eps)}"
        return self.op(
            f"fuse.rms_norm {x}, {weight} {eps}", (x, weight), self.rows(*sizes)
        )

    def linear(self, x, weight, columns, bias=None, rows=None):
        shape = (*(rows or self.rows()), columns)
        y = self.op(
            f"fuse.matmul {x}, {weight} transpose_rhs", (x, weight), shape, arrow=True
        )
        if bias:
            y = self.op(f"fuse.add {y}, {bias}", (y, bias), shape, arrow=True)
        return y

    def reshape(self, text, x, shape):
        """A reshape of rows; `text` says how."""
        name = f"%v{len(self.types)}"
        self.types[name] = tensor(shape, self.element_of(x))
        self.lines.append(
            f"  {name} = tensor.{text} : {self.types[x]} into {self.types[name]}"
        )
        return name

    def heads(self, x, count):
        sizes = [
            value if size is None else str(size)
            for size, value in ((self.batch, "%batch"), (self.tokens, "%tokens"))
        ]
        size = self.config.head_dim
        return self.reshape(
            f"expand_shape {x} [[0], [1], [2, 3]] output_shape "
            f"[{', '.join(sizes)}, {count}, {size}]",
            x,
            self.rows(count, size),
        )

    def name_size(self, name, x, axis, axis_name):
        self.lines += [
            f"  %{axis_name} = arith.constant {axis} : index",
            f"  %{name} = tensor.dim {x}, %{axis_name} : {self.types[x]}",
        ]

    def sizes_of(self, x, pool):
        """Names the sizes of the rows, and of a pool of pages."""
        if self.batch is None:
            self.name_size("batch", x, 0, "axis0")
        if self.tokens is None:
            self.name_size("tokens", x, 1, "axis1")
        if self.page:
            self.name_size("blocks", pool, 0, "axis2")

    @property
    def cache_shape(self):
        """Of the keys of a layer."""
        rows = (None, self.page) if self.page else (self.batch, self.cache)
        return (*rows, self.config.num_key_value_heads, self.config.head_dim)

    def element_of(self, value):
        return self.types[value].rstrip(">").rsplit("x", 1)[-1].removeprefix("tensor<")

    def text(self, name):
        types = ", ".join(self.types[v] + attribute for v, attribute in self.results)
        values = ", ".join(v for v, _ in self.results)
        plain = ", ".join(self.types[v] for v, _ in self.results)
        arguments = ",\n    ".join(self.arguments)
        body = "\n".join(self.lines)
        return (
            f"func.func @{name}(\n    {arguments})\n    -> ({types}) {{\n{body}\n"
            f"  return {values} : {plain}\n}}\n"
        )


def masked(w, scores, first, shape):
    """The scores, with -inf for what comes after a query."""
    key = w.op(f"fuse.iota dim = 4 like {scores}", (scores,), shape, "i32", True)
    query = w.op(f"fuse.iota dim = 3 like {scores}", (scores,), shape, "i32", True)
    if w.page:
        batch = "%batch" if w.batch is None else w.batch
        text = (
            f"expand_shape {first} [[0, 1, 2, 3, 4]] output_shape [{batch}, 1, 1, 1, 1]"
        )
        first = w.reshape(text, first, (w.batch, 1, 1, 1, 1))
    last = w.op(f"fuse.add {query}, {first}", (query, first), shape, "i32", True)
    seen = w.op(f"fuse.compare le {key}, {last}", (key,), shape, "i1")
    hidden = w.constant("0xFF800000", "f32")
    operands = (seen, scores, hidden)
    text = f"fuse.select {seen}, {scores}, {hidden}"
    return w.op(text, operands, shape, "f32", True)


def attention(w, q, keys, values, first):
    """Softmax of queries times keys, times values: the query at `first + t` sees the keys up to
    its own, or all of them without `first`. A head of keys serves several of queries."""
    config, f32 = w.config, "f32"
    groups, size = config.num_key_value_heads, config.head_dim
    share = config.num_attention_heads // groups
    batch, tokens = (
        value if count is None else str(count)
        for count, value in ((w.batch, "%batch"), (w.tokens, "%tokens"))
    )
    q = w.reshape(
        f"expand_shape {q} [[0], [1], [2, 3], [4]] output_shape "
        f"[{batch}, {tokens}, {groups}, {share}, {size}]",
        q,
        w.rows(groups, share, size),
    )
    shape = (w.batch, groups, share, w.tokens, w.cache)
    scores = w.op(
        f'fuse.contract "bthgd,bshd->bhgts" {q}, {keys}', (q, keys), shape, arrow=True
    )
    if w.element != f32:
        scores = w.op(f"fuse.cast {scores}", (scores,), shape, f32, arrow=True)
    scale = w.constant(number(size**-0.5), f32)
    scores = w.op(f"fuse.mul {scores}, {scale}", (scores, scale), shape, f32, True)
    if first:
        scores = masked(w, scores, first, shape)
    weights = w.op(f"fuse.softmax {scores} dims = [4]", (scores,), shape, f32)
    if w.element != f32:
        weights = w.op(f"fuse.cast {weights}", (weights,), shape, arrow=True)
    sums = w.op(
        f'fuse.contract "bhgts,bshd->bthgd" {weights}, {values}',
        (weights, values),
        w.rows(groups, share, size),
        arrow=True,
    )
    return w.reshape(
        f"collapse_shape {sums} [[0], [1], [2, 3, 4]]",
        sums,
        w.rows(config.num_attention_heads * size),
    )


def append(w, cache, update, positions):
    """The cache with the new tokens: as the program's result, and as a sequence's tokens in a
    row."""
    slots, (heads, size) = positions.slots, w.cache_shape[2:]
    if not w.page:
        text = f"fuse.scatter {cache}, {slots}, {update} dim = 1"
        found = w.op(text, (cache, slots, update), w.cache_shape, arrow=True)
        return found, found
    flat = (None, heads, size)
    pool = w.reshape(f"collapse_shape {cache} [[0, 1], [2], [3]]", cache, flat)
    text = f"fuse.scatter {pool}, {slots}, {update} dim = 0"
    pool = w.op(text, (pool, slots, update), flat, arrow=True)
    sizes = f"[%blocks, {w.page}, {heads}, {size}]"
    text = f"expand_shape {pool} [[0, 1], [2], [3]] output_shape {sizes}"
    pool, table = w.reshape(text, pool, w.cache_shape), positions.table
    shape = (w.batch, None, w.page, heads, size)
    pages = w.op(
        f"fuse.gather {pool}, {table} dim = 0", (pool, table), shape, arrow=True
    )
    text = f"collapse_shape {pages} [[0], [1, 2], [3], [4]]"
    return pool, w.reshape(text, pages, (w.batch, None, heads, size))


def layer(w, x, weights, keys, values, positions):
    """One decoder layer; what comes of x, and the caches with the new tokens."""
    config, get = w.config, weights.get
    cos, sin, numbers = positions.cos, positions.sin, positions.numbers
    n = w.norm(x, weights["input_layernorm.weight"], config.hidden_size)
    projected = {}
    for name, heads in (
        ("q", config.num_attention_heads),
        ("k", config.num_key_value_heads),
        ("v", config.num_key_value_heads),
    ):
        part = w.linear(
            n,
            weights[f"self_attn.{name}_proj.weight"],
            heads * config.head_dim,
            get(f"self_attn.{name}_proj.bias"),
        )
        part = w.heads(part, heads)
        if name != "v":
            if config.has_head_norms:
                norm = weights[f"self_attn.{name}_norm.weight"]
                part = w.norm(part, norm, heads, config.head_dim)
            part = w.op(
                f"fuse.rotary half tokens_heads {part} tables({cos}, {sin}) "
                f"positions({numbers})",
                (part, cos, numbers),
                w.rows(heads, config.head_dim),
            )
        projected[name] = part
    (keys, all_keys), (values, all_values) = (
        append(w, cache, projected[name], positions)
        for cache, name in ((keys, "k"), (values, "v"))
    )
    a = attention(w, projected["q"], all_keys, all_values, positions.first)
    hidden = w.rows(config.hidden_size)
    o = w.linear(a, weights["self_attn.o_proj.weight"], config.hidden_size)
    h = w.op(f"fuse.add {x}, {o}", (x,), hidden)
    n = w.norm(h, weights["post_attention_layernorm.weight"], config.hidden_size)
    gate, up = (
        w.linear(n, weights[f"mlp.{name}_proj.weight"], config.intermediate_size)
        for name in ("gate", "up")
    )
    m = w.op(f"fuse.swiglu {gate}, {up}", (gate,), w.rows(config.intermediate_size))
    down = w.linear(m, weights["mlp.down_proj.weight"], config.hidden_size)
    return w.op(f"fuse.add {h}, {down}", (h,), hidden), keys, values


def argument_name(weight):
    """Of a weight, as a program may call it."""
    return weight.removesuffix(".weight").replace(".", "_")


def caches(w, count):
    """Arguments for the keys and values of `count` layers."""
    dims = ["blocks"] if w.page else w.dims(batch=w.batch, cache=w.cache)
    return [
        tuple(
            w.argument(f"{kind}{number}", w.cache_shape, dims=dims)
            for kind in ("keys", "values")
        )
        for number in range(count)
    ]


def add_positions(w):
    if w.page:
        rows, dims = w.rows(), w.dims(batch=w.batch, tokens=w.tokens)
        first = w.argument("first", rows[:1], "i32", w.dims(batch=w.batch))
        numbers, slots = (
            w.argument(name, rows, "i32", dims) for name in ("numbers", "slots")
        )
        dims = w.dims(batch=w.batch, pages=None)
        table = w.argument("table", (w.batch, None), "i32", dims)
    else:
        first, table = w.argument("first", (), "i32"), None
        slots = w.argument("slots", (w.tokens,), "i32", w.dims(tokens=w.tokens))
        numbers = slots
    angles = (w.cache, w.config.head_dim // 2)
    dims = w.dims(positions=w.cache)
    cos, sin = (w.argument(name, angles, "f32", dims) for name in ("cos", "sin"))
    return Positions(first, numbers, slots, cos, sin, table)


def add_layers(w, x, positions, found, weights_of):
    """The layers in a row over their caches; x after them."""
    w.sizes_of(x, found[0][0])
    for index, (keys, values) in enumerate(found):
        x, new_keys, new_values = layer(
            w, x, weights_of(index), keys, values, positions
        )
        w.result(new_keys, keys)
        w.result(new_values, values)
    return x


def layers_program(
    config,
    element="bf16",
    layers=1,
    batch=None,
    tokens=None,
    cache=None,
    causal=True,
    page=None,
):
    """(x, positions, keys0, values0, ..., weights of layer 0, ...) -> (keys0, values0, ..., y).

    Positions are first, slots, cos, sin; with pages of `page` tokens first, numbers, slots,
    table, cos, sin. Sizes that are None may be any. Without `causal` all of the cache is seen.
    """
    w = Writer(config, element, batch, tokens, cache, page)
    dims = w.dims(batch=batch, tokens=tokens)
    x = w.argument("x", w.rows(config.hidden_size), dims=dims)
    positions = add_positions(w)
    found = caches(w, layers)
    weights = [
        {
            name: w.argument(f"{argument_name(name)}_{number}", shape)
            for name, shape in config.layer_weights().items()
        }
        for number in range(layers)
    ]
    if not causal:
        positions = positions._replace(first=None)
    w.result(add_layers(w, x, positions, found, weights.__getitem__))
    return w.text("llama_layers")


def last_tokens(w, x, wanted):
    """The rows of x from which each sequence goes on."""
    hidden = w.config.hidden_size
    if w.page:
        rows = None if None in w.rows() else w.batch * w.tokens
        x = w.reshape(f"collapse_shape {x} [[0, 1], [2]]", x, (rows, hidden))
        text, shape = f"fuse.gather {x}, {wanted} dim = 0", (w.batch, hidden)
        return w.op(text, (x, wanted), shape, arrow=True)
    text, shape = f"fuse.gather {x}, {wanted} dim = 1", (w.batch, 1, hidden)
    x = w.op(text, (x, wanted), shape, arrow=True)
    return w.reshape(f"collapse_shape {x} [[0, 1], [2]]", x, (w.batch, hidden))


def model_program(
    config, element="f32", batch=None, tokens=None, cache=None, page=None
):
    """(ids, positions, wanted, keys0, values0, ..., weights) -> (keys0, values0, ..., logits,
    next id), the last two after new token number `wanted` of each sequence; with pages after
    tokens number `wanted[b]` of all that there are, sequence after sequence."""
    w = Writer(config, element, batch, tokens, cache, page)
    dims = w.dims(batch=batch, tokens=tokens)
    ids = w.argument("ids", w.rows(), "i64", dims=dims)
    positions = add_positions(w)
    dims = w.dims(batch=batch) if page else ()
    wanted = w.argument("wanted", (batch if page else 1,), "i32", dims)
    found = caches(w, config.num_hidden_layers)
    weights = {
        name: w.argument(argument_name(name), shape)
        for name, shape in config.model_weights().items()
    }
    table = weights["model.embed_tokens.weight"]
    hidden = config.hidden_size
    x = w.op(
        f"fuse.gather {table}, {ids} dim = 0", (table, ids), w.rows(hidden), arrow=True
    )

    def weights_of(number):
        start = f"model.layers.{number}."
        return {
            name.removeprefix(start): value
            for name, value in weights.items()
            if name.startswith(start)
        }

    x = add_layers(w, x, positions, found, weights_of)
    x = last_tokens(w, x, wanted)
    norm = weights["model.norm.weight"]
    x = w.op(
        f"fuse.rms_norm {x}, {norm} eps = {number(config.rms_norm_eps)}",
        (x, norm),
        (batch, hidden),
    )
    head = weights.get("lm_head.weight", table)
    logits = w.linear(x, head, config.vocab_size, rows=(batch,))
    w.result(logits)
    w.result(w.op(f"fuse.argmax {logits} dim = 1", (logits,), (batch,), "i64", True))
    return w.text("llama_model")


def main():
    parser = argparse.ArgumentParser(description="Writes the program of a model.")
    parser.add_argument("config", help="a config.json of Hugging Face")
    parser.add_argument("--element", default="f32", choices=TYPES)
    parser.add_argument("--cache", type=int, required=True, help="tokens, at most")
    arguments = parser.parse_args()
    config = Config.of(json.loads(pathlib.Path(arguments.config).read_text()))
    print(model_program(config, arguments.element, 1, None, arguments.cache), end="")


if __name__ == "__main__":
    main()
