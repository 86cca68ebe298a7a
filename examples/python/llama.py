#!/usr/bin/env python3
# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A transformers LlamaForCausalLM (also Mistral, Qwen2, Qwen3) generates tokens through programs
of Fuse: one for the prompt, of any length, and one for each token that follows. Weights stay as
the checkpoint has them.

    llama.py                          # random weights, 4 layers; beside the model's own tokens
    llama.py --kind qwen2 --tokens 64
    llama.py --model FOLDER --ids 128000,9906 --element bf16 --target cuda

Needs torch and transformers. Generator takes any state dict with the names of Hugging Face.
"""

import argparse
import sys
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(Path(__file__).resolve().parent)]

import fuse_compiler as fuse  # noqa: E402
from llama_program import Config, model_program  # noqa: E402

TYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}


class Generator:
    """Generates tokens greedily for `batch` sequences of one length, up to `cache` tokens each.

    config   a Config, a transformers configuration, or the dict of a config.json
    weights  a state dict, or a part of one that has the weights of the model
    """

    def __init__(self, config, weights, *, cache, batch=1, element="f32", target="cpu"):
        self._load(config, weights, element, target)
        self.cache, self.batch = cache, batch
        self.prompt, self.token = (
            fuse.compile(
                model_program(self.config, element, batch, tokens, cache), target=target
            )
            for tokens in (None, 1)
        )
        heads, size = self.config.num_key_value_heads, self.config.head_dim
        self.caches = self._zeros(batch, cache, heads, size)
        self.tables = self._angles(cache)

    def _load(self, config, weights, element, target):
        self.config = config if isinstance(config, Config) else Config.of(config)
        self.device = "cpu" if target == "cpu" else "cuda"
        self.dtype = TYPES[element]
        self.weights = [
            self._weight(weights, name, shape, self.dtype)
            for name, shape in self.config.model_weights().items()
        ]

    def _zeros(self, *shape):
        """Keys and values of all layers."""
        return [
            torch.zeros(shape, dtype=self.dtype, device=self.device)
            for _ in range(2 * self.config.num_hidden_layers)
        ]

    def _angles(self, count):
        """Tables of the cosines and sines of so many positions."""
        positions = torch.arange(count, dtype=torch.float32)
        angles = positions[:, None] * torch.tensor(self.config.frequencies())
        return angles.cos().to(self.device), angles.sin().to(self.device)

    def _weight(self, weights, name, shape, dtype):
        if name not in weights:
            raise ValueError(
                f"expected a weight '{name}', but got none; pass the state dict of the whole model"
            )
        weight = weights[name].detach()
        if tuple(weight.shape) != shape or weight.dtype != dtype:
            raise ValueError(
                f"expected '{name}' as {dtype} of {list(shape)}, but got {weight.dtype} of "
                f"{list(weight.shape)}; pass the element type and the configuration of the weights"
            )
        return weight.to(self.device)

    def step(self, ids, first):
        """The logits after the last new token, and the next tokens; `first` tokens came
        before."""
        count = ids.shape[1]
        if first + count > self.cache:
            raise ValueError(
                f"expected at most {self.cache} tokens, but got {first + count}; make the cache "
                "larger"
            )
        program = self.token if count == 1 else self.prompt
        positions = torch.arange(first, first + count, dtype=torch.int32)
        last = torch.tensor([count - 1], dtype=torch.int32)
        before, slots, wanted = (
            each.to(self.device) for each in (positions[0], positions, last)
        )
        *_, logits, chosen = program(
            ids,
            before,
            slots,
            *self.tables,
            wanted,
            *self.caches,
            *self.weights,
        )
        return logits, chosen

    def generate(self, ids, count):
        """`count` new tokens for each sequence of `ids`."""
        found, first, new = [], 0, ids.to(self.device)
        for _ in range(count):
            _, chosen = self.step(new, first)
            first += new.shape[1]
            new = chosen[:, None]
            found.append(new)
        return torch.cat(found, dim=1)


def random_model(kind, element):
    """A small model of transformers with random weights."""
    import transformers

    config_class, model_class = {
        "llama": (transformers.LlamaConfig, transformers.LlamaForCausalLM),
        "qwen2": (transformers.Qwen2Config, transformers.Qwen2ForCausalLM),
        "qwen3": (transformers.Qwen3Config, transformers.Qwen3ForCausalLM),
    }[kind]
    config = config_class(
        hidden_size=256,
        intermediate_size=768,
        num_hidden_layers=4,
        num_attention_heads=8,
        num_key_value_heads=2,
        head_dim=32,
        vocab_size=1000,
    )
    torch.manual_seed(0)
    model = model_class(config).eval()
    # The biases of a new model are 0.
    for name, weight in model.named_parameters():
        if name.endswith("bias"):
            torch.nn.init.normal_(weight, std=0.1)
    return model.to(TYPES[element])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--model", help="folder of a checkpoint; default: random weights"
    )
    parser.add_argument("--kind", default="llama", help="llama, qwen2 or qwen3")
    parser.add_argument("--ids", default="1,5,9,14,3", help="tokens of the prompt")
    parser.add_argument("--tokens", type=int, default=64, help="how many to generate")
    parser.add_argument("--element", default="f32", choices=TYPES)
    parser.add_argument("--target", default="cpu", choices=("cpu", "cuda"))
    arguments = parser.parse_args()
    if arguments.model:
        import transformers

        model = transformers.AutoModelForCausalLM.from_pretrained(
            arguments.model, dtype=TYPES[arguments.element]
        )
    else:
        model = random_model(arguments.kind, arguments.element)
    ids = torch.tensor([[int(each) for each in arguments.ids.split(",")]])
    generator = Generator(
        model.config,
        model.state_dict(),
        cache=ids.shape[1] + arguments.tokens,
        element=arguments.element,
        target=arguments.target,
    )
    mine = generator.generate(ids, arguments.tokens).cpu()[0].tolist()
    print("Fuse        ", *mine)
    model = model.to(generator.device)
    theirs = model.generate(
        ids.to(generator.device),
        max_new_tokens=arguments.tokens,
        min_new_tokens=arguments.tokens,
        do_sample=False,
    )
    theirs = theirs[0, ids.shape[1] :].tolist()
    print("transformers", *theirs)
    same = next(
        (i for i, (a, b) in enumerate(zip(mine, theirs, strict=True)) if a != b),
        len(mine),
    )
    print(f"{same} of {len(mine)} tokens are the same")
    return 0 if same == len(mine) else 1


if __name__ == "__main__":
    sys.exit(main())
