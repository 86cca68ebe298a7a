# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The block of block_cases in torch: as eager code, and by torch.compile in its modes."""

import torch
from torch import nn
from torch.nn import functional
from torch.nn.attention import SDPBackend

from .cases import TORCH_NAMES

# By name, the mode of torch.compile; the last two capture CUDA graphs.
MODES = {
    "compile": "default",
    "compile-graph": "reduce-overhead",
    "compile-max": "max-autotune",
}
BACKENDS = {
    "cudnn": SDPBackend.CUDNN_ATTENTION,
    "flash": SDPBackend.FLASH_ATTENTION,
}


def weight_of(shape, generator, dtype):
    """Such that rows keep their size; norms' weights are about 1."""
    value = torch.randn(shape, device=generator.device, generator=generator)
    scaled = 1 + 0.1 * value if len(shape) == 1 else value * shape[1] ** -0.5
    return scaled.to(dtype)


class Block(nn.Module):
    """Keys and values lie heads first, as transformers' static cache has them. Weights are
    parameters and caches buffers, so that CUDA graphs take them where they are."""

    def __init__(self, case, seed=0, device="cuda"):
        super().__init__()
        config, self.case = case.config, case
        self.dtype = getattr(torch, TORCH_NAMES[case.element])
        generator = torch.Generator(device).manual_seed(seed)
        for name, shape in config.layer_weights().items():
            value = weight_of(shape, generator, self.dtype)
            # No dots in the names of parameters.
            parameter = nn.Parameter(value, requires_grad=False)
            self.register_parameter(name.replace(".", "_"), parameter)
        shape = (case.batch, case.key_heads, case.cache, config.head_dim)
        for name in ("keys", "values"):
            value = torch.randn(shape, device=device, generator=generator)
            self.register_buffer(name, value.to(self.dtype))
        places = torch.arange(case.cache, device=device)
        frequencies = torch.tensor(
            config.frequencies(), device=device, dtype=torch.float64
        )
        angles = places[:, None] * frequencies
        self.register_buffer("cos_table", angles.cos().float())
        self.register_buffer("sin_table", angles.sin().float())
        self.register_buffer("slots", places[case.first :].clone())

    def weights(self):
        """In the order of the program's arguments."""
        return [
            getattr(self, name.replace(".", "_"))
            for name in self.case.config.layer_weights()
        ]

    def turned(self, x):
        wide = x if x.dtype == torch.float64 else x.float()
        low, high = wide.chunk(2, dim=-1)
        cos, sin = self.cos_table[self.slots], self.sin_table[self.slots]
        turned = low * cos - high * sin, high * cos + low * sin
        return torch.cat(turned, dim=-1).to(x.dtype)

    def norm(self, x, weight):
        return functional.rms_norm(
            x, weight.shape, weight, self.case.config.rms_norm_eps
        )

    def attention(self, q, k, v):
        case = self.case
        grouped = case.key_heads != q.shape[1]
        self.keys.index_copy_(2, self.slots, k)
        self.values.index_copy_(2, self.slots, v)
        if case.first == 0:
            return functional.scaled_dot_product_attention(
                q, k, v, is_causal=case.causal, enable_gqa=grouped
            )
        # One token sees all of the cache.
        return functional.scaled_dot_product_attention(
            q, self.keys, self.values, enable_gqa=grouped
        )

    def forward(self, x):
        size = self.case.config.head_dim
        n = self.norm(x, self.input_layernorm_weight)
        q, k, v = (
            functional.linear(n, weight).unflatten(-1, (-1, size)).transpose(1, 2)
            for weight in (
                self.self_attn_q_proj_weight,
                self.self_attn_k_proj_weight,
                self.self_attn_v_proj_weight,
            )
        )
        a = self.attention(self.turned(q), self.turned(k), v).transpose(1, 2).flatten(2)
        h = x + functional.linear(a, self.self_attn_o_proj_weight)
        n = self.norm(h, self.post_attention_layernorm_weight)
        gate = functional.silu(functional.linear(n, self.mlp_gate_proj_weight))
        m = gate * functional.linear(n, self.mlp_up_proj_weight)
        return h + functional.linear(m, self.mlp_down_proj_weight)


def use_backends(names):
    """Lets scaled_dot_product_attention choose among these only; all for none."""
    torch.backends.cuda.enable_cudnn_sdp(not names or "cudnn" in names)
    torch.backends.cuda.enable_flash_sdp(not names or "flash" in names)
    torch.backends.cuda.enable_mem_efficient_sdp(not names)
    torch.backends.cuda.enable_math_sdp(not names)


def faster_attention(case, stopwatch):
    """Which of torch's attentions is the faster one alone, of this case's shape."""
    dtype = getattr(torch, TORCH_NAMES[case.element])

    def random(heads, tokens):
        shape = (case.batch, heads, tokens, case.config.head_dim)
        return torch.randn(shape, device="cuda").to(dtype)

    q = random(case.config.num_attention_heads, case.tokens)
    k, v = (random(case.key_heads, case.cache) for _ in range(2))
    functions = {}
    for name in BACKENDS:
        use_backends([name])

        def call(name=name):
            use_backends([name])
            return functional.scaled_dot_product_attention(
                q,
                k,
                v,
                is_causal=case.causal and case.first == 0,
                enable_gqa=case.key_heads != q.shape[1],
            )

        try:
            call()
        except RuntimeError:
            continue
        functions[name] = call
    times = stopwatch.run(functions, seconds=0.05)
    use_backends([])
    return {name: each["median"] for name, each in times.items()}
