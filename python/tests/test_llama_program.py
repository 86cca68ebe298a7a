# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of examples/python/llama_program.py: their kernels on Hopper, and what these
compute on the emulated GPU beside the CPU."""

import sys
from pathlib import Path

import fuse_compiler as fuse
import ml_dtypes
import numpy
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "examples" / "python"))

import llama_program  # noqa: E402

LLAMA3 = llama_program.Config(4096, 14336, 4, 32, 8, 128, 128256)
SMALL = llama_program.Config(256, 384, 2, 4, 2, 64, 97)


def kinds(program):
    """The schedules of its kernels, in order."""
    kernels = fuse.inspect(program, chip="sm_90a").kernels
    return [kernel.schedule.split("<")[0].removeprefix("#fuse.") for kernel in kernels]


def test_example_is_what_the_module_writes():
    text = (ROOT / "examples" / "llama3_block_cache.mlir").read_text()
    assert text.endswith(llama_program.layers_program(LLAMA3))


def test_layers_in_a_row_need_a_norm_of_their_own_in_the_first_only():
    # Projections, attention, O, gate and up, down; the tiles' statistics are added up by those
    # that read them.
    later = ["mma", "streamed", "mma", "mma", "mma"]
    first = ["rows", *later]
    for layers in (1, 3):
        program = llama_program.layers_program(LLAMA3, layers=layers)
        assert kinds(program) == first + later * (layers - 1)


@pytest.mark.parametrize("batch", [2, 4, 8, 16, 32, 64])
def test_few_rows_take_the_kernels_of_many(batch):
    program = llama_program.layers_program(LLAMA3, "bf16", 2, batch, 1, 8192)
    # What blocks have of a sequence's keys is combined.
    layer = ["mma", "streamed", "", "mma", "mma", "mma"]
    assert kinds(program) == ["rows", *layer, *layer]


def test_one_row_is_multiplied_by_ordinary_cores():
    program = llama_program.layers_program(LLAMA3, "bf16", 2, 1, 1, 8192)
    # Keys are rotated where they are summed, and stored from there.
    layer = ["rows", "streamed", "", "rows", "rows", "rows"]
    assert kinds(program) == [*layer, *layer]


def test_equal_layers_have_code_once():
    program = fuse.inspect(
        llama_program.layers_program(LLAMA3, layers=3), chip="sm_90a"
    )
    names = [kernel.name for kernel in program.kernels]
    assert len(set(names)) == len(names)
    # A norm and five kernels; the first layer reads x, and the last leaves no statistics.
    assert program.ptx.count(".entry") == 8


def arguments(config, batch, tokens, cache, first, dtype, layers):
    """Random ones; beyond the tokens that are there the caches have large numbers."""
    random = numpy.random.default_rng(0)

    def normal(shape, scale=1.0):
        return (scale * random.standard_normal(shape)).astype(dtype)

    x = normal((batch, tokens, config.hidden_size))
    slots = numpy.arange(first, first + tokens, dtype=numpy.int32)
    angles = numpy.arange(cache)[:, None] * numpy.array(config.frequencies())
    tables = [f(angles).astype(numpy.float32) for f in (numpy.cos, numpy.sin)]
    shape = (batch, cache, config.num_key_value_heads, config.head_dim)
    caches = [normal(shape) for _ in range(2 * layers)]
    for each in caches:
        each[:, first + tokens :] = 1000
    weights = [
        normal(shape, shape[-1] ** -0.5 if len(shape) > 1 else 1.0)
        for _ in range(layers)
        for shape in config.layer_weights().values()
    ]
    return [x, numpy.array(first, numpy.int32), slots, *tables, *caches, *weights]


@pytest.mark.parametrize(
    ("sizes", "batch", "tokens", "first"),
    [
        # Any sizes: a prompt, and a part of one behind another.
        ((None, None, None), 2, 9, 0),
        ((None, None, None), 2, 5, 6),
        # One token of one sequence, whose products are reductions.
        ((1, 1, 16), 1, 1, 11),
        # Few rows: tiles of swapped operands, and parts of norms that they leave.
        ((3, 1, 16), 3, 1, 11),
        ((16, 1, 16), 16, 1, 11),
    ],
    ids=["prompt", "later part", "token", "few", "more"],
)
def test_emulated_gpu_computes_what_the_cpu_does(sizes, batch, tokens, first):
    layers, cache = 2, 16
    wanted, got = (
        fuse.compile(
            llama_program.layers_program(SMALL, element, layers, *sizes),
            target=target,
            chip=chip,
        )(
            *(
                each.astype(dtype) if each.dtype == ml_dtypes.bfloat16 else each
                for each in arguments(
                    SMALL, batch, tokens, cache, first, ml_dtypes.bfloat16, layers
                )
            )
        )
        for element, target, chip, dtype in (
            ("f32", "cpu", None, numpy.float32),
            ("bf16", "emu", "sm_90a", ml_dtypes.bfloat16),
        )
    )
    for exact, rounded in zip(wanted, got, strict=True):
        seen = exact if exact.ndim == 3 else exact[:, : first + tokens]
        error = numpy.abs(rounded.astype(numpy.float32) - exact).max()
        assert error < 0.03 * numpy.abs(seen).max()


APPEND = """
func.func @append(%k: tensor<4x8x128xbf16>, %slots: tensor<4xi32>, %cache: tensor<SIZEx8x128xbf16>)
    -> (tensor<SIZEx8x128xbf16> {fuse.in_place = "cache"}) {
  %y = fuse.scatter %cache, %slots, %k dim = 0
       : tensor<SIZEx8x128xbf16>, tensor<4xi32>, tensor<4x8x128xbf16> -> tensor<SIZEx8x128xbf16>
  return %y : tensor<SIZEx8x128xbf16>
}"""


def test_an_append_is_predicted_to_take_as_long_into_any_cache():
    predicted = set()
    for size in (16, 1 << 20):
        program = fuse.inspect(APPEND.replace("SIZE", str(size)), chip="sm_90a")
        predicted |= {
            remark["facts"]["Predicted"]
            for remark in program.remarks
            if "Predicted" in remark["facts"]
        }
    assert len(predicted) == 1


PAGE = 16


def paged_arguments(config, before, tokens, dtype, layers):
    """What a program with pages gets for sequences that had `before` tokens and get `tokens`
    each, the last one a token less; and for each of them what the program without gets."""
    cache = max(before) + tokens
    counts = [tokens] * (len(before) - 1) + [tokens - 1]
    alone = [
        arguments(config, 1, count, cache, first, dtype, layers)
        for first, count in zip(before, counts, strict=True)
    ]
    shared = alone[0][5 + 2 * layers :]
    alone = [
        [numpy.roll(each[0], b, axis=-1), *each[1:5]]
        + [numpy.roll(cache, b, axis=-1) for cache in each[5 : 5 + 2 * layers]]
        + shared
        for b, each in enumerate(alone)
    ]
    pages = -(-cache // PAGE)
    random = numpy.random.default_rng(1)
    # Pages in any order, one of which belongs to nobody.
    order = random.permutation(len(before) * pages + 1).astype(numpy.int32)
    table = order[: len(before) * pages].reshape(len(before), pages)
    pools = [
        numpy.full((order.size, PAGE, *each.shape[2:]), 1000, dtype)
        for each in alone[0][5 : 5 + 2 * layers]
    ]
    x = numpy.zeros((len(before), tokens, config.hidden_size), dtype)
    numbers = numpy.zeros((len(before), tokens), numpy.int32)
    slots = numpy.full((len(before), tokens), -1, numpy.int32)
    for b, (first, count) in enumerate(zip(before, counts, strict=True)):
        x[b, :count] = alone[b][0][0]
        numbers[b, :count] = numpy.arange(first, first + count)
        places = numbers[b, :count]
        slots[b, :count] = table[b, places // PAGE] * PAGE + places % PAGE
        for pool, own in zip(pools, alone[b][5:], strict=False):
            for place in range(first):
                pool[table[b, place // PAGE], place % PAGE] = own[0, place]
    first = numpy.array(before, numpy.int32)
    tables = alone[0][3:5]
    return [x, first, numbers, slots, table, *tables, *pools, *shared], alone


@pytest.mark.parametrize(
    ("before", "tokens"), [((5, 0, 21, 40), 3), ((17, 3, 60), 2)], ids=str
)
def test_sequences_of_different_lengths_are_one_call(before, tokens):
    layers = 2
    inputs, alone = paged_arguments(SMALL, before, tokens, numpy.float32, layers)
    paged, single = (
        fuse.compile(
            llama_program.layers_program(SMALL, "f32", layers, page=page), target="cpu"
        )
        for page in (PAGE, None)
    )
    *pools, y = paged(*inputs)
    for b, each in enumerate(alone):
        *caches, wanted = single(*each)
        count = wanted.shape[1]
        assert numpy.abs(y[b, :count] - wanted[0]).max() < 1e-4
        for pool, cache in zip(pools, caches, strict=True):
            last = before[b] + count
            got = pool[inputs[4][b]].reshape(-1, *pool.shape[2:])[:last]
            assert numpy.abs(got - cache[0, :last]).max() < 1e-4


def test_pages_on_the_emulated_gpu():
    before, tokens, layers = (5, 0, 21), 2, 1
    wanted, got = (
        fuse.compile(
            llama_program.layers_program(SMALL, element, layers, page=PAGE),
            target=target,
            chip=chip,
        )(*paged_arguments(SMALL, before, tokens, dtype, layers)[0])
        for element, target, chip, dtype in (
            ("f32", "cpu", None, numpy.float32),
            ("bf16", "emu", "sm_90a", ml_dtypes.bfloat16),
        )
    )
    counts = (2, 2, 1)
    for b, count in enumerate(counts):
        exact = wanted[-1][b, :count]
        error = numpy.abs(got[-1][b, :count].astype(numpy.float32) - exact).max()
        assert error < 0.03 * numpy.abs(exact).max()


def test_pages_are_read_where_they_lie():
    program = llama_program.layers_program(LLAMA3, layers=1, page=PAGE)
    kernels = fuse.inspect(program, chip="sm_90a").kernels
    streamed = [each for each in kernels if each.schedule.startswith("#fuse.streamed")]
    assert len(streamed) == 1 and "gather" in streamed[0].ops
