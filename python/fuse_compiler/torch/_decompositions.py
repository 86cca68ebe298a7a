# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which composite operators of torch are taken apart before regions are formed.

Only those whose parts the dialect has. Attention, convolutions, dropout and gradients
of embeddings stay whole: a library computes them better, or with random numbers that
must be eager's.
"""

import torch
from torch._decomp import get_decompositions

_NAMES = """
native_layer_norm native_layer_norm_backward native_group_norm native_group_norm_backward
native_batch_norm _native_batch_norm_legit _native_batch_norm_legit_functional
_native_batch_norm_legit_no_training native_batch_norm_backward _batch_norm_no_update
_batch_norm_with_update _batch_norm_with_update_functional batch_norm_backward
cudnn_batch_norm cudnn_batch_norm_backward
_fused_rms_norm _fused_rms_norm_backward rms_norm
gelu_backward silu_backward sigmoid_backward tanh_backward threshold_backward
elu elu_backward leaky_relu leaky_relu_backward hardswish hardswish_backward hardsigmoid
hardsigmoid_backward hardtanh hardtanh_backward softplus softplus_backward mish mish_backward
log_sigmoid_forward log_sigmoid_backward glu glu_backward
_softmax_backward_data _log_softmax_backward_data _safe_softmax
nll_loss_forward nll_loss_backward mse_loss mse_loss_backward smooth_l1_loss
smooth_l1_loss_backward huber_loss huber_loss_backward binary_cross_entropy
binary_cross_entropy_with_logits
addcmul addcdiv lerp square native_dropout_backward
masked_fill logit sinc xlogy frac nan_to_num
norm linalg_vector_norm aminmax unfold_backward zeros_like
split_with_sizes_copy unsafe_split unsafe_chunk pixel_shuffle pixel_unshuffle select_scatter nansum
count_nonzero logaddexp logaddexp2 heaviside celu threshold isposinf isneginf trace diag_embed
rad2deg deg2rad ldexp _prelu_kernel _prelu_kernel_backward linalg_cross dot vdot mv addmv addr
fill soft_margin_loss soft_margin_loss_backward rot90 take isin channel_shuffle renorm
reflection_pad1d reflection_pad2d reflection_pad3d replication_pad1d replication_pad2d
replication_pad3d _weight_norm_interface
"""


def table():
    """The decompositions by operator, of those that this version of torch has."""
    aten = torch.ops.aten
    packets = [getattr(aten, name) for name in _NAMES.split() if hasattr(aten, name)]
    return get_decompositions(packets)
