/*===- ExchangeAPI.h - What array types say of themselves to C ---*- C -*-===*\
|*                                                                            *|
|* Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.          *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Two protocols, laid out as their specifications have them: DLPack's table  *|
|* of functions (https://dmlc.github.io/dlpack, from 1.2 on), a capsule *|
|* "dlpack_exchange_api" in a type's __dlpack_c_exchange_api__; and NumPy's *|
|* array interface, a capsule in an array's __array_struct__. *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef FUSE_PYTHON_NATIVE_EXCHANGEAPI_H
#define FUSE_PYTHON_NATIVE_EXCHANGEAPI_H

#include "fuse-c/DLPack.h"

typedef struct ExchangeAPI {
  uint32_t major;
  uint32_t minor;
  struct ExchangeAPI *previous;
  /* Of tensors that own their memory; not used here. */
  void (*allocate)(void);
  void (*exportOwning)(void);
  void (*import)(void);
  /* Writes what the object is, which lives as long as the object is not
     changed. 0, or -1 with a Python error. May be NULL. */
  int (*read)(void *object, DLTensor *tensor);
  /* The stream that the framework puts its work on. */
  int (*currentStream)(DLDeviceType type, int32_t device, void **stream);
} ExchangeAPI;

typedef struct {
  int two;
  int rank;
  char kind;
  int elementBytes;
  int flags;
  intptr_t *shape;
  /* In bytes. */
  intptr_t *strides;
  void *data;
} ArrayInterface;

#endif /* FUSE_PYTHON_NATIVE_EXCHANGEAPI_H */
