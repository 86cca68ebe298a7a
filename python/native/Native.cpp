//===- Native.cpp - Calls of programs without ctypes ----------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The module fuse_compiler._native, which the package uses where it is there. A
// Caller has the prepared calls of one program by the layouts of their inputs.
// A call of known layout reads its arrays' addresses, makes the outputs and
// runs. Whatever is out of the ordinary is left to the package's own way, which
// has the errors: run() gives None then.
//
// The library's functions come as addresses, so that nothing is linked.
//
//===----------------------------------------------------------------------===//

#include "Python311.h"

#include "ExchangeAPI.h"
#include "Numbers.h"
#include "TorchState.h"
#include "fuse-c/Fuse.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace fuse::native;

namespace {

/// The functions of the C API that calls need, and the package's Error.
struct Library {
  decltype(&fuseCallRun) run;
  decltype(&fuseCallFree) free;
  decltype(&fuseStatusMessage) message;
  decltype(&fuseStatusFree) freeStatus;
  PyObject *error;
} library;

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

/// The layouts of a call's inputs as words that are compared.
struct Key {
  static constexpr unsigned capacity = 256;
  int64_t words[capacity];
  unsigned size = 0;
  uint64_t hash = 0;

  void push(int64_t word) {
    // One more than there is room for marks a key that is too long.
    if (size < capacity)
      words[size] = word;
    if (size <= capacity)
      ++size;
    hash = (hash ^ static_cast<uint64_t>(word)) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  bool isWhole() const { return size <= capacity; }
};

/// How one output is made: make(*args, **kwargs).
struct Output {
  PyObject *make, *args, *kwargs;
};

/// A prepared call.
struct Site {
  /// One for the table, and one for each call that is under way.
  unsigned uses;
  uint64_t hash;
  int64_t *words;
  unsigned numWords;
  FuseCall *call;
  /// The objects whose addresses are among the words.
  PyObject *kept;
  Output *outputs;
  unsigned numOutputs;
};

constexpr unsigned maxTensors = 64;

/// Sites by their hash, in the next free slot.
struct Caller {
  PyObject_HEAD static constexpr unsigned numSlots = 512;
  Site *slots[numSlots];
  unsigned numSites;
  bool isCuda;
  /// Of each input that is passed by value its element type, as Python's
  /// module `array` names it, with 'e' for f16, 'E' for bf16 and '?' for i1;
  /// 0 of tensors.
  char numbers[maxTensors];
};

} // namespace

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

static bool readNumPy(const KnownType &known, PyObject *array, Key *key,
                      void **address) {
  PyObject *capsule = PyObject_GetAttr(array, names.arrayStruct);
  if (!capsule)
    return false;
  auto *read =
      static_cast<ArrayInterface *>(PyCapsule_GetPointer(capsule, nullptr));
  bool isRead = read && read->two == 2;
  if (isRead)
    *address = read->data;
  if (isRead && key) {
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

/// The array's address, and what its layout adds to the key. False, perhaps
/// with a Python error, where it cannot be read here.
static bool read(PyObject *array, Key *key, void **address) {
  const KnownType *known = lookup(array);
  if (!known)
    return false;
  return known->api ? readTensor(*known, array, key, address)
                    : readNumPy(*known, array, key, address);
}

/// Reads all inputs, those that are numbers into `numbers`. False where one
/// cannot be.
static bool readInputs(const Caller *caller, PyObject *arrays, Key &key,
                       void **addresses, int64_t *numbers) {
  Py_ssize_t count = PyTuple_Size(arrays);
  if (count < 0 || count > maxTensors)
    return false;
  bool isAsked = false, tracksGradients = false;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject *array = PyTuple_GetItem(arrays, i);
    if (caller->numbers[i] && isNumber(array)) {
      if (!readNumber(array, caller->numbers[i], &numbers[i]))
        return false;
      addresses[i] = &numbers[i];
      key.push(caller->numbers[i]);
      continue;
    }
    if (!read(array, &key, &addresses[i]))
      return false;
    if (!lookup(array)->api)
      continue;
    if (!isAsked && !isPlainState(tracksGradients))
      return false;
    isAsked = true;
    if (!isPlain(array, tracksGradients))
      return false;
  }
  return key.isWhole();
}

static void release(Site *site) {
  if (--site->uses)
    return;
  for (unsigned i = 0; i < site->numOutputs; ++i) {
    Py_XDECREF(site->outputs[i].make);
    Py_XDECREF(site->outputs[i].args);
    Py_XDECREF(site->outputs[i].kwargs);
  }
  Py_XDECREF(site->kept);
  if (site->call)
    library.free(site->call);
  std::free(site->outputs);
  std::free(site->words);
  std::free(site);
}

/// The slot of the site with this key, or the free one where it would be.
static Site **find(Caller *caller, const Key &key) {
  unsigned slot = key.hash % Caller::numSlots;
  while (Site *site = caller->slots[slot]) {
    if (site->hash == key.hash && site->numWords == key.size &&
        !std::memcmp(site->words, key.words, key.size * sizeof(int64_t)))
      break;
    slot = (slot + 1) % Caller::numSlots;
  }
  return &caller->slots[slot];
}

static void clear(Caller *caller) {
  for (Site *&slot : caller->slots)
    if (Site *site = slot) {
      slot = nullptr;
      release(site);
    }
  caller->numSites = 0;
}

/// A tuple of new outputs, whose addresses are read.
static PyObject *makeOutputs(const Site &site, void **addresses) {
  PyObject *outputs = PyTuple_New(site.numOutputs);
  for (unsigned i = 0; outputs && i < site.numOutputs; ++i) {
    const Output &output = site.outputs[i];
    PyObject *made = PyObject_Call(output.make, output.args, output.kwargs);
    if (made && PyTuple_SetItem(outputs, i, made) == 0 &&
        read(made, nullptr, &addresses[i]))
      continue;
    Py_DECREF(outputs);
    if (!PyErr_Occurred())
      PyErr_SetString(library.error,
                      "expected new arrays of a framework that Fuse knows, but "
                      "got others; pass out");
    return nullptr;
  }
  return outputs;
}

/// The stream of a call: the one that is named, or the framework's current one.
static bool streamOf(const Caller *caller, PyObject *arrays, PyObject *named,
                     void **stream) {
  *stream = nullptr;
  if (named != Py_None) {
    *stream = PyLong_AsVoidPtr(named);
    return !PyErr_Occurred();
  }
  Py_ssize_t at = 0, count = PyTuple_Size(arrays);
  while (at < count && caller->numbers[at])
    ++at;
  if (!caller->isCuda || at == count)
    return true;
  PyObject *first = PyTuple_GetItem(arrays, at);
  const KnownType *known = lookup(first);
  DLTensor tensor;
  return known && known->api && !known->api->read(first, &tensor) &&
         !known->api->currentStream(tensor.device.device_type,
                                    tensor.device.device_id, stream);
}

static PyObject *raise(FuseStatus *status) {
  PyObject *text = PyUnicode_DecodeUTF8(
      library.message(status), std::strlen(library.message(status)), "replace");
  library.freeStatus(status);
  if (text)
    PyErr_SetObject(library.error, text);
  Py_XDECREF(text);
  return nullptr;
}

static PyObject *runSite(Site &site, void **addresses, unsigned numInputs,
                         void *stream) {
  PyObject *outputs = makeOutputs(site, addresses + numInputs);
  if (!outputs)
    return nullptr;
  FuseStatus *status;
  Py_BEGIN_ALLOW_THREADS;
  status =
      library.run(site.call, addresses, numInputs + site.numOutputs, stream);
  Py_END_ALLOW_THREADS;
  if (status) {
    Py_DECREF(outputs);
    return raise(status);
  }
  if (site.numOutputs != 1)
    return outputs;
  PyObject *only = PyTuple_GetItem(outputs, 0);
  Py_INCREF(only);
  Py_DECREF(outputs);
  return only;
}

/// The way of the package itself is taken.
static PyObject *decline() {
  PyErr_Clear();
  Py_RETURN_NONE;
}

/// run(arrays, stream)
static PyObject *runCaller(PyObject *self, PyObject *const *args,
                           Py_ssize_t numArgs) {
  auto *caller = reinterpret_cast<Caller *>(self);
  if (numArgs != 2 || caller->numSites == 0)
    return decline();
  PyObject *arrays = args[0];
  Key key;
  void *addresses[2 * maxTensors];
  int64_t numbers[maxTensors];
  void *stream;
  if (!readInputs(caller, arrays, key, addresses, numbers) ||
      !streamOf(caller, arrays, args[1], &stream))
    return decline();
  Site *site = *find(caller, key);
  if (!site)
    return decline();
  ++site->uses;
  PyObject *result = runSite(*site, addresses, PyTuple_Size(arrays), stream);
  release(site);
  return result;
}

/// The objects whose addresses are words of the key: types, and NumPy's dtypes.
static PyObject *keptBy(PyObject *arrays) {
  PyObject *kept = PyList_New(0);
  for (Py_ssize_t i = 0; kept && i < PyTuple_Size(arrays); ++i) {
    PyObject *array = PyTuple_GetItem(arrays, i);
    if (isNumber(array))
      continue;
    PyObject *dtype = PyObject_GetAttr(array, names.dtype);
    if (!dtype || PyList_Append(kept, dtype) ||
        PyList_Append(kept, reinterpret_cast<PyObject *>(Py_TYPE(array)))) {
      Py_CLEAR(kept);
      PyErr_Clear();
    }
    Py_XDECREF(dtype);
  }
  return kept;
}

static bool fill(Site &site, PyObject *outputs) {
  for (unsigned i = 0; i < site.numOutputs; ++i) {
    Output &output = site.outputs[i];
    if (!PyArg_ParseTuple(PyTuple_GetItem(outputs, i), "OO!O!", &output.make,
                          &PyTuple_Type, &output.args, &PyDict_Type,
                          &output.kwargs)) {
      output = {};
      return false;
    }
    Py_INCREF(output.make);
    Py_INCREF(output.args);
    Py_INCREF(output.kwargs);
  }
  return true;
}

static Site *makeSite(const Key &key, FuseCall *call, PyObject *arrays,
                      PyObject *outputs) {
  auto *site = static_cast<Site *>(std::calloc(1, sizeof(Site)));
  if (!site)
    return nullptr;
  site->uses = 1;
  site->hash = key.hash;
  site->numWords = key.size;
  site->numOutputs = PyTuple_Size(outputs);
  site->words = static_cast<int64_t *>(std::malloc(key.size * sizeof(int64_t)));
  site->outputs =
      static_cast<Output *>(std::calloc(site->numOutputs + 1, sizeof(Output)));
  site->kept = keptBy(arrays);
  if (!site->words || !site->outputs || !site->kept || !fill(*site, outputs)) {
    if (!site->outputs)
      site->numOutputs = 0;
    release(site);
    return nullptr;
  }
  std::memcpy(site->words, key.words, key.size * sizeof(int64_t));
  site->call = call;
  return site;
}

/// add(arrays, call, outputs): owns the call if it gives True.
static PyObject *addSite(PyObject *self, PyObject *args) {
  auto *caller = reinterpret_cast<Caller *>(self);
  PyObject *arrays, *address, *outputs;
  if (!PyArg_ParseTuple(args, "O!OO!", &PyTuple_Type, &arrays, &address,
                        &PyTuple_Type, &outputs))
    return nullptr;
  auto *call = static_cast<FuseCall *>(PyLong_AsVoidPtr(address));
  if (!call)
    return nullptr;
  Key key;
  void *addresses[maxTensors];
  int64_t numbers[maxTensors];
  if (PyTuple_Size(outputs) > maxTensors ||
      !readInputs(caller, arrays, key, addresses, numbers)) {
    PyErr_Clear();
    Py_RETURN_FALSE;
  }
  if (caller->numSites >= Caller::numSlots / 2)
    clear(caller);
  Site *site = makeSite(key, call, arrays, outputs);
  // Another thread may have added one meanwhile.
  Site **slot = find(caller, key);
  if (!site || *slot) {
    if (site) {
      site->call = nullptr;
      release(site);
    }
    PyErr_Clear();
    Py_RETURN_FALSE;
  }
  *slot = site;
  ++caller->numSites;
  Py_RETURN_TRUE;
}

static PyObject *newCaller(PyTypeObject *type, PyObject *args, PyObject *) {
  int isCuda = 0;
  const char *numbers;
  Py_ssize_t count;
  if (!PyArg_ParseTuple(args, "py#", &isCuda, &numbers, &count))
    return nullptr;
  auto alloc = reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc));
  PyObject *self = alloc(type, 0);
  if (!self)
    return nullptr;
  auto *caller = reinterpret_cast<Caller *>(self);
  caller->isCuda = isCuda;
  // What has more inputs is declined.
  std::memcpy(caller->numbers, numbers,
              std::min<size_t>(count, sizeof(caller->numbers)));
  return self;
}

static void deleteCaller(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  clear(reinterpret_cast<Caller *>(self));
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

static PyObject *clearCaller(PyObject *self, PyObject *) {
  clear(reinterpret_cast<Caller *>(self));
  Py_RETURN_NONE;
}

static PyMethodDef callerMethods[] = {
    {"run", reinterpret_cast<PyCFunction>(reinterpret_cast<void *>(runCaller)),
     METH_FASTCALL,
     "run(arrays, stream): the outputs; None if the layouts are new"},
    {"add", addSite, METH_VARARGS,
     "add(arrays, call, outputs): whether it has the call now"},
    {"clear", clearCaller, METH_NOARGS, "Frees all calls."},
    {}};

static PyType_Slot callerSlots[] = {
    {Py_tp_new, reinterpret_cast<void *>(newCaller)},
    {Py_tp_dealloc, reinterpret_cast<void *>(deleteCaller)},
    {Py_tp_methods, callerMethods},
    {}};

static PyType_Spec callerSpec = {"fuse_compiler._native.Caller", sizeof(Caller),
                                 0, Py_TPFLAGS_DEFAULT, callerSlots};

/// bind(run, free, message, free_status, error)
static PyObject *bindLibrary(PyObject *, PyObject *args) {
  unsigned long long run, free, message, freeStatus;
  PyObject *error;
  if (!PyArg_ParseTuple(args, "KKKKO", &run, &free, &message, &freeStatus,
                        &error))
    return nullptr;
  Py_INCREF(error);
  library = {reinterpret_cast<decltype(Library::run)>(run),
             reinterpret_cast<decltype(Library::free)>(free),
             reinterpret_cast<decltype(Library::message)>(message),
             reinterpret_cast<decltype(Library::freeStatus)>(freeStatus),
             error};
  Py_RETURN_NONE;
}

/// know(type, exchange_api): whether arrays of exactly this type can be read.
static PyObject *knowType(PyObject *, PyObject *args) {
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

static PyMethodDef moduleMethods[] = {
    {"bind", bindLibrary, METH_VARARGS,
     "bind(run, free, message, free_status, error): addresses of the library"},
    {"know", knowType, METH_VARARGS,
     "know(type, exchange_api): whether such arrays are read here"},
    {"watch_torch", watchTorch, METH_VARARGS,
     "watch_torch(is_grad_enabled, forward_ad, watches)"},
    {}};

static PyModuleDef moduleDef = {PyModuleDef_HEAD_INIT,
                                "fuse_compiler._native",
                                "Calls of programs without ctypes.",
                                -1,
                                moduleMethods,
                                nullptr,
                                nullptr,
                                nullptr,
                                nullptr};

// Python prescribes the name.
// NOLINTNEXTLINE(readability-identifier-naming)
PyMODINIT_FUNC PyInit__native() {
  PyObject *module = PyModule_Create(&moduleDef);
  if (!module)
    return nullptr;
  names.arrayStruct = PyUnicode_InternFromString("__array_struct__");
  names.dtype = PyUnicode_InternFromString("dtype");
  internTorchNames();
  PyObject *type = PyType_FromSpec(&callerSpec);
  if (!type || PyModule_AddObjectRef(module, "Caller", type) ||
      PyModule_AddStringConstant(module, "VERSION", FUSE_VERSION)) {
    Py_DECREF(module);
    return nullptr;
  }
  Py_DECREF(type);
  return module;
}
