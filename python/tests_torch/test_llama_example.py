# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""examples/python/llama.py beside a model in plain torch, which has no cache, and the block that
the comparison with torch measures beside its program."""

import math
import sys
from pathlib import Path

import fuse_compiler as fuse
import pytest
import torch
from torch.nn import functional as F

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "examples" / "python"), str(ROOT / "tools")]

import llama  # noqa: E402
import llama_batches  # noqa: E402
from bench.peers import block_cases, block_torch  # noqa: E402
from llama_program import Config  # noqa: E402

SCALING = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 64,
}
# As config.json has them.
PLAIN = {
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 101,
    "rms_norm_eps": 1e-5,
    "rope_theta": 1e4,
}
KINDS = {
    "llama": PLAIN,
    "scaled": PLAIN | {"rope_scaling": SCALING},
    "tied": PLAIN | {"tie_word_embeddings": True},
    "qwen2": PLAIN | {"model_type": "qwen2"},
    "qwen3": PLAIN | {"model_type": "qwen3", "head_dim": 32},
}


def random_weights(config, dtype=torch.float32):
    generator = torch.Generator().manual_seed(1)
    weights = {}
    for name, shape in config.model_weights().items():
        value = torch.randn(shape, generator=generator)
        one = 1.0 if name.endswith("norm.weight") else 0.0
        weights[name] = (
            one + (0.2 * value if len(shape) == 1 else value * shape[1] ** -0.5)
        ).to(dtype)
    return weights


def norm(x, weight, eps):
    wide = x.float() if x.dtype != torch.float64 else x
    scale = torch.rsqrt(wide.square().mean(-1, keepdim=True) + eps)
    return weight * (wide * scale).to(x.dtype)


def rotated(x, angles):
    low, high = x.chunk(2, dim=-1)
    turned = torch.cat((-high, low), dim=-1)
    both = torch.cat((angles, angles), dim=-1)
    return x * both.cos().to(x.dtype) + turned * both.sin().to(x.dtype)


def frequencies(config):
    """Written down once more, from the paper and transformers' description."""
    size = config.head_dim
    found = config.rope_theta ** (-torch.arange(0, size, 2, dtype=torch.float64) / size)
    if not config.rope_scaling:
        return found
    length = SCALING["original_max_position_embeddings"]
    waves = 2 * math.pi / found
    slow = found / SCALING["factor"]
    smooth = (length / waves - SCALING["low_freq_factor"]) / (
        SCALING["high_freq_factor"] - SCALING["low_freq_factor"]
    )
    between = (1 - smooth) * slow + smooth * found
    is_slow = waves > length / SCALING["low_freq_factor"]
    is_fast = waves < length / SCALING["high_freq_factor"]
    return torch.where(is_slow, slow, torch.where(is_fast, found, between))


def logits_of(config, weights, ids):
    """Of the last tokens, by plain torch."""
    heads, groups = config.num_attention_heads, config.num_key_value_heads
    places = torch.arange(ids.shape[1], dtype=torch.float64)
    angles = places[:, None] * frequencies(config)
    x = weights["model.embed_tokens.weight"][ids]
    for number in range(config.num_hidden_layers):
        w = {
            name: weights.get(f"model.layers.{number}.{name}")
            for name in (*config.layer_weights(), "self_attn.q_proj.bias")
        }
        n = norm(x, w["input_layernorm.weight"], config.rms_norm_eps)
        q, k, v = (
            F.linear(
                n, w[f"self_attn.{p}_proj.weight"], w.get(f"self_attn.{p}_proj.bias")
            )
            .unflatten(-1, (-1, config.head_dim))
            .transpose(1, 2)
            for p in "qkv"
        )
        if config.has_head_norms:
            q = norm(q, w["self_attn.q_norm.weight"], config.rms_norm_eps)
            k = norm(k, w["self_attn.k_norm.weight"], config.rms_norm_eps)
        q, k = rotated(q, angles), rotated(k, angles)
        k, v = (each.repeat_interleave(heads // groups, dim=1) for each in (k, v))
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + F.linear(a.transpose(1, 2).flatten(2), w["self_attn.o_proj.weight"])
        n = norm(x, w["post_attention_layernorm.weight"], config.rms_norm_eps)
        gate = F.silu(F.linear(n, w["mlp.gate_proj.weight"]))
        x = x + F.linear(
            gate * F.linear(n, w["mlp.up_proj.weight"]), w["mlp.down_proj.weight"]
        )
    x = norm(x[:, -1], weights["model.norm.weight"], config.rms_norm_eps)
    head = weights.get("lm_head.weight", weights["model.embed_tokens.weight"])
    return F.linear(x, head)


def greedy(config, weights, ids, count):
    for _ in range(count):
        ids = torch.cat(
            (ids, logits_of(config, weights, ids).argmax(-1)[:, None]), dim=1
        )
    return ids[:, -count:]


@pytest.mark.parametrize("kind", KINDS)
def test_generates_the_tokens_of_the_model(kind):
    config, batch, count = Config.of(KINDS[kind]), 2, 64
    weights = random_weights(config)
    ids = torch.tensor([[1, 5, 9, 14, 3], [2, 2, 40, 7, 100]])
    generator = llama.Generator(config, weights, cache=5 + count, batch=batch)
    assert torch.equal(
        generator.generate(ids, count), greedy(config, weights, ids, count)
    )


def test_logits_in_bf16_are_as_near_as_those_of_torch():
    config = Config.of(PLAIN)
    weights = random_weights(config, torch.bfloat16)
    exact = {name: weight.double() for name, weight in weights.items()}
    ids = torch.randint(0, 101, (1, 20), generator=torch.Generator().manual_seed(2))
    generator = llama.Generator(config, weights, cache=20, element="bf16")
    wanted = logits_of(config, exact, ids)
    mine = (generator.step(ids, 0)[0] - wanted).square().mean()
    torchs = (logits_of(config, weights, ids) - wanted).square().mean()
    assert mine <= 1.5**2 * torchs


def test_a_prompt_in_two_parts_is_that_in_one():
    config = Config.of(PLAIN)
    weights = random_weights(config)
    ids = torch.randint(0, 101, (1, 9), generator=torch.Generator().manual_seed(3))
    whole = llama.Generator(config, weights, cache=9).step(ids, 0)[0]
    parts = llama.Generator(config, weights, cache=9)
    parts.step(ids[:, :4], 0)
    torch.testing.assert_close(parts.step(ids[:, 4:], 4)[0], whole)


def test_what_does_not_fit_is_refused():
    config = Config.of(PLAIN)
    weights = random_weights(config)
    generator = llama.Generator(config, weights, cache=4)
    with pytest.raises(ValueError, match="expected at most 4 tokens, but got 5"):
        generator.step(torch.zeros(1, 5, dtype=torch.int64), 0)
    with pytest.raises(
        ValueError, match="as torch.bfloat16 of .* but got torch.float32"
    ):
        llama.Generator(config, weights, cache=4, element="bf16")
    del weights["lm_head.weight"]
    with pytest.raises(ValueError, match="expected a weight 'lm_head.weight'"):
        llama.Generator(config, weights, cache=4)
    with pytest.raises(ValueError, match="multiple of those of keys, but got 4 and 3"):
        Config.of(PLAIN | {"num_key_value_heads": 3})
    with pytest.raises(
        ValueError, match="llama, mistral, qwen2 or qwen3, but got 'gpt2'"
    ):
        Config.of(PLAIN | {"model_type": "gpt2"})


SMALL = {"hidden": 64, "inner": 96, "heads": 4, "head": 16}
BLOCKS = (
    block_cases.Case("prefill", 2, 7, 7, 2, "f32", True, **SMALL),
    block_cases.Case("decode", 3, 1, 9, 2, "f32", True, **SMALL),
    block_cases.Case("full", 2, 7, 7, 4, "f32", False, **SMALL),
)


@pytest.mark.parametrize("case", BLOCKS, ids=lambda case: case.name)
def test_the_measured_block_is_that_of_torch(case):
    block = block_torch.Block(case, device="cpu")
    x = torch.randn(case.batch, case.tokens, case.hidden)
    caches = [each.transpose(1, 2).contiguous() for each in (block.keys, block.values)]
    program = fuse.compile(case.program, target="cpu")
    with torch.no_grad():
        found = program(
            x,
            torch.tensor(case.first, dtype=torch.int32),
            block.slots.int(),
            block.cos_table,
            block.sin_table,
            *caches,
            *block.weights(),
        )
        y = block(x)
    wanted = block.keys.transpose(1, 2), block.values.transpose(1, 2), y
    for got, expected in zip(found, wanted, strict=True):
        torch.testing.assert_close(got, expected, atol=1e-5, rtol=1e-5)


def test_sequences_that_come_and_go_share_calls():
    config = Config.of(KINDS["llama"])
    weights = random_weights(config)
    prompts = [torch.randint(0, 101, (length,)).tolist() for length in (5, 37, 2, 18)]
    # Pages for three of them at a time.
    batcher = llama_batches.Batcher(config, weights, pages=11, page=8, longest=64)
    found, prompt_of = {}, {}
    for step in range(24):
        if step % 5 == 0 and prompts:
            prompt = prompts.pop(0)
            prompt_of[batcher.add(prompt)] = prompt
        for number, token in batcher.step().items():
            found.setdefault(number, []).append(token)
            if len(found[number]) == 12:
                batcher.remove(number)
    assert [len(found[number]) for number in prompt_of] == [12, 12, 12, 9]
    for number, prompt in prompt_of.items():
        wanted = greedy(config, weights, torch.tensor([prompt]), len(found[number]))
        assert found[number] == wanted[0].tolist()


def test_a_pool_without_room_is_an_error():
    config = Config.of(KINDS["llama"])
    batcher = llama_batches.Batcher(config, random_weights(config), pages=1, page=8)
    batcher.add(list(range(9)))
    with pytest.raises(ValueError, match="expected 2 free pages, but got 1; remove"):
        batcher.step()
    with pytest.raises(ValueError, match="expected a prompt of tokens"):
        batcher.add([])
