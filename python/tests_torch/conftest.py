# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests with torch and JAX share. They need no GPU.

With FUSE_TORCH_DEVICE=cuda the models, ops and converters are tested on a GPU.
"""

import os

import fuse_compiler as fuse
import fuse_compiler.torch as fuse_torch
import pytest
import torch

if "FUSE_TORCH_DEVICE" in os.environ:
    torch.set_default_device(os.environ["FUSE_TORCH_DEVICE"])

ADD = """
func.func @add(%x: tensor<?x4xf32> {fuse.dims = ["rows"]}, %b: tensor<4xf32>)
    -> (tensor<?x4xf32> {fuse.name = "y"}) {
  %y = fuse.add %x, %b : tensor<?x4xf32>, tensor<4xf32>
  return %y : tensor<?x4xf32>
}"""

DOUBLE_IN_PLACE = """
func.func @double(%x: tensor<?xf32>)
    -> (tensor<?xf32> {fuse.in_place = "x", fuse.name = "y"}) {
  %y = fuse.add %x, %x : tensor<?xf32>
  return %y : tensor<?xf32>
}"""


@pytest.fixture
def fresh():
    """Nothing is compiled or reported yet, and random numbers are the same each time."""
    torch._dynamo.reset()
    fuse_torch.reset_report()
    torch.manual_seed(0)


@pytest.fixture(scope="session")
def add():
    return fuse.compile(ADD, target="cpu")


@pytest.fixture(scope="session")
def double():
    """Writes into its input unless it gets `out`."""
    return fuse.compile(DOUBLE_IN_PLACE, target="cpu")
