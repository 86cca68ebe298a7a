# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The target emu: the GPU's kernels on the host."""

import fuse
import numpy as np

SOFTMAX = """
func.func @softmax(%x: tensor<?x100xf32> {fuse.dims = ["rows"]}) -> tensor<?x100xf32> {
  %y = fuse.softmax %x dims = [1] : tensor<?x100xf32>
  return %y : tensor<?x100xf32>
}"""


def test_softmax():
    program = fuse.compile(SOFTMAX, target="emu", cache=False)
    x = np.random.default_rng(1).standard_normal((3, 100)).astype(np.float32)
    e = np.exp(x - x.max(axis=1, keepdims=True))
    np.testing.assert_allclose(program(x), e / e.sum(axis=1, keepdims=True), rtol=1e-5)
