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
    # Projections, attention, O, gate and up, down; "" combines the tiles' statistics.
    first = ["rows", "mma", "streamed", "mma", "", "mma", "mma"]
    later = ["", "mma", "streamed", "mma", "", "mma", "mma"]
    for layers in (1, 3):
        program = llama_program.layers_program(LLAMA3, layers=layers)
        assert kinds(program) == first + later * (layers - 1)


def test_equal_layers_have_code_once():
    program = fuse.inspect(
        llama_program.layers_program(LLAMA3, layers=3), chip="sm_90a"
    )
    names = [kernel.name for kernel in program.kernels]
    assert len(set(names)) == len(names)
    # A norm, five kernels and what combines parts; the first layer reads x, and the last leaves
    # no statistics.
    assert program.ptx.count(".entry") == 9


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
    ],
    ids=["prompt", "later part", "token"],
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
