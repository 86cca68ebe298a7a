/*===- main.c - Compile a program and call it from C ----------------------===*\
|*                                                                            *|
|* Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.          *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* y = rms_norm(x + r) on the CPU: compiled from text, called with the        *|
|* caller's buffers, and compared with plain loops.                           *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "fuse-c/Fuse.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { rows = 64, columns = 1024 };

static const char text[] =
    "func.func @add_rms_norm(%x: tensor<?x1024xf32>, %r: tensor<?x1024xf32>)\n"
    "    -> tensor<?x1024xf32> {\n"
    "  %h = fuse.add %x, %r : tensor<?x1024xf32>\n"
    "  %y = fuse.rms_norm %h eps = 1.0e-5 : tensor<?x1024xf32>\n"
    "  return %y : tensor<?x1024xf32>\n"
    "}\n";

static float x[rows * columns], r[rows * columns], y[rows * columns];

/* Row-major, on the CPU. */
static DLTensor view(float *data, int64_t *shape) {
  DLTensor tensor;
  memset(&tensor, 0, sizeof tensor);
  tensor.data = data;
  tensor.device.device_type = kDLCPU;
  tensor.ndim = 2;
  tensor.dtype.code = kDLFloat;
  tensor.dtype.bits = 32;
  tensor.dtype.lanes = 1;
  tensor.shape = shape;
  return tensor;
}

/* The largest difference between y and the norm of x + r. */
static double max_error(void) {
  double worst = 0;
  for (int row = 0; row < rows; ++row) {
    int begin = row * columns, end = begin + columns;
    double squares = 0;
    for (int i = begin; i < end; ++i)
      squares += pow((double)x[i] + r[i], 2);
    double scale = 1 / sqrt(squares / columns + 1e-5);
    for (int i = begin; i < end; ++i)
      worst = fmax(worst, fabs(((double)x[i] + r[i]) * scale - y[i]));
  }
  return worst;
}

static FuseStatus *compile_and_run(void) {
  FuseOptions options;
  fuseOptionsInit(&options);
  options.target = FUSE_TARGET_CPU;
  FuseProgram *program = NULL;
  FuseStatus *status =
      fuseCompile(text, strlen(text), "add_rms_norm.mlir", &options, &program);
  if (status)
    return status;

  int64_t shape[] = {rows, columns};
  DLTensor of_x = view(x, shape), of_r = view(r, shape), of_y = view(y, shape);
  const DLTensor *inputs[] = {&of_x, &of_r}, *outputs[] = {&of_y};
  status = fuseRun(program, inputs, 2, outputs, 1, NULL);
  fuseProgramFree(program);
  return status;
}

int main(void) {
  for (int i = 0; i < rows * columns; ++i) {
    x[i] = sinf(0.1f * i);
    r[i] = cosf(0.3f * i);
  }
  FuseStatus *status = compile_and_run();
  if (status) {
    fprintf(stderr, "error: %s\n", fuseStatusMessage(status));
    fuseStatusFree(status);
    return 1;
  }
  double error = max_error();
  printf("largest error %g\n", error);
  return error < 1e-5 ? 0 : 1;
}
