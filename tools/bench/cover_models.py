#!/usr/bin/env python3
# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Architectures of transformers, two small layers of each, with torch.compile(backend="fuse").

Nobody tunes for these: the question is whether a model that Fuse has never seen runs, is as
close to f64 as eager code, and what of it stays eager. About two minutes on a CPU.

    cover_models.py
    cover_models.py --only falcon,mamba --options contractions=always,attention=always
"""

import argparse
import collections
import logging
import sys
import time
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

SIZES = {
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 128,
    "max_position_embeddings": 64,
}
# By the name of the architecture, sizes that have other names there.
_GPT = {"n_embd": 64, "n_layer": 2, "n_head": 4, "n_positions": 64}
_PARTIAL = {**_GPT, "rotary_dim": 8, "n_ctx": 64}
DECODERS = {
    "bloom": {"n_layer": 2, "n_head": 4},
    "codegen": _PARTIAL,
    "cohere": {},
    "falcon": {"alibi": True},
    "gemma3_text": {"head_dim": 16, "sliding_window": 8},
    "gpt2": _GPT,
    "gpt_neox": {},
    "gptj": _PARTIAL,
    "granite": {"embedding_multiplier": 2.0, "residual_multiplier": 0.5},
    "llama": {},
    "mamba": {"state_size": 8},
    "mpt": {"d_model": 64, "n_heads": 4, "n_layers": 2, "max_seq_len": 64},
    "nemotron": {},
    "olmo2": {},
    "opt": {"ffn_dim": 128, "word_embed_proj_dim": 64},
    "phi": {},
    "phi3": {"pad_token_id": 0},
    "qwen2_moe": {
        "num_experts": 4,
        "num_experts_per_tok": 2,
        "moe_intermediate_size": 32,
        "shared_expert_intermediate_size": 64,
    },
    "smollm3": {"pad_token_id": 0},
    "stablelm": {},
    "starcoder2": {},
    "xglm": {"d_model": 64, "ffn_dim": 128, "num_layers": 2, "attention_heads": 4},
}
ENCODERS = {
    "bert": {},
    "deberta-v2": {
        "relative_attention": True,
        "position_buckets": 8,
        "pos_att_type": ["c2p", "p2c"],
    },
    "distilbert": {"dim": 64, "hidden_dim": 128, "n_layers": 2, "n_heads": 4},
    "electra": {"embedding_size": 32},
    "modernbert": {"pad_token_id": 0, "cls_token_id": 1, "sep_token_id": 2},
    "roberta": {},
    "t5": {"d_model": 64, "d_kv": 16, "d_ff": 128, "num_layers": 2, "num_heads": 4},
}
# Further from f64 than so many times eager's distance is wrong. A distance of few
# roundings says little, hence the floor.
MOST_OF_EAGERS, LEAST_DISTANCE = 2.0, 1e-6


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="architectures, as a,b,c")
    parser.add_argument(
        "--options", default="", help="of the backend, as contractions=always"
    )
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    return parser.parse_args()


def build(name, device):
    """A model in f32 with random weights, and the keywords of a call."""
    import torch
    import transformers

    torch.manual_seed(0)
    sizes = {**SIZES, **(DECODERS | ENCODERS)[name]}
    config = transformers.AutoConfig.for_model(name, **sizes)
    kind = (
        transformers.AutoModelForCausalLM
        if name in DECODERS
        else transformers.AutoModel
    )
    model = kind.from_config(config).eval().to(device)
    ids = torch.randint(3, 120, (2, 12), device=device)
    call = {"input_ids": ids}
    if model.config.is_encoder_decoder:
        call["decoder_input_ids"] = ids[:, :5]
    return model, call


def distances(model, call, options):
    """The largest differences from f64, of Fuse and of eager code."""
    import torch

    with torch.no_grad():
        eager = model(**call)[0]
        fused = torch.compile(model, backend="fuse", options=options)(**call)[0]
        try:
            exact = model.double()(**call)[0]
        except RuntimeError:
            # Some models have operators that f64 has not.
            exact = eager
    return [(each - exact).abs().max().item() for each in (fused, eager)]


def eager_operators(report):
    """How often each reason to stay eager was given, by operator."""
    return collections.Counter(
        f"{operator}: {reason}" for graph in report for operator, reason in graph.eager
    )


def cover(name, device, options):
    """Runs one architecture; whether it is right."""
    import fuse_compiler.torch as fuse_torch
    import torch

    torch._dynamo.reset()
    fuse_torch.reset_report()
    start = time.monotonic()
    fused, eager = distances(*build(name, device), options)
    seconds = time.monotonic() - start
    report = fuse_torch.report()
    regions = [region for graph in report for region in graph.regions]
    failures = [region.failure for region in regions if region.failure]
    is_right = fused <= max(MOST_OF_EAGERS * eager, LEAST_DISTANCE) and not failures
    print(
        f"{name:12} {'right' if is_right else 'WRONG'}, {len(report)} graphs, "
        f"{len(regions)} regions, {fused:.1e} from f64, eager {eager:.1e}, {seconds:.1f} s"
    )
    for failure in failures:
        print(f"    refused: {failure}")
    for reason, count in sorted(eager_operators(report).items()):
        print(f"    eager: {count} x {reason}")
    return is_right


def main():
    arguments = parse_arguments()
    names = [n for n in arguments.only.split(",") if n] or [*DECODERS, *ENCODERS]
    if unknown := set(names) - (DECODERS | ENCODERS).keys():
        sys.exit(f"expected architectures of the list, but got {', '.join(unknown)}")
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    pairs = [each.partition("=") for each in arguments.options.split(",") if each]
    options = {key: value for key, _, value in pairs}
    right = [cover(name, arguments.device, options) for name in names]
    print(f"{sum(right)} of {len(right)} architectures are right")
    return 0 if all(right) else 1


if __name__ == "__main__":
    sys.exit(main())
