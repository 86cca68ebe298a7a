# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows with work before their reductions, or with several levels of these, for sweeps of
schedules and for comparisons with torch: what no example and no peer's library has.

Constants are exact in every element type, so that f64 computes with the same ones.
"""

from dataclasses import dataclass

from .cases import Case, Input, function_text

ROWS = ' {fuse.dims = ["rows"]}'
EIGHT_BITS = "f8E4M3FN"


@dataclass(frozen=True)
class Types:
    """Of a program's values: rows, weights, and one number a row."""

    dtype: str
    columns: int

    def of(self, shape):
        return f"tensor<{shape}x{self.dtype}>"

    @property
    def rows(self):
        return self.of(f"?x{self.columns}")

    @property
    def weights(self):
        return self.of(self.columns)

    @property
    def numbers(self):
        return self.of("?x1")

    @property
    def mask(self):
        return self.of(f"1x{self.columns}")


def _norm(types, kind, source, target):
    weights = "%w" if kind == "rms_norm" else "%w, %b"
    each = ", ".join([types.weights] * (weights.count("%")))
    return f"  {target} = fuse.{kind} {source}, {weights} eps = 1.0e-5 : {types.rows}, {each}"


def _softmax(types, source, target, kind="softmax"):
    return f"  {target} = fuse.{kind} {source} dims = [1] : {types.rows}"


def _unary(types, op, source, target):
    return f"  {target} = fuse.{op} {source} : {types.rows}"


def _binary(types, op, sources, target, other=None):
    if other is None:
        return f"  {target} = fuse.{op} {sources} : {types.rows}"
    return f"  {target} = fuse.{op} {sources} : {types.rows}, {other} -> {types.rows}"


def _reduce(types, kind, source, target):
    return f"  {target} = fuse.reduce {kind} {source} dims = [1] keep : {types.rows} -> {types.numbers}"


def _constant(value, types, target):
    return f"  {target} = fuse.constant dense<{value}> : {types.of('1x1')}"


def _quantized(types, source):
    """Divided by the largest magnitude of the row over 256."""
    one = types.of("1x1")
    return [
        _unary(types, "abs", source, "%q0"),
        _reduce(types, "max", "%q0", "%q1"),
        _constant(2.0**-8, types, "%q2"),
        f"  %q3 = fuse.mul %q1, %q2 : {types.numbers}, {one} -> {types.numbers}",
        _binary(types, "div", f"{source}, %q3", "%q4", types.numbers),
        f"  %y = fuse.cast %q4 : {types.rows} -> tensor<?x{types.columns}x{EIGHT_BITS}>",
    ]


def _softcap(types):
    one = types.of("1x1")
    return [
        _constant(2.0**-5, types, "%k0"),
        _constant(32.0, types, "%k1"),
        _binary(types, "mul", "%x, %k0", "%c0", one),
        _unary(types, "tanh", "%c0", "%c1"),
        _binary(types, "mul", "%c1, %k1", "%c2", one),
    ]


def _entropy_terms(types, other):
    """Of p log p, or of p (log p - log q)."""
    lines = [
        _softmax(types, "%x", "%p"),
        _softmax(types, "%x", "%l", "log_softmax"),
    ]
    if other:
        lines += [
            _softmax(types, "%r", "%k", "log_softmax"),
            _binary(types, "sub", "%l, %k", "%d"),
        ]
    lines += [
        _binary(types, "mul", "%p, %d" if other else "%p, %l", "%t"),
        _reduce(types, "sum", "%t", "%y"),
    ]
    return lines


def _swiglu(types):
    return [
        _unary(types, "silu", "%x", "%s"),
        _binary(types, "mul", "%s, %r", "%g"),
    ]


def _wide(types):
    """The same rows in f32, in which these chains compute."""
    return Types("f32", types.columns)


def _widened(types, source, target):
    return f"  {target} = fuse.cast {source} : {types.rows} -> {_wide(types).rows}"


def _narrowed(types, source):
    wide = _wide(types)
    return f"  %y = fuse.cast {source} : {wide.rows} -> {types.rows}"


def _summed(types, source):
    """The row's sum, in the type of the rows."""
    wide = _wide(types)
    return [
        _reduce(wide, "sum", source, "%sum"),
        f"  %y = fuse.cast %sum : {wide.numbers} -> {types.numbers}",
    ]


def _divergence_from_mean(wide, letter):
    """p (log p - log m)."""
    return [
        _unary(wide, "log", f"%{letter}", f"%{letter}l"),
        _binary(wide, "sub", f"%{letter}l, %ml", f"%{letter}d"),
        _binary(wide, "mul", f"%{letter}, %{letter}d", f"%{letter}t"),
    ]


def _js_divergence(types):
    wide = _wide(types)
    return [
        _widened(types, "%x", "%xw"),
        _widened(types, "%r", "%rw"),
        _softmax(wide, "%xw", "%p"),
        _softmax(wide, "%rw", "%q"),
        _constant(0.5, wide, "%half"),
        _binary(wide, "add", "%p, %q", "%pq"),
        _binary(wide, "mul", "%pq, %half", "%m", wide.of("1x1")),
        _unary(wide, "log", "%m", "%ml"),
        *_divergence_from_mean(wide, "p"),
        *_divergence_from_mean(wide, "q"),
        _binary(wide, "add", "%pt, %qt", "%t"),
        *_summed(types, "%t"),
    ]


def _focal_loss(types):
    """The sum of (1 - p)^2 log p."""
    wide = _wide(types)
    return [
        _widened(types, "%x", "%xw"),
        _softmax(wide, "%xw", "%p"),
        _constant(1.0, wide, "%one"),
        f"  %c = fuse.sub %one, %p : {wide.of('1x1')}, {wide.rows} -> {wide.rows}",
        _binary(wide, "mul", "%c, %c", "%cc"),
        _unary(wide, "log", "%p", "%l"),
        _binary(wide, "mul", "%cc, %l", "%t"),
        *_summed(types, "%t"),
    ]


def _mish_rms_norm(types):
    wide = _wide(types)
    return [
        _widened(types, "%x", "%xw"),
        f"  %ww = fuse.cast %w : {types.weights} -> {wide.weights}",
        _unary(wide, "exp", "%xw", "%e"),
        _unary(wide, "log1p", "%e", "%l"),
        _unary(wide, "tanh", "%l", "%t"),
        _binary(wide, "mul", "%xw, %t", "%g"),
        f"  %n = fuse.rms_norm %g, %ww eps = 1.0e-5 : {wide.rows}, {wide.weights}",
        _narrowed(types, "%n"),
    ]


def _gelu_erf_softmax(types):
    wide = _wide(types)
    return [
        _widened(types, "%x", "%xw"),
        _unary(wide, "gelu erf", "%xw", "%g"),
        _softmax(wide, "%g", "%s"),
        _narrowed(types, "%s"),
    ]


def _power_norm(types):
    """x over the root of degree 2.5 of the sum of |x|^2.5."""
    wide = _wide(types)
    one = wide.of("1x1")
    return [
        _widened(types, "%x", "%xw"),
        _constant(2.5, wide, "%degree"),
        _constant(0.4, wide, "%root"),
        _unary(wide, "abs", "%xw", "%a"),
        _binary(wide, "pow", "%a, %degree", "%z", one),
        _reduce(wide, "sum", "%z", "%n"),
        f"  %d = fuse.pow %n, %root : {wide.numbers}, {one} -> {wide.numbers}",
        _binary(wide, "div", "%xw, %d", "%v", wide.numbers),
        _narrowed(types, "%v"),
    ]


def _torch_wide(torch, x):
    return x if x.dtype == torch.float64 else x.float()


def _torch_js_divergence(torch, x, r):
    p, q = (torch.softmax(_torch_wide(torch, each), -1) for each in (x, r))
    m = ((p + q) * 0.5).log()
    return (p * (p.log() - m) + q * (q.log() - m)).sum(-1, keepdim=True).to(x.dtype)


def _torch_focal_loss(torch, x):
    p = torch.softmax(_torch_wide(torch, x), -1)
    return ((1 - p) ** 2 * p.log()).sum(-1, keepdim=True).to(x.dtype)


def _torch_mish_rms_norm(torch, x, w):
    g = torch.nn.functional.mish(_torch_wide(torch, x))
    return _torch_rms_norm(torch, g, w.to(g.dtype)).to(x.dtype)


def _torch_gelu_erf_softmax(torch, x):
    g = torch.nn.functional.gelu(_torch_wide(torch, x))
    return torch.softmax(g, -1).to(x.dtype)


def _torch_power_norm(torch, x):
    v = _torch_wide(torch, x)
    return (v / (v.abs() ** 2.5).sum(-1, keepdim=True) ** 0.4).to(x.dtype)


def _torch_rms_norm(torch, x, w):
    return torch.nn.functional.rms_norm(x, x.shape[-1:], w, 1e-5)


def _torch_layer_norm(torch, x, w, b):
    return torch.nn.functional.layer_norm(x, x.shape[-1:], w, b, 1e-5)


def _torch_gelu(torch, x):
    return torch.nn.functional.gelu(x, approximate="tanh")


def _torch_silu(torch, x):
    return torch.nn.functional.silu(x)


def _torch_swiglu(torch, gate, up):
    return _torch_silu(torch, gate) * up


def _torch_quantized(torch, x):
    """(x over its row's scale, the scale); not rounded to 8 bits if x is f64."""
    scale = x.abs().amax(-1, keepdim=True) * 2.0**-8
    scaled = x / scale
    narrow = scaled if x.dtype == torch.float64 else scaled.to(torch.float8_e4m3fn)
    return narrow, scale


def _torch_entropy(torch, x):
    terms = torch.softmax(x, -1) * torch.log_softmax(x, -1)
    return terms.sum(-1, keepdim=True)


def _torch_kl_divergence(torch, x, r):
    ratio = torch.log_softmax(x, -1) - torch.log_softmax(r, -1)
    return (torch.softmax(x, -1) * ratio).sum(-1, keepdim=True)


def _torch_add_rms_norm_quantize(torch, x, r, w):
    h = x + r
    narrow, scale = _torch_quantized(torch, _torch_rms_norm(torch, h, w))
    return narrow, h, scale


def _torch_norm_gelu_norm(torch, x, w, b):
    inner = _torch_gelu(torch, _torch_layer_norm(torch, x, w, b))
    return _torch_layer_norm(torch, inner, w, b)


def _torch_l2_tanh(torch, x):
    g = torch.tanh(x)
    return g * (g * g).sum(-1, keepdim=True).rsqrt()


# By name: the inputs beside x, the lines, the results, and the same in torch.
CHAINS = {
    "gelu_rms_norm": (
        "w",
        lambda t: [
            _unary(t, "gelu tanh", "%x", "%g"),
            _norm(t, "rms_norm", "%g", "%y"),
        ],
        "y",
        lambda torch, x, w: _torch_rms_norm(torch, _torch_gelu(torch, x), w),
    ),
    "silu_layer_norm": (
        "wb",
        lambda t: [
            _unary(t, "silu", "%x", "%g"),
            _norm(t, "layer_norm", "%g", "%y"),
        ],
        "y",
        lambda torch, x, *wb: _torch_layer_norm(torch, _torch_silu(torch, x), *wb),
    ),
    "rms_norm_softmax": (
        "w",
        lambda t: [_norm(t, "rms_norm", "%x", "%g"), _softmax(t, "%g", "%y")],
        "y",
        lambda torch, x, w: torch.softmax(_torch_rms_norm(torch, x, w), -1),
    ),
    "normalize_quantize": (
        "w",
        lambda t: [_norm(t, "rms_norm", "%x", "%g"), *_quantized(t, "%g")],
        "yq",
        lambda torch, x, w: _torch_quantized(torch, _torch_rms_norm(torch, x, w)),
    ),
    "swiglu_quantize": (
        "r",
        lambda t: [*_swiglu(t), *_quantized(t, "%g")],
        "yq",
        lambda torch, x, r: _torch_quantized(torch, _torch_swiglu(torch, x, r)),
    ),
    "swiglu_rms_norm": (
        "rw",
        lambda t: [*_swiglu(t), _norm(t, "rms_norm", "%g", "%y")],
        "y",
        lambda torch, x, r, w: _torch_rms_norm(torch, _torch_swiglu(torch, x, r), w),
    ),
    "masked_softmax": (
        "m",
        lambda t: [
            _binary(t, "add", "%x, %m", "%g", t.mask),
            _softmax(t, "%g", "%y"),
        ],
        "y",
        lambda torch, x, m: torch.softmax(x + m, -1),
    ),
    "softcap_softmax": (
        "",
        lambda t: [*_softcap(t), _softmax(t, "%c2", "%y")],
        "y",
        lambda torch, x: torch.softmax(torch.tanh(x * 2.0**-5) * 32, -1),
    ),
    "gelu_softmax": (
        "",
        lambda t: [_unary(t, "gelu tanh", "%x", "%g"), _softmax(t, "%g", "%y")],
        "y",
        lambda torch, x: torch.softmax(_torch_gelu(torch, x), -1),
    ),
    "entropy": ("", lambda t: _entropy_terms(t, other=False), "n", _torch_entropy),
    "kl_divergence": (
        "r",
        lambda t: _entropy_terms(t, other=True),
        "n",
        _torch_kl_divergence,
    ),
    "add_rms_norm_quantize": (
        "rw",
        lambda t: [
            _binary(t, "add", "%x, %r", "%h"),
            _norm(t, "rms_norm", "%h", "%g"),
            *_quantized(t, "%g"),
        ],
        "yhq",
        _torch_add_rms_norm_quantize,
    ),
    "rms_norm_layer_norm": (
        "wb",
        lambda t: [
            _norm(t, "rms_norm", "%x", "%g"),
            _norm(t, "layer_norm", "%g", "%y"),
        ],
        "y",
        lambda torch, x, w, b: _torch_layer_norm(
            torch, _torch_rms_norm(torch, x, w), w, b
        ),
    ),
    "layer_norm_gelu_layer_norm": (
        "wb",
        lambda t: [
            _norm(t, "layer_norm", "%x", "%g"),
            _unary(t, "gelu tanh", "%g", "%h"),
            _norm(t, "layer_norm", "%h", "%y"),
        ],
        "y",
        _torch_norm_gelu_norm,
    ),
    "l2_tanh": (
        "",
        lambda t: [
            _unary(t, "tanh", "%x", "%g"),
            _binary(t, "mul", "%g, %g", "%s"),
            _reduce(t, "sum", "%s", "%n"),
            f"  %i = fuse.rsqrt %n : {t.numbers}",
            _binary(t, "mul", "%g, %i", "%y", t.numbers),
        ],
        "y",
        _torch_l2_tanh,
    ),
    # Hundreds of instructions an element, all in f32.
    "js_divergence": ("r", _js_divergence, "n", _torch_js_divergence),
    "focal_loss": ("", _focal_loss, "n", _torch_focal_loss),
    "mish_rms_norm": ("w", _mish_rms_norm, "y", _torch_mish_rms_norm),
    "gelu_erf_softmax": ("", _gelu_erf_softmax, "y", _torch_gelu_erf_softmax),
    "power_norm": ("", _power_norm, "y", _torch_power_norm),
}


def _make(name, dtype, rows, columns):
    letters, lines, returned, torch_function = CHAINS[name]
    types = Types(dtype, columns)
    arguments = [("x", types.rows + ROWS)]
    inputs = [Input((rows, columns), dtype)]
    for letter in letters:
        kind, shape = {
            "r": (types.rows + ROWS, (rows, columns)),
            "m": (types.mask, (1, columns)),
        }.get(letter, (types.weights, (columns,)))
        arguments.append((letter, kind))
        inputs.append(Input(shape, dtype))
    wide, number = Input((rows, columns), dtype), Input((rows, 1), dtype)
    eight = Input((rows, columns), EIGHT_BITS)
    kinds = {
        "y": ("%y", types.rows, wide),
        "h": ("%h", types.rows, wide),
        "n": ("%y", types.numbers, number),
        "q": ("%q3", types.numbers, number),
    }
    if "q" in returned:
        kinds["y"] = ("%y", f"tensor<?x{columns}x{EIGHT_BITS}>", eight)
    results = [kinds[letter] for letter in returned]
    program = function_text(
        name,
        arguments,
        [type_ for _, type_, _ in results],
        "\n".join(lines(types)),
        ", ".join(value for value, _, _ in results),
    )
    written = sum(each.bytes for _, _, each in results)
    title = f"{name} {dtype} {rows}x{columns}"
    return Case(title, program, tuple(inputs), written, torch_function)


@dataclass(frozen=True)
class Chain:
    name: str

    def make(self, dtype, rows, columns):
        return _make(self.name, dtype, rows, columns)


FAMILIES = tuple(map(Chain, CHAINS))
