//===- TorchState.cpp - Whether a tensor is what its memory holds ---------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TorchState.h"

#include "KnownArrays.h"
#include <initializer_list>

namespace {

/// The names of attributes that are read.
struct {
  PyObject *isNeg, *requiresGrad, *currentLevel;
} names;

/// What torch asks of whoever reads its tensors: that none is tracked by
/// gradients (`isGradEnabled`, `forwardAD`), no call is recorded (`watches`,
/// which give None or 0 where nobody does), and it is told of writes (`wrote`).
struct {
  PyObject *isGradEnabled, *forwardAD, *wrote, *watches;
} torchState;

} // namespace

void fuse::native::internTorchNames() {
  names.isNeg = PyUnicode_InternFromString("is_neg");
  names.requiresGrad = PyUnicode_InternFromString("requires_grad");
  names.currentLevel = PyUnicode_InternFromString("_current_level");
}

PyObject *fuse::native::watchTorch(PyObject *, PyObject *args) {
  PyObject *isGradEnabled, *forwardAD, *wrote, *watches;
  if (!PyArg_ParseTuple(args, "OOOO!", &isGradEnabled, &forwardAD, &wrote,
                        &PyTuple_Type, &watches))
    return nullptr;
  for (PyObject *kept : {isGradEnabled, forwardAD, wrote, watches})
    Py_INCREF(kept);
  torchState = {isGradEnabled, forwardAD, wrote, watches};
  Py_RETURN_NONE;
}

/// -1 for an error.
static int isTrue(PyObject *owned) {
  int result = owned ? PyObject_IsTrue(owned) : -1;
  Py_XDECREF(owned);
  return result;
}

bool fuse::native::isPlainState(bool &tracksGradients) {
  if (!torchState.watches)
    return false;
  Py_ssize_t count = PyTuple_Size(torchState.watches);
  for (Py_ssize_t i = 0; i < count; ++i)
    if (isTrue(PyObject_CallObject(PyTuple_GetItem(torchState.watches, i),
                                   nullptr)) != 0)
      return false;
  PyObject *level = PyObject_GetAttr(torchState.forwardAD, names.currentLevel);
  if (!level)
    return false;
  long depth = PyLong_AsLong(level);
  Py_DECREF(level);
  if (depth >= 0)
    return false;
  int enabled = isTrue(PyObject_CallObject(torchState.isGradEnabled, nullptr));
  tracksGradients = enabled == 1;
  return enabled >= 0;
}

bool fuse::native::isPlain(PyObject *tensor, bool tracksGradients) {
  if (isTrue(PyObject_CallMethodObjArgs(tensor, names.isNeg, nullptr)) != 0)
    return false;
  return !tracksGradients ||
         isTrue(PyObject_GetAttr(tensor, names.requiresGrad)) == 0;
}

bool fuse::native::tellWritten(PyObject *array) {
  if (!torchState.wrote || !isTensor(array))
    return true;
  PyObject *done =
      PyObject_CallFunctionObjArgs(torchState.wrote, array, nullptr);
  Py_XDECREF(done);
  return done != nullptr;
}
