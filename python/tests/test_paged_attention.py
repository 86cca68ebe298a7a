# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Keys in pages, some of which are not there: NaN, unless a mask hides them."""

import fuse_compiler as fuse
import numpy as np
import pytest

SEQUENCES, HEADS, GROUP, SIZE, ROWS, PAGES, CACHED = 3, 2, 4, 64, 16, 9, 5
KEYS = ROWS * PAGES
CACHE, IDS = f"tensor<{CACHED}x{ROWS}x2x64xf16>", f"tensor<3x{PAGES}xi32>"
GATHERED, KEYS_TYPE = f"tensor<3x{PAGES}x{ROWS}x2x64xf16>", f"tensor<3x{KEYS}x2x64xf16>"
SCORES, QUERIES = f"tensor<3x2x4x{KEYS}x", "tensor<3x2x4x64xf16>"

PROGRAM = f"""
func.func @paged(%q: {QUERIES}, %kc: {CACHE}, %vc: {CACHE}, %ids: {IDS}, %length: tensor<3x1x1x1xi32>) -> {QUERIES} {{
  %hidden = fuse.constant dense<0xFF800000> : tensor<f32>
  %kp = fuse.gather %kc, %ids dim = 0 : {CACHE}, {IDS} -> {GATHERED}
  %vp = fuse.gather %vc, %ids dim = 0 : {CACHE}, {IDS} -> {GATHERED}
  %k = tensor.collapse_shape %kp [[0], [1, 2], [3], [4]] : {GATHERED} into {KEYS_TYPE}
  %v = tensor.collapse_shape %vp [[0], [1, 2], [3], [4]] : {GATHERED} into {KEYS_TYPE}
  %s = fuse.contract "bhgd,bnhd->bhgn" %q, %k : {QUERIES}, {KEYS_TYPE} -> {SCORES}f16>
  %f = fuse.cast %s : {SCORES}f16> -> {SCORES}f32>
  %j = fuse.iota dim = 3 : {SCORES}i32>
  %m = fuse.compare lt %j, %length : {SCORES}i32>, tensor<3x1x1x1xi32>
  %x = fuse.select %m, %f, %hidden : {SCORES}i1>, {SCORES}f32>, tensor<f32>
  %p = fuse.softmax %x dims = [3] : {SCORES}f32>
  %w = fuse.cast %p : {SCORES}f32> -> {SCORES}f16>
  %o = fuse.contract "bhgn,bnhd->bhgd" %w, %v : {SCORES}f16>, {KEYS_TYPE} -> {QUERIES}
  return %o : {QUERIES}
}}"""


def attention(query, keys, values):
    scores = np.einsum("hgd,nhd->hgn", query, keys)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    return np.einsum("hgn,nhd->hgd", weights, values)


@pytest.mark.parametrize("chip", ["sm_90a", "sm_80"])
def test_a_page_that_is_not_there_is_nan_where_it_is_seen(chip):
    program = fuse.compile(PROGRAM, target="emu", chip=chip, cache=False)
    assert program.kernels[0].schedule.startswith("#fuse.streamed<")
    random = np.random.default_rng(0)
    query = random.standard_normal((SEQUENCES, HEADS, GROUP, SIZE)).astype(np.float16)
    keys, values = (
        random.standard_normal((CACHED, ROWS, HEADS, SIZE)).astype(np.float16)
        for _ in range(2)
    )
    ids = random.integers(0, CACHED, (SEQUENCES, PAGES)).astype(np.int32)
    ids[0, 8], ids[1, 2], ids[2, 1] = CACHED, -1, 77
    length = np.array([120, 60, 200], np.int32).reshape(SEQUENCES, 1, 1, 1)
    got = np.asarray(program(query, keys, values, ids, length)).astype(np.float64)
    # Only the first sequence's mask hides the page.
    first = [each[ids[0, :8]].astype(np.float64) for each in (keys, values)]
    seen = [each.reshape(-1, HEADS, SIZE)[:120] for each in first]
    np.testing.assert_allclose(
        got[0], attention(query[0].astype(np.float64), *seen), atol=5e-3
    )
    assert np.isnan(got[1:]).all()
