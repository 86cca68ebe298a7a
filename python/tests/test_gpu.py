# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs on torch tensors of a GPU."""

import json

import fuse_compiler as fuse
import pytest

pytestmark = pytest.mark.gpu

SOFTMAX = """
func.func @softmax(%x: tensor<?x1024xTYPE>) -> tensor<?x1024xTYPE> {
  %y = fuse.softmax %x dims = [1] : tensor<?x1024xTYPE>
  return %y : tensor<?x1024xTYPE>
}"""


@pytest.fixture(scope="module")
def softmax():
    return fuse.compile(SOFTMAX.replace("TYPE", "f32"), target="cuda")


@pytest.mark.parametrize("rows", [0, 1, 333])
def test_softmax(torch, softmax, rows):
    x = torch.randn(rows, 1024, device="cuda")
    y = softmax(x)
    assert y.device == x.device and y.dtype == x.dtype
    torch.testing.assert_close(
        y, torch.softmax(x.double(), 1).float(), rtol=1e-5, atol=1e-7
    )


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_16_bit(torch, dtype):
    program = fuse.compile(
        SOFTMAX.replace("TYPE", {"float16": "f16"}.get(dtype, "bf16"))
    )
    x = torch.randn(64, 1024, device="cuda", dtype=getattr(torch, dtype))
    y = program(x)
    assert y.dtype == x.dtype
    torch.testing.assert_close(y, torch.softmax(x.double(), 1).to(x.dtype))


def test_unaligned(torch, softmax):
    x = torch.randn(5 * 1024 + 1, device="cuda")[1:].view(5, 1024)
    torch.testing.assert_close(softmax(x), torch.softmax(x, 1))


def test_uses_the_current_stream(torch, softmax):
    stream = torch.cuda.Stream()
    x = torch.zeros(4096, 1024, device="cuda")
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        # Without stream order the softmax would read what stands there before.
        torch.cuda._sleep(20_000_000)
        x.copy_(torch.arange(1024, device="cuda").expand_as(x) % 7)
        y = softmax(x)
    stream.synchronize()
    torch.testing.assert_close(y, torch.softmax(x, 1))


def test_takes_a_stream(torch, softmax):
    stream = torch.cuda.Stream()
    x = torch.randn(8, 1024, device="cuda")
    y = torch.full_like(x, float("nan"))
    torch.cuda.synchronize()
    softmax(x, out=y, stream=stream)
    stream.synchronize()
    torch.testing.assert_close(y, torch.softmax(x, 1))


def test_recorded_calls(torch):
    program = fuse.compile(SOFTMAX.replace("TYPE", "f32"), target="cuda", graph=True)
    x, y = torch.randn(8, 1024, device="cuda"), torch.empty(8, 1024, device="cuda")
    for _ in range(3):
        x.normal_()
        program(x, out=y)
        torch.testing.assert_close(y, torch.softmax(x, 1), rtol=1e-5, atol=1e-7)
    # The same memory as another shape, and more arrays than are recorded.
    program(x[:4], out=y[:4])
    kept = [torch.randn(8, 1024, device="cuda") for _ in range(20)]
    for each in (*kept, *kept):
        torch.testing.assert_close(
            program(each), torch.softmax(each, 1), rtol=1e-5, atol=1e-7
        )
    # Within another graph they are a part of that.
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        program(x, out=y)
    x.normal_()
    graph.replay()
    torch.testing.assert_close(y, torch.softmax(x, 1), rtol=1e-5, atol=1e-7)


def test_in_a_graph(torch, softmax):
    x = torch.randn(8, 1024, device="cuda")
    y = softmax(x)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        softmax(x, out=y)
    x.copy_(torch.randn_like(x))
    graph.replay()
    torch.testing.assert_close(y, torch.softmax(x, 1))


def test_refuses(torch, softmax):
    with pytest.raises(fuse.Error, match="expected 'x' to be on cuda:0, but got cpu"):
        softmax(torch.zeros(2, 1024))
    with pytest.raises(fuse.Error, match="expected tensors without gradients"):
        softmax(torch.zeros(2, 1024, device="cuda", requires_grad=True))


def test_takes_views(torch, softmax):
    x = torch.randn(1024, 96, device="cuda")
    for view in (
        x[:, :33].T,
        x[:, ::3].T,
        x.flatten()[:65536].view(32, 2048)[:, 512:1536],
    ):
        assert not view.is_contiguous()
        torch.testing.assert_close(softmax(view), torch.softmax(view, 1))


def test_cupy(softmax):
    cupy = pytest.importorskip("cupy")
    x = cupy.ones((3, 1024), cupy.float32)
    y = softmax(x)
    assert isinstance(y, cupy.ndarray)
    assert float(abs(y - 1 / 1024).max()) < 1e-8


def test_keeps_the_ptx(softmax):
    assert softmax.device.startswith("cuda:")
    assert softmax.kernels[0].stats["ptx"]["min_access_bits"] == 128


# Each value of a result depends on all of the rows before, so that one that is read
# too early spreads.
CHAIN = """
func.func @chain(%x: tensor<?x1024xf32>) -> tensor<?x1024xf32> {
  %one = fuse.constant dense<1.0> : tensor<f32>
  %slope = fuse.constant dense<1.9> : tensor<f32>
  %tenth = fuse.constant dense<0.1> : tensor<f32>
  %m = fuse.reduce mean %x dims = [0] keep : tensor<?x1024xf32> -> tensor<1x1024xf32>
  %p = fuse.mul %m, %tenth : tensor<1x1024xf32>, tensor<f32>
  %d = fuse.sub %x, %p : tensor<?x1024xf32>, tensor<1x1024xf32>
  %a = fuse.abs %d : tensor<?x1024xf32>
  %h = fuse.reduce max %a dims = [1] keep : tensor<?x1024xf32> -> tensor<?x1xf32>
  %q = fuse.div %d, %h : tensor<?x1024xf32>, tensor<?x1xf32>
  %s = fuse.mul %q, %q : tensor<?x1024xf32>
  %t = fuse.mul %s, %slope : tensor<?x1024xf32>, tensor<f32>
  %y = fuse.sub %one, %t : tensor<f32>, tensor<?x1024xf32>
  return %y : tensor<?x1024xf32>
}"""


@pytest.mark.parametrize("rows", [1, 64, 333])
def test_launch_overlap_changes_no_bit(torch, rows):
    plain = fuse.compile(CHAIN, launch_overlap=False)
    overlapped = fuse.compile(CHAIN)
    assert len(plain.kernels) > 1
    start = torch.rand(rows, 1024, device="cuda") - 0.5

    def steps(program, x, y):
        for _ in range(16):
            program(x, out=y)
            program(y, out=x)

    def result(program):
        x = start.clone()
        steps(program, x, torch.empty_like(x))
        return x

    expected = result(plain)
    assert expected.isfinite().all()
    for _ in range(20):
        assert torch.equal(result(overlapped), expected)
    # Beside kernels of others, and in a graph.
    x, y = start.clone(), torch.empty_like(start)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        x.copy_(start)
        y.fill_(float("nan"))
        steps(overlapped, x, y)
        z = x + 0
    for _ in range(20):
        graph.replay()
        assert torch.equal(z, expected)


# Beyond what counts as few bytes: `kernels` are those of large calls.
@pytest.mark.parametrize("shapes", [True, [(65536, 1024)]])
def test_autotune(torch, tmp_path, shapes):
    tuning = tmp_path / "tuning.json"
    text = SOFTMAX.replace("TYPE", "f32")
    x = torch.randn(65536, 1024, device="cuda")
    program = fuse.compile(text, autotune=shapes, tuning=tuning)
    torch.testing.assert_close(program(x), torch.softmax(x, 1))
    (entry,) = json.loads(tuning.read_text())["entries"]
    assert program.kernels[0].schedule == entry["schedule"]
    (kernel,) = program.tuning
    assert kernel["trials"][kernel["best"]]["schedule"] == entry["schedule"]
    assert len(kernel["trials"]) > 1 and kernel["trials"][0]["us"] > 0
    again = fuse.compile(text, tuning=tuning)
    assert again.kernels[0].schedule == entry["schedule"]
    assert again.tuning is None


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_magnitude_of_the_least_number(torch, dtype):
    kind = getattr(torch, dtype)
    least = torch.iinfo(kind).min
    tensor = f"tensor<?xi{torch.iinfo(kind).bits}>"
    program = fuse.compile(f"""
func.func @signs(%x: {tensor}) -> ({tensor}, {tensor}) {{
  %m = fuse.abs %x : {tensor}
  %s = fuse.sign %m : {tensor}
  return %m, %s : {tensor}, {tensor}
}}""")
    x = torch.tensor([least, least + 1, -1, 0, 7] * 100, device="cuda", dtype=kind)
    magnitudes, signs = program(x)
    assert torch.equal(magnitudes, torch.where(x < 0, -x, x))
    assert torch.equal(signs, magnitudes.sign())
