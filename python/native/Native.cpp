//===- Native.cpp - Calls of programs without ctypes ----------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The module fuse_compiler._native, which the package uses where it is there. A
// Caller has the prepared calls of one program by the layouts of their inputs.
// A call of known layout reads its arrays' addresses, makes the outputs, unless
// they are given, and runs. Whatever is out of the ordinary is left to the
// package's own way, which has the errors: run() gives None then.
//
// The library's functions come as addresses, so that nothing is linked.
//
//===----------------------------------------------------------------------===//

#include "Python311.h"

#include "KnownArrays.h"
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

/// Reads all inputs, those that are numbers into `numbers`, then the outputs
/// that are given. False where one cannot be.
static bool readArrays(const Caller *caller, PyObject *arrays, PyObject *outs,
                       Key &key, void **addresses, int64_t *numbers) {
  Py_ssize_t count = PyTuple_Size(arrays);
  Py_ssize_t numOuts = outs ? PyTuple_Size(outs) : 0;
  if (count < 0 || count > maxTensors || numOuts > maxTensors)
    return false;
  bool isAsked = false, tracksGradients = false;
  for (Py_ssize_t i = 0; i < count + numOuts; ++i) {
    bool isOut = i >= count;
    PyObject *array =
        isOut ? PyTuple_GetItem(outs, i - count) : PyTuple_GetItem(arrays, i);
    if (!isOut && caller->numbers[i] && isNumber(array)) {
      if (!readNumber(array, caller->numbers[i], &numbers[i]))
        return false;
      addresses[i] = &numbers[i];
      key.push(caller->numbers[i]);
      continue;
    }
    if (!readArray(array, &key, &addresses[i]) || (isOut && !isWritable(array)))
      return false;
    if (!isTensor(array))
      continue;
    if (!isAsked && !isPlainState(tracksGradients))
      return false;
    isAsked = true;
    if (!isPlain(array, tracksGradients))
      return false;
  }
  // Else a call with outputs could look like one with as many inputs more.
  key.push(numOuts);
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
        readArray(made, nullptr, &addresses[i]))
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
  return currentStream(PyTuple_GetItem(arrays, at), stream);
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

/// The only item of a tuple, or the tuple; takes the reference.
static PyObject *oneOrAll(PyObject *outputs) {
  if (PyTuple_Size(outputs) != 1)
    return outputs;
  PyObject *only = PyTuple_GetItem(outputs, 0);
  Py_INCREF(only);
  Py_DECREF(outputs);
  return only;
}

/// outs: the outputs if they are given, else null.
static PyObject *runSite(Site &site, PyObject *outs, void **addresses,
                         unsigned numInputs, void *stream) {
  Py_XINCREF(outs);
  PyObject *outputs = outs ? outs : makeOutputs(site, addresses + numInputs);
  if (!outputs)
    return nullptr;
  unsigned numOutputs = PyTuple_Size(outputs);
  FuseStatus *status;
  Py_BEGIN_ALLOW_THREADS;
  status = library.run(site.call, addresses, numInputs + numOutputs, stream);
  Py_END_ALLOW_THREADS;
  if (status) {
    Py_DECREF(outputs);
    return raise(status);
  }
  for (unsigned i = 0; outs && i < numOutputs; ++i)
    if (!tellWritten(PyTuple_GetItem(outs, i))) {
      Py_DECREF(outputs);
      return nullptr;
    }
  return oneOrAll(outputs);
}

/// The way of the package itself is taken.
static PyObject *decline() {
  PyErr_Clear();
  Py_RETURN_NONE;
}

/// A tuple of the outputs that are given: one array, or several in a tuple or a
/// list; new reference.
static PyObject *tupleOf(PyObject *out) {
  if (PyList_Check(out))
    return PyList_AsTuple(out);
  if (!PyTuple_Check(out))
    return PyTuple_Pack(1, out);
  Py_INCREF(out);
  return out;
}

static PyObject *runKnown(Caller *caller, PyObject *arrays, PyObject *outs,
                          PyObject *namedStream) {
  Key key;
  void *addresses[2 * maxTensors];
  int64_t numbers[maxTensors];
  void *stream;
  if (!readArrays(caller, arrays, outs, key, addresses, numbers) ||
      !streamOf(caller, arrays, namedStream, &stream))
    return decline();
  Site *site = *find(caller, key);
  if (!site)
    return decline();
  ++site->uses;
  PyObject *result =
      runSite(*site, outs, addresses, PyTuple_Size(arrays), stream);
  release(site);
  return result;
}

/// run(arrays, out, stream)
static PyObject *runCaller(PyObject *self, PyObject *const *args,
                           Py_ssize_t numArgs) {
  auto *caller = reinterpret_cast<Caller *>(self);
  if (numArgs != 3 || caller->numSites == 0)
    return decline();
  if (args[1] == Py_None)
    return runKnown(caller, args[0], nullptr, args[2]);
  PyObject *outs = tupleOf(args[1]);
  if (!outs)
    return decline();
  PyObject *result = runKnown(caller, args[0], outs, args[2]);
  Py_DECREF(outs);
  return result;
}

/// The objects whose addresses are words of the key: types, and NumPy's dtypes.
static PyObject *keptBy(PyObject *arrays, PyObject *outs) {
  PyObject *kept = PyList_New(0);
  for (PyObject *part : {arrays, outs})
    for (Py_ssize_t i = 0; kept && i < PyTuple_Size(part); ++i) {
      PyObject *array = PyTuple_GetItem(part, i);
      if (!isNumber(array) && !keepKeyed(array, kept)) {
        Py_CLEAR(kept);
        PyErr_Clear();
      }
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
                      PyObject *outs, PyObject *outputs) {
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
  site->kept = keptBy(arrays, outs);
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

/// add(arrays, out, call, outputs): owns the call if it gives True. `outputs`
/// says how they are made; of none it does where they are given.
static PyObject *addSite(PyObject *self, PyObject *args) {
  auto *caller = reinterpret_cast<Caller *>(self);
  PyObject *arrays, *outs, *address, *outputs;
  if (!PyArg_ParseTuple(args, "O!O!OO!", &PyTuple_Type, &arrays, &PyTuple_Type,
                        &outs, &address, &PyTuple_Type, &outputs))
    return nullptr;
  auto *call = static_cast<FuseCall *>(PyLong_AsVoidPtr(address));
  if (!call)
    return nullptr;
  Key key;
  void *addresses[2 * maxTensors];
  int64_t numbers[maxTensors];
  if (PyTuple_Size(outputs) > maxTensors ||
      !readArrays(caller, arrays, outs, key, addresses, numbers)) {
    PyErr_Clear();
    Py_RETURN_FALSE;
  }
  if (caller->numSites >= Caller::numSlots / 2)
    clear(caller);
  Site *site = makeSite(key, call, arrays, outs, outputs);
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
     "run(arrays, out, stream): the outputs; None if the layouts are new"},
    {"add", addSite, METH_VARARGS,
     "add(arrays, out, call, outputs): whether it has the call now"},
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

static PyMethodDef moduleMethods[] = {
    {"bind", bindLibrary, METH_VARARGS,
     "bind(run, free, message, free_status, error): addresses of the library"},
    {"know", knowType, METH_VARARGS,
     "know(type, exchange_api): whether such arrays are read here"},
    {"watch_torch", watchTorch, METH_VARARGS,
     "watch_torch(is_grad_enabled, forward_ad, wrote, watches)"},
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
  internArrayNames();
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
