# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of transformers with random weights, layers of real size, but few of them.

`tiny` sizes have the same structure, for runs without a GPU. Nothing here imports torch or
transformers at its start.
"""

from dataclasses import dataclass

# Of vocabularies only a part: what they cost says nothing of the layers.
WORDS = 16384
TINY_WORDS = 97


@dataclass(frozen=True)
class ModelCase:
    """A model.

    name    such as "llama-3-8b"
    config  the class of its configuration
    model   the class of the model
    sizes   arguments of the configuration, as published except `layers` and the vocabulary
    tiny    those that differ in a run on a CPU
    shape   of the input: sequences and tokens, or images and pixels along a side
    aside   whether the backend was developed without a look at it
    """

    name: str
    config: str
    model: str
    sizes: dict
    tiny: dict
    shape: tuple
    tiny_shape: tuple = (2, 24)
    aside: bool = False
    is_image: bool = False
    has_loss: bool = True


_TINY = {
    "vocab_size": TINY_WORDS,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_attention_heads": 4,
}
_TINY_GROUPED = {**_TINY, "num_key_value_heads": 2, "head_dim": 16}
_GROUPED = {"vocab_size": WORDS, "num_hidden_layers": 2, "use_cache": False}


def all_cases():
    """The models, in the order in which they are run."""
    return (
        ModelCase(
            "llama-3-8b",
            "LlamaConfig",
            "LlamaForCausalLM",
            {
                **_GROUPED,
                "hidden_size": 4096,
                "intermediate_size": 14336,
                "num_attention_heads": 32,
                "num_key_value_heads": 8,
                "rms_norm_eps": 1e-5,
                "max_position_embeddings": 8192,
            },
            _TINY_GROUPED,
            (2, 2048),
        ),
        ModelCase(
            "bert-large",
            "BertConfig",
            "BertModel",
            {
                "vocab_size": WORDS,
                "num_hidden_layers": 4,
                "hidden_size": 1024,
                "intermediate_size": 4096,
                "num_attention_heads": 16,
                "hidden_dropout_prob": 0.0,
                "attention_probs_dropout_prob": 0.0,
            },
            {**_TINY, "num_hidden_layers": 2},
            (16, 512),
            has_loss=False,
        ),
        ModelCase(
            "gpt-2-medium",
            "GPT2Config",
            "GPT2LMHeadModel",
            {
                "vocab_size": WORDS,
                "n_layer": 4,
                "n_embd": 1024,
                "n_head": 16,
                "resid_pdrop": 0.0,
                "embd_pdrop": 0.0,
                "attn_pdrop": 0.0,
                "use_cache": False,
            },
            {"vocab_size": TINY_WORDS, "n_layer": 2, "n_embd": 64, "n_head": 4},
            (8, 1024),
        ),
        ModelCase(
            "vit-large",
            "ViTConfig",
            "ViTModel",
            {
                "num_hidden_layers": 4,
                "hidden_size": 1024,
                "intermediate_size": 4096,
                "num_attention_heads": 16,
                "image_size": 224,
                "patch_size": 16,
                "hidden_dropout_prob": 0.0,
                "attention_probs_dropout_prob": 0.0,
            },
            {
                "num_hidden_layers": 2,
                "hidden_size": 64,
                "intermediate_size": 96,
                "num_attention_heads": 4,
                "image_size": 32,
                "patch_size": 8,
            },
            (64, 224),
            tiny_shape=(2, 32),
            is_image=True,
            has_loss=False,
        ),
        ModelCase(
            "qwen3-8b",
            "Qwen3Config",
            "Qwen3ForCausalLM",
            {
                **_GROUPED,
                "hidden_size": 4096,
                "intermediate_size": 12288,
                "num_attention_heads": 32,
                "num_key_value_heads": 8,
                "head_dim": 128,
                "tie_word_embeddings": False,
            },
            _TINY_GROUPED,
            (2, 2048),
        ),
        ModelCase(
            "deepseek-v2-lite",
            "DeepseekV2Config",
            "DeepseekV2ForCausalLM",
            {
                **_GROUPED,
                "hidden_size": 2048,
                "intermediate_size": 10944,
                "num_attention_heads": 16,
                "num_key_value_heads": 16,
                "q_lora_rank": None,
                "kv_lora_rank": 512,
                "qk_nope_head_dim": 128,
                "qk_rope_head_dim": 64,
                "v_head_dim": 128,
                "n_routed_experts": 64,
                "n_shared_experts": 2,
                "num_experts_per_tok": 6,
                "moe_intermediate_size": 1408,
                "first_k_dense_replace": 1,
                "topk_method": "greedy",
                "routed_scaling_factor": 1.0,
            },
            {
                **_TINY,
                "num_key_value_heads": 4,
                "kv_lora_rank": 32,
                "qk_nope_head_dim": 16,
                "qk_rope_head_dim": 8,
                "v_head_dim": 16,
                "n_routed_experts": 4,
                "num_experts_per_tok": 2,
                "moe_intermediate_size": 32,
            },
            (2, 2048),
        ),
        ModelCase(
            "gemma-2-9b",
            "Gemma2Config",
            "Gemma2ForCausalLM",
            {
                **_GROUPED,
                "hidden_size": 3584,
                "intermediate_size": 14336,
                "num_attention_heads": 16,
                "num_key_value_heads": 8,
                "head_dim": 256,
                "query_pre_attn_scalar": 256,
            },
            _TINY_GROUPED,
            (2, 2048),
            aside=True,
        ),
        ModelCase(
            "mixtral-8x7b",
            "MixtralConfig",
            "MixtralForCausalLM",
            {
                **_GROUPED,
                "num_hidden_layers": 1,
                "hidden_size": 4096,
                "intermediate_size": 14336,
                "num_attention_heads": 32,
                "num_key_value_heads": 8,
                "num_local_experts": 8,
                "num_experts_per_tok": 2,
            },
            {**_TINY_GROUPED, "num_local_experts": 4},
            (2, 2048),
            aside=True,
        ),
        *_more_cases(),
    )


def _more_cases():
    """Other architectures: packed projections, norms behind, parallel blocks, windows."""
    return (
        ModelCase(
            "phi-3-mini",
            "Phi3Config",
            "Phi3ForCausalLM",
            {
                **_GROUPED,
                "hidden_size": 3072,
                "intermediate_size": 8192,
                "num_attention_heads": 32,
                "num_key_value_heads": 32,
                "pad_token_id": 0,
            },
            {**_TINY, "num_key_value_heads": 2},
            (2, 2048),
        ),
        ModelCase(
            "olmo-2-7b",
            "Olmo2Config",
            "Olmo2ForCausalLM",
            {
                **_GROUPED,
                "hidden_size": 4096,
                "intermediate_size": 11008,
                "num_attention_heads": 32,
            },
            _TINY,
            (2, 2048),
        ),
        ModelCase(
            "falcon-7b",
            "FalconConfig",
            "FalconForCausalLM",
            {**_GROUPED, "hidden_size": 4544, "num_attention_heads": 71},
            {"vocab_size": TINY_WORDS, "hidden_size": 64, "num_attention_heads": 4},
            (2, 2048),
        ),
        ModelCase(
            "stablelm-2-1.6b",
            "StableLmConfig",
            "StableLmForCausalLM",
            {
                **_GROUPED,
                "hidden_size": 2048,
                "intermediate_size": 5632,
                "num_attention_heads": 32,
                "use_qkv_bias": True,
            },
            _TINY,
            (2, 2048),
        ),
        ModelCase(
            "modernbert",
            "ModernBertConfig",
            "ModernBertModel",
            {
                "vocab_size": WORDS,
                "num_hidden_layers": 4,
                "hidden_size": 1024,
                "intermediate_size": 2624,
                "num_attention_heads": 16,
                "pad_token_id": 0,
                "bos_token_id": 1,
                "eos_token_id": 2,
                "cls_token_id": 1,
                "sep_token_id": 2,
            },
            {**_TINY, "num_hidden_layers": 2, "local_attention": 8},
            (16, 512),
            has_loss=False,
        ),
        ModelCase(
            "glm-4-9b",
            "Glm4Config",
            "Glm4ForCausalLM",
            {
                **_GROUPED,
                "hidden_size": 4096,
                "intermediate_size": 13696,
                "num_attention_heads": 32,
                "num_key_value_heads": 2,
                "head_dim": 128,
                "pad_token_id": 0,
            },
            _TINY_GROUPED,
            (2, 2048),
            aside=True,
        ),
        ModelCase(
            "dinov2-large",
            "Dinov2Config",
            "Dinov2Model",
            {
                "num_hidden_layers": 4,
                "hidden_size": 1024,
                "num_attention_heads": 16,
                "image_size": 518,
                "patch_size": 14,
            },
            {
                "num_hidden_layers": 2,
                "hidden_size": 64,
                "num_attention_heads": 4,
                "image_size": 32,
                "patch_size": 8,
            },
            (16, 224),
            tiny_shape=(2, 32),
            aside=True,
            is_image=True,
            has_loss=False,
        ),
    )


def sizes_of(case, tiny=False, layers=None):
    """The arguments of its configuration; with so many layers, or more to have each kind of them."""
    sizes = {**case.sizes, **(case.tiny if tiny else {})}
    if layers:
        name = "n_layer" if "n_layer" in sizes else "num_hidden_layers"
        sizes[name] = layers + sizes.get("first_k_dense_replace", 0)
    return sizes


def selected(only):
    """The models whose name contains one of a,b,c, in this order; all of them for ""."""
    patterns = [pattern for pattern in only.split(",") if pattern] or [""]
    found = [c for p in patterns for c in all_cases() if p in c.name]
    return list({case.name: case for case in found}.values())
