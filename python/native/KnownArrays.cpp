//===- KnownArrays.cpp - Arrays that are read without Python --------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KnownArrays.h"

#include "ExchangeAPI.h"

using namespace fuse::native;

namespace {

/// The names of attributes that are read.
struct {
  PyObject *arrayStruct, *dtype;
} names;

/// Types whose arrays can be read here.
struct KnownType {
  PyTypeObject *type;
  /// Null for NumPy's.
  const ExchangeAPI *api;
};
KnownType knownTypes[16];
unsigned numKnownTypes;

/// NumPy's flag of arrays that may be written to.
constexpr int writable = 0x400;

} // namespace

void fuse::native::internArrayNames() {
  names.arrayStruct = PyUnicode_InternFromString("__array_struct__");
  names.dtype = PyUnicode_InternFromString("dtype");
}

static const KnownType *lookup(PyObject *array) {
  PyTypeObject *type = Py_TYPE(array);
  for (unsigned i = 0; i < numKnownTypes; ++i)
    if (knownTypes[i].type == type)
      return &knownTypes[i];
  return nullptr;
}

static bool readTensor(const KnownType &known, PyObject *array, Key *key,
                       void **address) {
  DLTensor tensor;
  if (known.api->read(array, &tensor))
    return false;
  *address = static_cast<char *>(tensor.data) + tensor.byte_offset;
  if (!key)
    return true;
  bool isEmpty = false;
  key->push(reinterpret_cast<intptr_t>(known.type));
  key->push(static_cast<int64_t>(tensor.device.device_type) << 32 |
            static_cast<uint32_t>(tensor.device.device_id));
  key->push(static_cast<int64_t>(tensor.ndim) << 32 | tensor.dtype.lanes << 16 |
            tensor.dtype.bits << 8 | tensor.dtype.code);
  for (int i = 0; i < tensor.ndim; ++i) {
    key->push(tensor.shape[i]);
    isEmpty |= tensor.shape[i] == 0;
  }
  for (int i = 0; tensor.strides && i < tensor.ndim; ++i)
    key->push(tensor.strides[i]);
  // Something that has elements elsewhere, such as on torch's device meta.
  return tensor.data || isEmpty;
}

/// A capsule that keeps what it has been read from; null with an error.
static PyObject *readInterface(PyObject *array, ArrayInterface **read) {
  PyObject *capsule = PyObject_GetAttr(array, names.arrayStruct);
  if (!capsule)
    return nullptr;
  *read = static_cast<ArrayInterface *>(PyCapsule_GetPointer(capsule, nullptr));
  if (*read && (*read)->two == 2)
    return capsule;
  Py_DECREF(capsule);
  return nullptr;
}

static bool readNumPy(const KnownType &known, PyObject *array, Key *key,
                      void **address) {
  ArrayInterface *read;
  PyObject *capsule = readInterface(array, &read);
  if (!capsule)
    return false;
  *address = read->data;
  bool isRead = true;
  if (key) {
    PyObject *dtype = PyObject_GetAttr(array, names.dtype);
    isRead = dtype != nullptr;
    // The array keeps it; types that are equal are mostly the same object.
    Py_XDECREF(dtype);
    key->push(reinterpret_cast<intptr_t>(known.type));
    key->push(reinterpret_cast<intptr_t>(dtype));
    key->push(read->rank);
    for (int i = 0; i < read->rank; ++i)
      key->push(read->shape[i]);
    for (int i = 0; i < read->rank; ++i)
      key->push(read->strides[i]);
  }
  Py_DECREF(capsule);
  return isRead;
}

bool fuse::native::readArray(PyObject *array, Key *key, void **address) {
  const KnownType *known = lookup(array);
  if (!known)
    return false;
  return known->api ? readTensor(*known, array, key, address)
                    : readNumPy(*known, array, key, address);
}

bool fuse::native::isTensor(PyObject *array) {
  const KnownType *known = lookup(array);
  return known && known->api;
}

bool fuse::native::isWritable(PyObject *array) {
  if (isTensor(array))
    return true;
  ArrayInterface *read;
  PyObject *capsule = readInterface(array, &read);
  if (!capsule)
    return false;
  bool result = read->flags & writable;
  Py_DECREF(capsule);
  return result;
}

bool fuse::native::currentStream(PyObject *array, void **stream) {
  const KnownType *known = lookup(array);
  DLTensor tensor;
  return known && known->api && !known->api->read(array, &tensor) &&
         !known->api->currentStream(tensor.device.device_type,
                                    tensor.device.device_id, stream);
}

bool fuse::native::keepKeyed(PyObject *array, PyObject *list) {
  PyObject *dtype = PyObject_GetAttr(array, names.dtype);
  bool isKept =
      dtype && !PyList_Append(list, dtype) &&
      !PyList_Append(list, reinterpret_cast<PyObject *>(Py_TYPE(array)));
  Py_XDECREF(dtype);
  return isKept;
}

PyObject *fuse::native::knowType(PyObject *, PyObject *args) {
  PyObject *type, *capsule;
  if (!PyArg_ParseTuple(args, "O!O", &PyType_Type, &type, &capsule))
    return nullptr;
  const ExchangeAPI *api = nullptr;
  if (capsule != Py_None) {
    api = static_cast<const ExchangeAPI *>(
        PyCapsule_GetPointer(capsule, "dlpack_exchange_api"));
    if (!api || api->major != 1 || !api->read || !api->currentStream) {
      PyErr_Clear();
      Py_RETURN_FALSE;
    }
  }
  if (numKnownTypes == sizeof(knownTypes) / sizeof(*knownTypes))
    Py_RETURN_FALSE;
  Py_INCREF(type);
  knownTypes[numKnownTypes++] = {reinterpret_cast<PyTypeObject *>(type), api};
  Py_RETURN_TRUE;
}
