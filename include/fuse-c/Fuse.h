/*===- Fuse.h - The C API of Fuse --------------------------------*- C -*-===*\
|*                                                                            *|
|* Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.          *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|*   FuseOptions options;                                                     *|
|*   FuseProgram *program;                                                    *|
|*   fuseOptionsInit(&options);                                               *|
|*   FuseStatus *status = fuseCompileFile("gelu.mlir", &options, &program);   *|
|*   if (!status)                                                             *|
|*     status = fuseRun(program, inputs, 1, outputs, 1, stream);              *|
|*   if (status) {                                                            *|
|*     fprintf(stderr, "%s\n", fuseStatusMessage(status));                    *|
|*     fuseStatusFree(status);                                                *|
|*   }                                                                        *|
|*                                                                            *|
|* A function that can fail returns a FuseStatus: NULL is success, anything   *|
|* else is an error that the caller frees. Outputs are written on success     *|
|* only. No function throws. All functions may be called from several threads *|
|* at a time, also on one program, except that nothing may use a program that *|
|* is being freed.                                                            *|
|*                                                                            *|
|* This API grows by new functions and by new fields at the end of            *|
|* FuseOptions; what is here keeps its meaning.                               *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef FUSE_C_FUSE_H
#define FUSE_C_FUSE_H

#include "fuse-c/DLPack.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define FUSE_C_EXPORT __attribute__((visibility("default")))
#else
#define FUSE_C_EXPORT
#endif

/* An error. */
typedef struct FuseStatus FuseStatus;

/* A compiled program, loaded on its device. */
typedef struct FuseProgram FuseProgram;

/* A call of a program with tensors of given layouts, at open addresses. */
typedef struct FuseCall FuseCall;

typedef enum {
  /* CUDA if there is a driver and a device, else the CPU. */
  FUSE_TARGET_AUTO = 0,
  FUSE_TARGET_CPU = 1,
  FUSE_TARGET_CUDA = 2,
  /* The GPU's kernels, run on the host with every access checked. Tensors are
     the CPU's; a call that breaks a rule fails. */
  FUSE_TARGET_EMULATOR = 3
} FuseTarget;

/* The forms that a program goes through. */
typedef enum {
  /* Kernels of primitives, without a schedule. */
  FUSE_STAGE_KERNELS = 0,
  /* Kernels with their schedules. */
  FUSE_STAGE_SCHEDULE = 1,
  /* gpu.func, and a host function with launches. */
  FUSE_STAGE_GPU = 2,
  /* LLVM IR, before LLVM's optimizations. */
  FUSE_STAGE_LLVM = 3,
  /* CUDA only. */
  FUSE_STAGE_PTX = 4
} FuseStage;

/* Where a program gets the memory of its temporaries and constants. The
   functions are called from any thread that runs the program, also while a
   stream is captured, until it is freed; they must not call Fuse. */
typedef struct {
  /* At least so many bytes on the device, aligned to 256; NULL if there are
     none, and the call fails. */
  void *(*allocate)(size_t bytes, DLDevice device, void *user);
  /* What allocate() gave; all work on it has ended. */
  void (*free)(void *memory, DLDevice device, void *user);
  void *user;
} FuseAllocator;

/* How to compile; fuseOptionsInit() sets the defaults. The strings need to
   live only during the call. */
typedef struct {
  /* sizeof(FuseOptions) of the caller's header. */
  size_t size;
  /* The function to compile; NULL or "" means the only public one. */
  const char *entry;
  /* A FuseTarget. Default: FUSE_TARGET_AUTO. */
  int32_t target;
  /* Number of the CUDA device. Default: 0. */
  int32_t device;
  /* Such as "sm_90a"; NULL or "" means that of the device, and sm_90 for the
     emulator. */
  const char *chip;
  /* Not 0: round after every op, as the program says, instead of where a value
     leaves its kernel. Default: 0. */
  int32_t strict;
  /* Not 0: map instructions to lines of the program. Default: 0. */
  int32_t line_info;
  /* Not 0: keep compiled code on disk for the next process. Default: 1. */
  int32_t cache;
  /* NULL or "" means the default folder. */
  const char *cache_directory;
  /* The file with the schedules that fuseAutotune() has found; NULL or "" means
     $FUSE_TUNING, or "tuning.json" in the cache's folder. */
  const char *tuning_file;
  /* Not 0: on GPUs from sm_90 on, launch each kernel while the one before it
     still runs; it waits itself before it touches memory. Default: 1. */
  int32_t launch_overlap;
  /* Sizes of dynamic dims that the code is for, which takes no others:
     "NAME=SIZE", separated by commas. NULL or "" means none. */
  const char *sizes;
  /* Where rows have a dynamic length, so many lengths, the first that occur,
     get code of their own. Default: 8. */
  int32_t lengths;
  /* CUDA only. Not 0: calls with the same layouts and addresses of all tensors,
     outputs too, are recorded as a CUDA graph by the second of them, and run by
     one launch from then on. Up to 16 such sets are, each with temporaries of
     its own. Default: 0. */
  int32_t graphs;
  /* NULL means memory of the driver, or of the C library. The struct itself
     need not live on. */
  const FuseAllocator *allocator;
} FuseOptions;

/* What an error is about. */
typedef enum {
  FUSE_OK = 0,
  /* Options, tensors, or a pointer that is NULL. */
  FUSE_ERROR_ARGUMENT = 1,
  /* The program's text is refused. */
  FUSE_ERROR_PROGRAM = 2,
  /* There is no driver or device, or it refused to do something. */
  FUSE_ERROR_DEVICE = 3
} FuseCode;

/* "0.1.0". */
FUSE_C_EXPORT const char *fuseVersion(void);

/* A number that grows when a caller of an older header must be compiled again:
   compare fuseAbi() with FUSE_ABI where the library is loaded by hand. */
#define FUSE_ABI 1
FUSE_C_EXPORT int32_t fuseAbi(void);

/* Gets lines about what is compiled, one at a time, from the threads that do
   it; it must not call Fuse. NULL takes the callback away: when the call
   returns, the one before is not running. */
typedef void (*FuseLog)(const char *line, void *user);
FUSE_C_EXPORT void fuseSetLog(FuseLog log, void *user);

/* A FuseCode; FUSE_OK for NULL. */
FUSE_C_EXPORT int32_t fuseStatusCode(const FuseStatus *status);

/* One line or more of text, as long as the status lives. "" for NULL. */
FUSE_C_EXPORT const char *fuseStatusMessage(const FuseStatus *status);
/* Does nothing for NULL. */
FUSE_C_EXPORT void fuseStatusFree(FuseStatus *status);

FUSE_C_EXPORT void fuseOptionsInit(FuseOptions *options);

/* Compiles `length` bytes of program text and loads the code on the device.
   `file_name` stands for the text in errors; NULL means "<text>". `options` may
   be NULL. The caller frees *program. */
FUSE_C_EXPORT FuseStatus *fuseCompile(const char *text, size_t length,
                                      const char *file_name,
                                      const FuseOptions *options,
                                      FuseProgram **program);
FUSE_C_EXPORT FuseStatus *fuseCompileFile(const char *path,
                                          const FuseOptions *options,
                                          FuseProgram **program);
/* Writes the program's text, its options and all code that calls so far have
   had compiled to a file. */
FUSE_C_EXPORT FuseStatus *fuseProgramSave(const FuseProgram *program,
                                          const char *path);

/* Makes a program of such a file. For the same chip the same build of Fuse
   takes what the file has; another build lowers the program again, and takes
   code that would be the same; all else is compiled. Entry, strict, line_info,
   launch_overlap, sizes and lengths are the file's, and the target, where
   `options` have FUSE_TARGET_AUTO. `options` may be NULL. The caller frees
   *program. */
FUSE_C_EXPORT FuseStatus *fuseProgramLoad(const char *path,
                                          const FuseOptions *options,
                                          FuseProgram **program);

/* On CUDA waits for the work that the program has put on streams. Does nothing
   for NULL. */
FUSE_C_EXPORT void fuseProgramFree(FuseProgram *program);

/* The device that the program's tensors must be on. */
FUSE_C_EXPORT DLDevice fuseProgramDevice(const FuseProgram *program);

/* A tensor that a program takes or gives. What it points to lives as long as
   the program. */
typedef struct {
  /* sizeof(FuseTensorInfo) of the caller's header, set before the call. */
  size_t size;
  const char *name;
  DLDataType dtype;
  int32_t ndim;
  /* ndim sizes; -1 where a call decides. */
  const int64_t *shape;
  /* ndim texts: the size where a call decides, such as "rows" or "(rows * 2)";
     NULL elsewhere. */
  const char *const *dims;
  /* Not 0: an input of one element in the host's memory. */
  int32_t is_scalar;
  /* Of an output: the number of the input whose memory the program's text wants
     it in, or -1. */
  int32_t in_place;
  /* Of an output: the numbers of the inputs whose memory it may be in. */
  const int32_t *may_alias;
  int32_t num_may_alias;
} FuseTensorInfo;

FUSE_C_EXPORT int32_t fuseProgramNumInputs(const FuseProgram *program);
FUSE_C_EXPORT int32_t fuseProgramNumOutputs(const FuseProgram *program);
FUSE_C_EXPORT FuseStatus *fuseProgramInput(FuseProgram *program, int32_t index,
                                           FuseTensorInfo *info);
FUSE_C_EXPORT FuseStatus *fuseProgramOutput(FuseProgram *program, int32_t index,
                                            FuseTensorInfo *info);

/* A launch of the code for aligned tensors with divisible rows. What it points
   to lives as long as the program. */
typedef struct {
  /* sizeof(FuseKernelInfo) of the caller's header, set before the call. */
  size_t size;
  const char *name;
  /* Such as "add, rms_norm". */
  const char *ops;
  /* Such as "#fuse.rows<threads = 128, ...>". */
  const char *schedule;
  /* Of a block, and the blocks of a cluster. */
  int32_t threads;
  int32_t cluster;
  /* Of a thread, and the shared memory of a block; -1 where no assembler says
     it, as on the CPU. */
  int32_t registers;
  int32_t spill_bytes;
  int32_t shared_bytes;
} FuseKernelInfo;

/* In the order of the launches. */
FUSE_C_EXPORT int32_t fuseProgramNumKernels(const FuseProgram *program);
FUSE_C_EXPORT FuseStatus *fuseProgramKernel(FuseProgram *program, int32_t index,
                                            FuseKernelInfo *info);

/* Name, chip, symbols, inputs, outputs and kernels (name, ops, schedule, bytes,
   statistics of the PTX, registers and spills) as a JSON object; see
   fuse/Compiler/Report.h for its fields. Lives as long as the program. */
FUSE_C_EXPORT FuseStatus *fuseProgramDescribe(FuseProgram *program,
                                              const char **json);

/* Remarks about the program as a JSON array: those of its description, and why
   calls so far have copied views ("category": "fuse-copy"). The caller frees
   *json with fuseStringFree(). */
FUSE_C_EXPORT FuseStatus *fuseProgramRemarks(FuseProgram *program, char **json);

/* The program at `stage` (a FuseStage) as text, for aligned tensors with
   divisible rows. The caller frees *text with fuseStringFree(). */
FUSE_C_EXPORT FuseStatus *fuseProgramPrint(FuseProgram *program, int32_t stage,
                                           char **text);

/* Like fuseProgramDescribe(), without a device: for CUDA, `options` must name a
   target and a chip. Adds the PTX as the field "ptx". The caller frees *json
   with fuseStringFree(). */
FUSE_C_EXPORT FuseStatus *fuseInspect(const char *text, size_t length,
                                      const char *file_name,
                                      const FuseOptions *options, char **json);

/* Compiles the program for each of `chips`, such as "sm_80,sm_90a" or "cpu",
   and writes what it needs to run without a compiler to a folder: `fuse
   compile` as a function. *files names what was written, one file a line; the
   caller frees it with fuseStringFree(). `options` may be NULL; its target and
   chip are not looked at. */
FUSE_C_EXPORT FuseStatus *fuseWriteBundle(const char *text, size_t length,
                                          const char *file_name,
                                          const FuseOptions *options,
                                          const char *chips,
                                          const char *directory, char **files);

/* Measures several schedules of each kernel on the GPU, and writes the fastest
   to the tuning file, where programs that are compiled later find them. `dims`
   has the dims of all inputs, one input after the other. *json is an array of
   the kernels with what was tried: "kernel", "key", "trials" ("schedule", "us",
   "spills") and "best", the number of a trial. The caller frees it with
   fuseStringFree(). Takes seconds. */
FUSE_C_EXPORT FuseStatus *fuseAutotune(const char *text, size_t length,
                                       const char *file_name,
                                       const FuseOptions *options,
                                       const int64_t *dims, int32_t num_dims,
                                       char **json);

/* Does nothing for NULL. */
FUSE_C_EXPORT void fuseStringFree(char *text);

/* The number of dims of all outputs together. */
FUSE_C_EXPORT int32_t fuseProgramOutputDims(const FuseProgram *program);

/* Writes the dims of all outputs, one output after the other, to `dims`, which
   has room for fuseProgramOutputDims() values. Only dtypes and shapes of the
   inputs are looked at. */
FUSE_C_EXPORT FuseStatus *fuseProgramInferShapes(const FuseProgram *program,
                                                 const DLTensor *const *inputs,
                                                 int32_t num_inputs,
                                                 int64_t *dims);

/* Runs the program on tensors of its device, in the order in which the text
   names them. Inputs may have any strides of 0 or more, outputs those that keep
   their elements apart; nothing is written between these. An output may be
   exactly an input that the description lists under "may_alias", with its
   strides; any other overlap is an error. On CUDA the work is put on `stream`
   (a CUstream or cudaStream_t; NULL is the default stream) and the call returns
   at once: the memory must live until the work is done. On the CPU the outputs
   are ready when the call returns. Calls with layouts that the program has seen
   take as little as fuseCallRun(), but for comparing them. */
FUSE_C_EXPORT FuseStatus *
fuseRun(FuseProgram *program, const DLTensor *const *inputs, int32_t num_inputs,
        const DLTensor *const *outputs, int32_t num_outputs, void *stream);

/* Compiles and computes all that calls with tensors of these dtypes, shapes and
   strides need, so that fuseCallRun() only checks addresses and launches:
   nothing is compiled within a CUDA graph's capture, say. Outputs have the
   shapes of fuseProgramInferShapes() and are contiguous, but for those that are
   written over an input (fuse.in_place), which have its strides. `data` of an
   input may be NULL: then code for memory that is aligned to 16 bytes is made,
   other code when it is first needed. The caller frees *call, before the
   program. */
FUSE_C_EXPORT FuseStatus *fusePrepare(FuseProgram *program,
                                      const DLTensor *const *inputs,
                                      int32_t num_inputs, FuseCall **call);

/* The same for outputs of these strides. `data` of an output may be NULL, too.
 */
FUSE_C_EXPORT FuseStatus *
fusePrepareOutputs(FuseProgram *program, const DLTensor *const *inputs,
                   int32_t num_inputs, const DLTensor *const *outputs,
                   int32_t num_outputs, FuseCall **call);

/* Runs the program like fuseRun(), on memory at `addresses`: of the first
   element of each input, then of each output. */
FUSE_C_EXPORT FuseStatus *fuseCallRun(FuseCall *call, void *const *addresses,
                                      int32_t num_addresses, void *stream);

/* Does nothing for NULL. */
FUSE_C_EXPORT void fuseCallFree(FuseCall *call);

#ifdef __cplusplus
}
#endif

#endif /* FUSE_C_FUSE_H */
