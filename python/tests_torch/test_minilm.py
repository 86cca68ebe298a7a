# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A model with its real weights: all-MiniLM-L6-v2's embeddings of 100 sentences."""

import itertools
import sys
from pathlib import Path

import fuse_compiler.torch as fuse_torch
import minilm
import pytest
import torch

# What the model's authors publish of these pairs.
PUBLISHED = {
    ("The cat sits outside", "The dog plays in the garden"): 0.2838,
    ("A man is playing guitar", "A woman watches TV"): -0.0327,
    ("The new movie is awesome", "The new movie is so great"): 0.8939,
}
WHO = ("The engineer", "A small dog", "Nobody in Zürich", "My neighbour's cat", "She")
DOES = ("measured", "would rather have forgotten", "chased", "painted", "wrote about")
WHAT = (
    "the kernel.",
    "two red balls and a very long wooden fence behind the old harbour!",
    "unaccustomedly counterintuitive hyperparameters (in 2019, say).",
    "it?",
)
SENTENCES = [" ".join(words) for words in itertools.product(WHO, DOES, WHAT)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Kept beside the packages of the environment that the tests run in."""
    kept = Path(sys.prefix, "downloads")
    is_shared = sys.prefix == sys.base_prefix
    try:
        return minilm.find(tmp_path_factory.mktemp("w") if is_shared else kept)
    except OSError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def model(folder):
    return minilm.MiniLM(folder).eval(), minilm.Tokenizer(folder / "vocab.txt")


def embeddings(function, tokenizer, sentences, batch=40):
    with torch.no_grad():
        parts = [
            function(*(x.to(torch.get_default_device()) for x in tokenizer(texts)))
            for texts in batched(sentences, batch)
        ]
    return torch.cat(parts)


def batched(sentences, size):
    return [sentences[at : at + size] for at in range(0, len(sentences), size)]


def test_the_weights_are_the_real_ones(model):
    module, tokenizer = model
    for pair, expected in PUBLISHED.items():
        a, b = embeddings(module, tokenizer, pair)
        assert abs(float(a @ b) - expected) < 1e-3, pair


@pytest.mark.parametrize("choice", ["auto", "always"])
def test_embeddings_of_100_sentences_are_eagers(model, choice):
    torch._dynamo.reset()
    fuse_torch.reset_report()
    module, tokenizer = model
    assert len(set(SENTENCES)) == 100
    options = {"contractions": choice, "attention": choice}
    compiled = torch.compile(module, backend="fuse", dynamic=True, options=options)
    ours = embeddings(compiled, tokenizer, SENTENCES)
    eager = embeddings(module, tokenizer, SENTENCES)
    torch.testing.assert_close(ours, eager, rtol=0, atol=2e-6)
    exact = embeddings(module.double(), tokenizer, SENTENCES)
    module.float()
    off, bound = ((x.double() - exact).square().mean().sqrt() for x in (ours, eager))
    assert off <= 2 * bound
    # One graph for all batches, of other sizes and lengths, and nothing refused.
    (graph,) = fuse_torch.report()
    assert graph.coverage > (0.99 if choice == "always" else 0.65), str(graph)
    assert not any(region.failure for region in graph.regions)
