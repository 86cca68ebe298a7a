/*===- fuse_bundle.h - Runs compiled programs without a compiler --*- C -*-===*\
|*                                                                            *|
|* Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.          *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* `fuse compile FILE.mlir -o DIR` writes this header, fuse_bundle.c, the     *|
|* plan of the program as C tables, and its code. C99 and the C library are   *|
|* enough; libcuda.so.1, the driver, is loaded when a bundle is opened.       *|
|*                                                                            *|
|*   FuseLoaded *norm;                                                        *|
|*   char message[FUSE_BUNDLE_MESSAGE];                                       *|
|*   if (fuse_bundle_open(&rms_norm_bundle, "DIR", 0, &norm, message) ||      *|
|*       fuse_bundle_run(norm, inputs, 2, outputs, 1, stream, message))       *|
|*     fprintf(stderr, "%s\n", message);                                      *|
|*   fuse_bundle_close(norm);                                                 *|
|*                                                                            *|
|* A function returns 0, or another number and a message that says what was   *|
|* expected. All may be called from several threads, also on one program;     *|
|* nothing may use a program that is being closed.                            *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef FUSE_BUNDLE_H
#define FUSE_BUNDLE_H

#include "DLPack.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Tables of another number are refused. */
#define FUSE_BUNDLE_ABI 2
/* Bytes of a message, its end included. */
#define FUSE_BUNDLE_MESSAGE 512

typedef struct FuseBundle FuseBundle;
typedef struct FuseLoaded FuseLoaded;

/* Loads a bundle's code from `directory` for a CUDA device, or for the CPU if
   it has code for that alone. */
int fuse_bundle_open(const FuseBundle *bundle, const char *directory,
                     int device, FuseLoaded **loaded, char *message);

/* Runs it. Tensors are on the device, row major without gaps. On CUDA the work
   is put on `stream`, a CUstream, and the call returns at once: it can be
   captured in a graph once a call with these sizes has run on the stream. The
   graph keeps the program, also when it is closed. */
int fuse_bundle_run(FuseLoaded *loaded, const DLTensor *const *inputs,
                    int num_inputs, const DLTensor *const *outputs,
                    int num_outputs, void *stream, char *message);

/* The tensor of a number that a program takes by value (fuse.scalar): of rank 0
   and in the caller's memory, where a call reads `value` before it returns. */
DLTensor fuse_bundle_number(const void *value, DLDataType type);

/* The dims of all outputs, one after the other, from the shapes of the inputs.
 */
int fuse_bundle_shapes(const FuseLoaded *loaded, const DLTensor *const *inputs,
                       int num_inputs, int64_t *dims, char *message);

/* Memory of the program's device, for callers without a framework. Copies wait
   for all work on the device, and for their own end. */
int fuse_bundle_allocate(FuseLoaded *loaded, int64_t bytes, void **memory,
                         char *message);
void fuse_bundle_release(FuseLoaded *loaded, void *memory);
int fuse_bundle_upload(FuseLoaded *loaded, void *to, const void *from,
                       int64_t bytes, char *message);
int fuse_bundle_download(FuseLoaded *loaded, void *to, const void *from,
                         int64_t bytes, char *message);
DLDevice fuse_bundle_device(const FuseLoaded *loaded);

/* On CUDA waits for the work on the device. A program that a graph has recorded
   is freed by the next call after the graph. Does nothing for NULL. */
void fuse_bundle_close(FuseLoaded *loaded);

/* On the CPU a call runs `body` on parts of [0, blocks) that together are all
   of it, from several threads if you like, and returns when all have. NULL, as
   at the start, means one after the other. */
typedef void (*FuseParallelFor)(int64_t blocks,
                                void (*body)(void *context, int64_t first,
                                             int64_t end),
                                void *context);
void fuse_bundle_set_parallel_for(FuseParallelFor parallel_for);

/*===----------------------------------------------------------------------===*\
|* The plan: what `fuse compile` writes.                                      *|
\*===----------------------------------------------------------------------===*/

typedef enum {
  FUSE_CONST,
  FUSE_SYMBOL,
  FUSE_ADD,
  FUSE_SUB,
  FUSE_MUL,
  FUSE_CEILDIV,
  FUSE_FLOORDIV,
  FUSE_MOD,
  FUSE_MIN,
  FUSE_MAX
} FuseOp;

/* An expression over the sizes of a call, in postfix order. */
typedef struct {
  uint8_t op;
  int64_t value;
} FuseNode;

typedef struct {
  const FuseNode *nodes;
  int count;
} FuseSize;

typedef struct {
  const char *name;
  uint8_t code, bits;
  int rank;
  const FuseSize *shape;
  int64_t alignment;
  /* Whether kernels get it by value, from the caller's memory. */
  int is_number;
} FuseTensor;

typedef enum {
  FUSE_INPUT,
  FUSE_OUTPUT,
  FUSE_TEMP,
  FUSE_CONSTANT,
  FUSE_COUNTER,
  /* The value of an input, not its address. */
  FUSE_NUMBER
} FuseBufferKind;

typedef struct {
  uint8_t kind;
  int index;
} FuseBuffer;

typedef struct {
  FuseBuffer buffer;
  int element_bytes, rank;
  /* Dim 0 has the neighbours in memory; strides, in elements, start with dim 1.
   */
  FuseSize sizes[5], strides[5];
  uint32_t box[5];
} FuseTensorMap;

typedef enum { FUSE_ARG_BUFFER, FUSE_ARG_SIZE, FUSE_ARG_MAP } FuseArgKind;

typedef struct {
  uint8_t kind;
  FuseBuffer buffer;
  FuseSize size;
  const FuseTensorMap *map;
} FuseArg;

typedef void (*FuseHostKernel)(void **params, int64_t first, int64_t end);

/* A launch, or a copy of `bytes` where `symbol` is NULL. */
typedef struct {
  const char *symbol;
  FuseHostKernel host;
  const FuseArg *args;
  int num_args;
  FuseSize grid;
  unsigned threads, shared_bytes, cluster;
  int cooperative, waits;
  FuseBuffer from, to;
  FuseSize bytes;
} FuseStep;

typedef struct {
  FuseSize bytes;
  int first_step, last_step;
} FuseTemp;

typedef struct {
  const unsigned char *bytes;
  int64_t count;
} FuseConstant;

typedef struct {
  FuseSize lhs, rhs;
  int is_equal;
  const char *message;
} FuseCheck;

/* What must hold of a call. */
enum {
  FUSE_ALIGNED = 1,
  FUSE_DIVISIBLE = 2,
  FUSE_INDEX32 = 4,
  /* No output is where an input is. */
  FUSE_SEPARATE = 8
};

/* The innermost dim of some tensor, whose bytes divide by 16 or not. */
typedef struct {
  FuseSize size;
  int element_bytes;
} FuseInnermost;

/* An input whose memory an output may be. */
typedef struct {
  int output, input;
} FuseAlias;

/* Code for one chip and some facts. Of those for a chip the first counts whose
   facts hold. */
typedef struct {
  /* "sm_90a", "cpu". */
  const char *chip;
  unsigned facts;
  /* Of the code, in the bundle's directory; NULL for the CPU. */
  const char *file;
  const FuseStep *steps;
  int num_steps;
  const FuseTemp *temps;
  int num_temps;
  const FuseConstant *constants;
  int num_constants;
  int num_counters;
  const FuseCheck *checks;
  int num_checks;
  const FuseInnermost *innermost;
  int num_innermost;
  const FuseAlias *aliases;
  int num_aliases;
} FuseVariant;

struct FuseBundle {
  int abi;
  const char *name;
  const char *const *symbols;
  int num_symbols;
  const FuseTensor *inputs;
  int num_inputs;
  const FuseTensor *outputs;
  int num_outputs;
  const FuseVariant *variants;
  int num_variants;
};

#ifdef __cplusplus
}
#endif

#endif /* FUSE_BUNDLE_H */
