/*===- PlainC.c - The C API used from C -----------------------------------===*\
|*                                                                            *|
|* Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.          *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "PlainC.h"
#include <string.h>

static DLTensor vectorOf(void *data, int64_t *count) {
  DLTensor tensor;
  memset(&tensor, 0, sizeof(tensor));
  tensor.data = data;
  tensor.device.device_type = kDLCPU;
  tensor.ndim = 1;
  tensor.dtype.code = kDLFloat;
  tensor.dtype.bits = 32;
  tensor.dtype.lanes = 1;
  tensor.shape = count;
  return tensor;
}

FuseStatus *runOnVector(const char *text, float *in, float *out,
                        int64_t count) {
  FuseOptions options;
  FuseProgram *program = NULL;
  FuseStatus *status;
  DLTensor from = vectorOf(in, &count), to = vectorOf(out, &count);
  const DLTensor *inputs[1], *outputs[1];
  inputs[0] = &from;
  outputs[0] = &to;

  fuseOptionsInit(&options);
  options.target = FUSE_TARGET_CPU;
  status = fuseCompile(text, strlen(text), NULL, &options, &program);
  if (!status)
    status = fuseRun(program, inputs, 1, outputs, 1, NULL);
  fuseProgramFree(program);
  return status;
}
