/*===- PlainC.h - The C API used from C ---------------------------*- C -*-===*\
|*                                                                            *|
|* Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.          *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef FUSE_UNITTESTS_CAPI_PLAINC_H
#define FUSE_UNITTESTS_CAPI_PLAINC_H

#include "fuse-c/Fuse.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Compiles `text`, a program of one f32 vector to one, for the CPU and runs it
   on `count` values. */
FuseStatus *runOnVector(const char *text, float *in, float *out, int64_t count);

#ifdef __cplusplus
}
#endif

#endif /* FUSE_UNITTESTS_CAPI_PLAINC_H */
