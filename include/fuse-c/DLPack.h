/*===- DLPack.h - The structs that frameworks exchange tensors in -*- C -*-===*\
|*                                                                            *|
|* Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.          *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* The part of DLPack 1.0 that Fuse uses, laid out as https://dmlc.github.io/ *|
|* dlpack describes it. Where dlpack.h is included first, its own definitions *|
|* are used.                                                                  *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef FUSE_C_DLPACK_H
#define FUSE_C_DLPACK_H

#ifndef DLPACK_DLPACK_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  kDLCPU = 1,
  kDLCUDA = 2,
  /* Pinned host memory. */
  kDLCUDAHost = 3,
  kDLCUDAManaged = 13
} DLDeviceType;

typedef struct {
  DLDeviceType device_type;
  int32_t device_id;
} DLDevice;

typedef enum {
  kDLInt = 0,
  kDLUInt = 1,
  kDLFloat = 2,
  kDLBfloat = 4,
  kDLBool = 6,
  kDLFloat8_e4m3fn = 10,
  kDLFloat8_e5m2 = 12
} DLDataTypeCode;

typedef struct {
  /* A DLDataTypeCode. */
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} DLDataType;

typedef struct {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape;
  /* In elements; NULL means row major without gaps. */
  int64_t *strides;
  /* From data to the first element. */
  uint64_t byte_offset;
} DLTensor;

#ifdef __cplusplus
}
#endif

#endif /* DLPACK_DLPACK_H_ */
#endif /* FUSE_C_DLPACK_H */
