# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fuse's kernels for vLLM, as a plugin that vLLM finds by its entry point.

    vllm serve MODEL --ir-op-priority.rms_norm=fuse,vllm_c,native
    FUSE_VLLM_LAYERS=all vllm serve MODEL ...

vLLM takes implementations in two ways, and versions differ in what they have:

- its IR ops (vllm.ir) take one for each provider: ours is called "fuse" and runs where
  --ir-op-priority names it
- its layers (CustomOp) are replaced as a whole, where FUSE_VLLM_LAYERS says "all" or names
  some of LAYERS

What a kernel does not take goes to vLLM's own. Nothing of vLLM is imported before register().
"""

import os

from fuse_compiler._library import Error

# The layers that can be replaced, by the names of vLLM's classes.
LAYERS = ("RMSNorm", "GemmaRMSNorm", "SiluAndMul", "GeluAndMul", "RotaryEmbedding")
VARIABLE = "FUSE_VLLM_LAYERS"

_registered = None


def register():
    """Registers providers and layers; vLLM calls it in each of its processes.

    Returns the names of what was registered, such as "ir:rms_norm" and "layer:RMSNorm".
    Raises Error where FUSE_VLLM_LAYERS names a layer that there is not.
    """
    global _registered
    if _registered is None:
        from fuse_compiler.vllm import _ir, _layers

        names = chosen_layers(os.environ.get(VARIABLE, ""))
        _registered = (
            *(f"ir:{name}" for name in _ir.register()),
            *(f"layer:{name}" for name in _layers.register(names)),
        )
    return _registered


def chosen_layers(text):
    """The layers that "all", "", or "RMSNorm,SiluAndMul" names."""
    if text.strip() in ("", "none", "0"):
        return ()
    if text.strip() == "all":
        return LAYERS
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    unknown = [name for name in names if name not in LAYERS]
    if unknown:
        raise Error(
            f"expected {VARIABLE} to be all, none, or some of {', '.join(LAYERS)}, but got "
            f"{', '.join(unknown)}; leave it out"
        )
    return names
