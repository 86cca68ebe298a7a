# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scaled rotary angles, against the papers' formulas and the published configurations.

The formulas are written here in NumPy, from the papers and model cards, and where
transformers and torch can be imported they are compared with its rotary code, too.
"""

import fuse_compiler as fuse
import numpy as np
import pytest

# Of the configuration of microsoft/Phi-3.5-mini-instruct.
PHI_SHORT = [1.0, 1.0199999809265137, 1.0299999713897705, 1.0299999713897705]
PHI_SHORT += [1.0499999523162842] * 5
PHI_SHORT += [1.0699999332427979, 1.0999999046325684, 1.1099998950958252]
PHI_SHORT += [1.1599998474121094, 1.1599998474121094, 1.1699998378753662]
PHI_SHORT += [1.2899998426437378, 1.339999794960022, 1.679999828338623]
PHI_SHORT += [1.7899998426437378, 1.8199998140335083, 1.8499997854232788]
PHI_SHORT += [1.8799997568130493, 1.9099997282028198, 1.9399996995925903]
PHI_SHORT += [1.9899996519088745, *[2.0199997425079346] * 6, *[2.0299997329711914] * 9]
PHI_SHORT += [2.0799996852874756, 2.0899996757507324, 2.189999580383301]
PHI_SHORT += [2.2199995517730713, 2.5899994373321533, 2.729999542236328]
PHI_SHORT += [2.749999523162842, 2.8399994373321533]
PHI_LONG = [1.0800000429153442, 1.1100000143051147, 1.1399999856948853]
PHI_LONG += [1.340000033378601, 1.5899999141693115, 1.600000023841858]
PHI_LONG += [1.6200000047683716, 2.620000123977661, 3.2300000190734863]
PHI_LONG += [3.2300000190734863, 4.789999961853027, 7.400000095367432]
PHI_LONG += [7.700000286102295, 9.09000015258789, 12.199999809265137]
PHI_LONG += [17.670000076293945, 24.46000099182129, 28.57000160217285]
PHI_LONG += [30.420001983642578, 30.840002059936523, 32.590003967285156]
PHI_LONG += [32.93000411987305, 42.320003509521484, 44.96000289916992]
PHI_LONG += [50.340003967285156, 50.45000457763672, 57.55000305175781]
PHI_LONG += [57.93000411987305, 58.21000289916992, 60.1400032043457]
PHI_LONG += [62.61000442504883, 62.62000274658203, 62.71000289916992]
PHI_LONG += [63.1400032043457, 63.1400032043457, 63.77000427246094]
PHI_LONG += [63.93000411987305, 63.96000289916992, 63.970001220703125]
PHI_LONG += [64.02999877929688, 64.06999969482422, 64.08000183105469]
PHI_LONG += [64.12000274658203, 64.41000366210938, 64.4800033569336]
PHI_LONG += [64.51000213623047, 64.52999877929688, 64.83999633789062]


def plain(base, dims):
    return np.longdouble(base) ** (np.arange(0, dims, 2, dtype=np.longdouble) / -dims)


def llama3(base, dims, factor, low, high, context):
    """By wave length, as the model card's code has it."""
    f = plain(base, dims)
    wave = 2 * np.longdouble(np.pi) / f
    smooth = (context / wave - low) / (high - low)
    medium = (1 - smooth) * f / factor + smooth * f
    return np.where(
        wave < context / high, f, np.where(wave > context / low, f / factor, medium)
    )


def yarn(base, dims, factor, context, fast=32, slow=1):
    """Equations 17 to 23 of arXiv:2309.00071, with the reference code's rounding."""

    def pair(turns):
        return dims * np.log(context / (turns * 2 * np.pi)) / (2 * np.log(base))

    low, high = np.floor(pair(fast)), np.ceil(pair(slow))
    low, high = max(low, 0), min(high, dims - 1)
    ramp = np.clip((np.arange(dims // 2) - low) / (high - low), 0, 1)
    f = plain(base, dims)
    return f / factor * ramp + f * (1 - ramp)


def listed(factors):
    return "[" + ", ".join(f"{factor!r}" for factor in factors) + "]"


PHI = "#fuse.rope_longrope<factor = 32.0, original_max_position = 4096, {}>"
PHI_MAGNITUDE = np.sqrt(1 + np.log(32) / np.log(4096))
# Name: attribute, base, dims, inverse frequencies, magnitude.
CONFIGURATIONS = {
    "linear": (
        "#fuse.rope_linear<factor = 8.0>",
        1e4,
        128,
        plain(1e4, 128) / 8,
        1.0,
    ),
    "ntk": (
        "#fuse.rope_ntk<factor = 4.0>",
        1e4,
        128,
        plain(np.longdouble(1e4) * np.longdouble(4) ** (np.longdouble(128) / 126), 128),
        1.0,
    ),
    "Llama 3.1": (
        "#fuse.rope_llama3<factor = 8.0, low_freq_factor = 1.0,"
        " high_freq_factor = 4.0, original_max_position = 8192>",
        5e5,
        128,
        llama3(5e5, 128, 8, 1, 4, 8192),
        1.0,
    ),
    "Qwen 2.5": (
        "#fuse.rope_yarn<factor = 4.0, original_max_position = 32768>",
        1e6,
        128,
        yarn(1e6, 128, 4, 32768),
        0.1 * np.log(4) + 1,
    ),
    "Phi 3.5 short": (
        PHI.format(f"short_factors = {listed(PHI_SHORT)}"),
        1e4,
        96,
        plain(1e4, 96) / PHI_SHORT,
        PHI_MAGNITUDE,
    ),
    "Phi 3.5 long": (
        PHI.format(f"long_factors = {listed(PHI_LONG)}"),
        1e4,
        96,
        plain(1e4, 96) / PHI_LONG,
        PHI_MAGNITUDE,
    ),
}


def sines(attribute, base, dims, positions, dtype="f32", length=None):
    """(cos, sin) of each position and pair, as a kernel has them."""
    numpy = {"f32": np.float32, "f64": np.float64}[dtype]
    choice = "" if length is None else ", %n: tensor<i64>"
    program = fuse.compile(
        f"""
        func.func @angles(%x: tensor<?x1x{dims}x{dtype}> {{fuse.dims = ["n"]}},
                          %p: tensor<?xi64> {{fuse.dims = ["n"]}}{choice})
            -> tensor<?x1x{dims}x{dtype}> {{
          %y = fuse.rotary half tokens_heads %x positions(%p)
              {"length(%n)" if choice else ""} base = {base:e} scaling({attribute})
              : tensor<?x1x{dims}x{dtype}>, tensor<?xi64>
              {", tensor<i64>" if choice else ""}
          return %y : tensor<?x1x{dims}x{dtype}>
        }}""",
        target="cpu",
    )
    # The pair (1, 0) becomes (cos, sin).
    x = np.zeros((len(positions), 1, dims), numpy)
    x[:, :, : dims // 2] = 1
    rest = [] if length is None else [np.array(length, np.int64)]
    result = program(x, np.asarray(positions, np.int64), *rest)[:, 0]
    result = result.astype(np.longdouble)
    return result[:, : dims // 2], result[:, dims // 2 :]


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_scaled_phases_up_to_two_to_the_20(name):
    """Within 2 ULP of f64 before the magnitude, which rounds twice more."""
    attribute, base, dims, frequencies, magnitude = CONFIGURATIONS[name]
    end = 1 << 20
    positions = np.r_[0:64, 64:end:9973, end - 64 : end + 1]
    angles = np.outer(positions, frequencies)
    # The reference's own error; YaRN's and Llama's blends lose another bit or two.
    slack = positions[:, None] * np.longdouble(2) ** -58
    for got, sine in zip(sines(attribute, base, dims, positions), (np.cos, np.sin)):
        truth = sine(angles) * np.longdouble(magnitude)
        ulp = np.spacing(np.abs(truth).astype(np.float32)).astype(np.longdouble)
        ulps = 2 if magnitude == 1 else 4
        assert (np.abs(got - truth) <= ulps * ulp + slack).all()


@pytest.mark.parametrize("length", [1, 4096, 4097, 1 << 40])
def test_the_length_chooses_long_factors(length):
    both = f"short_factors = {listed(PHI_SHORT)}, long_factors = {listed(PHI_LONG)}"
    got = sines(PHI.format(both), 1e4, 96, [0, 1, 5000], length=length)
    name = "Phi 3.5 long" if length > 4096 else "Phi 3.5 short"
    expected = sines(*CONFIGURATIONS[name][:3], [0, 1, 5000])
    assert np.array_equal(got, expected)


@pytest.mark.parametrize("beta_fast", [32.0, 1.0])
def test_yarn_without_rounding(beta_fast):
    """`truncate = false`, also where the ramp has no width."""
    attribute = (
        "#fuse.rope_yarn<factor = 4.0, original_max_position = 64,"
        f" beta_fast = {beta_fast}, attention_factor = 1.0, truncate = false>"
    )
    low = 32 * np.log(64 / (beta_fast * 2 * np.pi)) / (2 * np.log(1e4))
    high = 32 * np.log(64 / (2 * np.pi)) / (2 * np.log(1e4))
    low = max(low, 0)
    high += 0.001 if low == high else 0
    ramp = np.clip((np.arange(16) - low) / (high - low), 0, 1)
    frequencies = plain(1e4, 32) * (1 - ramp + ramp / 4)
    cos, sin = sines(attribute, 1e4, 32, [1], dtype="f64")
    assert np.allclose(np.arctan2(sin, cos)[0], frequencies, rtol=1e-12, atol=0)


# In transformers: rope type, parameters, sequence length.
TRANSFORMERS = {
    "linear": ("linear", {"factor": 8.0}, None),
    # At 3 * 2048 positions, of 2048: 1.5 * 3 - 0.5 = 4.
    "ntk": ("dynamic", {"factor": 1.5}, 3 * 2048),
    "Llama 3.1": (
        "llama3",
        {
            "factor": 8.0,
            "low_freq_factor": 1.0,
            "high_freq_factor": 4.0,
            "original_max_position_embeddings": 8192,
        },
        None,
    ),
    "Qwen 2.5": (
        "yarn",
        {"factor": 4.0, "original_max_position_embeddings": 32768},
        None,
    ),
    "Phi 3.5 short": ("longrope", "phi", 4096),
    "Phi 3.5 long": ("longrope", "phi", 4097),
}


@pytest.mark.parametrize("name", TRANSFORMERS)
def test_as_transformers_has_them(name):
    pytest.importorskip("torch")
    rope = pytest.importorskip("transformers.modeling_rope_utils")
    models = pytest.importorskip("transformers")
    attribute, base, dims, *_ = CONFIGURATIONS[name]
    kind, parameters, length = TRANSFORMERS[name]
    longest = {"dynamic": 2048, "longrope": 131072}.get(kind, 32768)
    if parameters == "phi":
        parameters = {
            "short_factor": PHI_SHORT,
            "long_factor": PHI_LONG,
            "original_max_position_embeddings": 4096,
        }
    parameters = {"rope_type": kind, **parameters}
    config = models.LlamaConfig(
        hidden_size=32 * dims,
        num_attention_heads=32,
        head_dim=dims,
        max_position_embeddings=longest,
        rope_theta=base,
        rope_scaling=parameters,
    )
    if hasattr(config, "rope_parameters"):
        config.rope_parameters = {"rope_theta": base, **parameters}
    if kind == "longrope":
        config.original_max_position_embeddings = 4096
    frequencies, magnitude = rope.ROPE_INIT_FUNCTIONS[kind](
        config, "cpu", seq_len=length
    )
    cos, sin = sines(attribute, base, dims, [1], dtype="f64")
    got = np.arctan2(sin, cos)[0].astype(np.float64)
    # Theirs are computed in f32.
    assert np.allclose(got, np.asarray(frequencies), rtol=2e-6, atol=0)
    assert np.allclose(np.hypot(sin, cos).astype(np.float64), magnitude, rtol=1e-6)
