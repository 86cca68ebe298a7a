//===- TorchState.h - Whether a tensor is what its memory holds -*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_PYTHON_NATIVE_TORCHSTATE_H
#define FUSE_PYTHON_NATIVE_TORCHSTATE_H

#include "Python311.h"

namespace fuse::native {

/// Of attributes that are read; once, when the module is made.
void internTorchNames();

/// watch_torch(is_grad_enabled, forward_ad, wrote, watches): what torch asks of
/// whoever reads its tensors.
PyObject *watchTorch(PyObject *, PyObject *args);

/// Whether nobody records torch's calls or follows tangents; sets whether
/// gradients are tracked.
bool isPlainState(bool &tracksGradients);

/// Whether a torch tensor is what its memory holds, and nobody waits for its
/// gradient.
bool isPlain(PyObject *tensor, bool tracksGradients);

/// Tells torch that a tensor was written to, so that a backward pass that had
/// saved it notices. False with an error.
bool tellWritten(PyObject *array);

} // namespace fuse::native

#endif // FUSE_PYTHON_NATIVE_TORCHSTATE_H
