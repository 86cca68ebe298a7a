/*===- fuse_bundle.c - Runs compiled programs without a compiler --*- C -*-===*\
|*                                                                            *|
|* Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.          *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#define _POSIX_C_SOURCE 200809L

#include "fuse_bundle.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sizes and arguments of a call are few; what has more is refused. */
enum { MOST_SYMBOLS = 64, MOST_ARGS = 512, MOST_NODES = 64, MOST_MAPS = 8 };
enum { ARENA_ALIGNMENT = 256, MAP_BYTES = 128 };

static int fail(char *message, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, FUSE_BUNDLE_MESSAGE, format, arguments);
  va_end(arguments);
  return 1;
}

/*===----------------------------------------------------------------------===*\
|* Sizes                                                                      *|
\*===----------------------------------------------------------------------===*/

static int apply(uint8_t op, int64_t a, int64_t b, int64_t *result) {
  switch (op) {
  case FUSE_ADD:
    return __builtin_add_overflow(a, b, result);
  case FUSE_SUB:
    return __builtin_sub_overflow(a, b, result);
  case FUSE_MUL:
    return __builtin_mul_overflow(a, b, result);
  case FUSE_MIN:
    *result = a < b ? a : b;
    return 0;
  case FUSE_MAX:
    *result = a > b ? a : b;
    return 0;
  }
  if (b < 1)
    return 1;
  int64_t quotient = a / b, rest = a % b;
  if (rest < 0) {
    rest += b;
    --quotient;
  }
  *result = op == FUSE_MOD       ? rest
            : op == FUSE_CEILDIV ? quotient + (rest != 0)
                                 : quotient;
  return 0;
}

static int evaluate(FuseSize size, const int64_t *symbols, int64_t *result,
                    char *message) {
  int64_t stack[MOST_NODES];
  int top = 0;
  if (size.count > MOST_NODES)
    return fail(message, "expected expressions of at most %d parts",
                MOST_NODES);
  for (int i = 0; i < size.count; ++i) {
    FuseNode node = size.nodes[i];
    if (node.op == FUSE_CONST) {
      stack[top++] = node.value;
    } else if (node.op == FUSE_SYMBOL) {
      stack[top++] = symbols[node.value];
    } else {
      --top;
      if (apply(node.op, stack[top - 1], stack[top], &stack[top - 1]))
        return fail(message, "expected sizes that a call can have, but got one "
                             "that overflows; pass smaller tensors");
    }
  }
  *result = stack[0];
  return 0;
}

static int is_symbol(FuseSize size) {
  return size.count == 1 && size.nodes[0].op == FUSE_SYMBOL;
}

/*===----------------------------------------------------------------------===*\
|* Arguments                                                                  *|
\*===----------------------------------------------------------------------===*/

static const char *type_name(uint8_t code) {
  switch (code) {
  case kDLInt:
    return "int";
  case kDLUInt:
    return "uint";
  case kDLFloat:
    return "float";
  case kDLBfloat:
    return "bfloat";
  case kDLBool:
    return "bool";
  default:
    return "float8 of kind ";
  }
}

static void *address_of(const DLTensor *tensor) {
  return tensor->data ? (char *)tensor->data + tensor->byte_offset : NULL;
}

static int64_t count_of(const DLTensor *tensor) {
  int64_t count = 1;
  for (int i = 0; i < tensor->ndim; ++i)
    count *= tensor->shape[i];
  return count;
}

static int check_form(const FuseTensor *spec, const DLTensor *tensor,
                      char *message) {
  if (!tensor)
    return fail(message, "expected '%s' to be a tensor, but got NULL; pass one",
                spec->name);
  if (tensor->dtype.code != spec->code || tensor->dtype.bits != spec->bits ||
      tensor->dtype.lanes != 1)
    return fail(message, "expected '%s' to be %s%d, but got %s%d; convert it",
                spec->name, type_name(spec->code), spec->bits,
                type_name(tensor->dtype.code), tensor->dtype.bits);
  if (tensor->ndim != spec->rank)
    return fail(message,
                "expected '%s' to have rank %d, but got %d; reshape it",
                spec->name, spec->rank, tensor->ndim);
  int64_t stride = 1;
  for (int i = tensor->ndim - 1; i >= 0; --i) {
    if (tensor->shape[i] < 0 ||
        __builtin_mul_overflow(stride, tensor->shape[i], &stride))
      return fail(message,
                  "expected '%s' to have a size, but got a shape of too "
                  "many elements; pass a smaller one",
                  spec->name);
  }
  if (!tensor->strides || stride == 0)
    return 0;
  stride = 1;
  for (int i = tensor->ndim - 1; i >= 0; --i) {
    if (tensor->shape[i] != 1 && tensor->strides[i] != stride)
      return fail(message,
                  "expected '%s' to be contiguous, but got strides; make "
                  "a contiguous copy",
                  spec->name);
    stride *= tensor->shape[i];
  }
  return 0;
}

static int check_shape(const FuseTensor *spec, const DLTensor *tensor,
                       const int64_t *symbols, char *message) {
  for (int i = 0; i < spec->rank; ++i) {
    int64_t expected;
    if (evaluate(spec->shape[i], symbols, &expected, message))
      return 1;
    if (tensor->shape[i] != expected)
      return fail(
          message,
          "expected dimension %d of '%s' to be %lld, but got %lld; pass "
          "a tensor of that size",
          i, spec->name, (long long)expected, (long long)tensor->shape[i]);
  }
  return 0;
}

static int bind(const FuseBundle *bundle, const DLTensor *const *inputs,
                int count, int64_t *symbols, char *message) {
  if (count != bundle->num_inputs)
    return fail(message,
                "expected %d inputs of '%s', but got %d; pass one for "
                "each",
                bundle->num_inputs, bundle->name, count);
  if (bundle->num_symbols > MOST_SYMBOLS)
    return fail(message, "expected at most %d dynamic dims", MOST_SYMBOLS);
  for (int i = 0; i < bundle->num_symbols; ++i)
    symbols[i] = -1;
  for (int i = 0; i < count; ++i) {
    const FuseTensor *spec = &bundle->inputs[i];
    if (check_form(spec, inputs[i], message))
      return 1;
    for (int d = 0; d < spec->rank; ++d)
      if (is_symbol(spec->shape[d])) {
        int64_t *value = &symbols[spec->shape[d].nodes[0].value];
        *value = *value < 0 ? inputs[i]->shape[d] : *value;
      }
  }
  for (int i = 0; i < count; ++i)
    if (check_shape(&bundle->inputs[i], inputs[i], symbols, message))
      return 1;
  return 0;
}

/*===----------------------------------------------------------------------===*\
|* The driver                                                                 *|
\*===----------------------------------------------------------------------===*/

typedef int Result;
typedef unsigned long long Pointer;

typedef struct {
  unsigned id;
  char padding[4];
  union {
    char bytes[64];
    unsigned cluster[3];
    int value;
  } of;
} Attribute;

typedef struct {
  unsigned grid[3], block[3], shared_bytes;
  void *stream;
  Attribute *attributes;
  unsigned num_attributes;
} Config;

#define FUNCTIONS(X)                                                           \
  X(init, "cuInit", (unsigned))                                                \
  X(error_string, "cuGetErrorString", (Result, const char **))                 \
  X(device_get, "cuDeviceGet", (int *, int))                                   \
  X(attribute, "cuDeviceGetAttribute", (int *, int, int))                      \
  X(retain, "cuDevicePrimaryCtxRetain", (void **, int))                        \
  X(release, "cuDevicePrimaryCtxRelease_v2", (int))                            \
  X(push, "cuCtxPushCurrent_v2", (void *))                                     \
  X(pop, "cuCtxPopCurrent_v2", (void **))                                      \
  X(synchronize, "cuCtxSynchronize", (void))                                   \
  X(load, "cuModuleLoadData", (void **, const void *))                         \
  X(unload, "cuModuleUnload", (void *))                                        \
  X(function, "cuModuleGetFunction", (void **, void *, const char *))          \
  X(set_function, "cuFuncSetAttribute", (void *, int, int))                    \
  X(most_blocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor",                \
    (int *, void *, int, size_t))                                              \
  X(launch, "cuLaunchKernelEx", (const Config *, void *, void **, void **))    \
  X(encode, "cuTensorMapEncodeTiled",                                          \
    (void *, int, unsigned, void *, const uint64_t *, const uint64_t *,        \
     const uint32_t *, const uint32_t *, int, int, int, int))                  \
  X(alloc, "cuMemAlloc_v2", (Pointer *, size_t))                               \
  X(free, "cuMemFree_v2", (Pointer))                                           \
  X(upload, "cuMemcpyHtoD_v2", (Pointer, const void *, size_t))                \
  X(download, "cuMemcpyDtoH_v2", (void *, Pointer, size_t))                    \
  X(copy, "cuMemcpyDtoDAsync_v2", (Pointer, Pointer, size_t, void *))          \
  X(set_bytes, "cuMemsetD8Async", (Pointer, unsigned char, size_t, void *))    \
  X(capture_of, "cuStreamGetCaptureInfo_v2",                                   \
    (void *, int *, uint64_t *, void **, void *, size_t *))                    \
  X(make_user, "cuUserObjectCreate",                                           \
    (void **, void *, void (*)(void *), unsigned, unsigned))                   \
  X(release_user, "cuUserObjectRelease", (void *, unsigned))                   \
  X(give_user, "cuGraphRetainUserObject", (void *, void *, unsigned, unsigned))

static struct {
#define MEMBER(member, symbol, parameters) Result(*member) parameters;
  FUNCTIONS(MEMBER)
#undef MEMBER
} cuda;

static pthread_mutex_t driver_mutex = PTHREAD_MUTEX_INITIALIZER;
static int driver_is_loaded;

static int check(Result result, const char *what, char *message) {
  const char *text = NULL;
  if (result == 0)
    return 0;
  cuda.error_string(result, &text);
  return fail(message, "expected the driver to %s, but got error %d: %s", what,
              result, text ? text : "unknown");
}

static int load_driver(char *message) {
  int status = 0;
  pthread_mutex_lock(&driver_mutex);
  if (!driver_is_loaded) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
      status = fail(message,
                    "expected NVIDIA's driver, but got: %s; install it, "
                    "or compile for the CPU",
                    dlerror());
#define LOAD(member, symbol, parameters)                                       \
  if (!status && !(*(void **)&cuda.member = dlsym(library, symbol)))           \
    status = fail(message,                                                     \
                  "expected a driver with %s, which came with CUDA "           \
                  "12.0, but got an older one; update it",                     \
                  symbol);
    FUNCTIONS(LOAD)
#undef LOAD
    if (!status)
      status = check(cuda.init(0), "start", message);
    driver_is_loaded = !status;
  }
  pthread_mutex_unlock(&driver_mutex);
  return status;
}

/*===----------------------------------------------------------------------===*\
|* A loaded program                                                           *|
\*===----------------------------------------------------------------------===*/

/* Of one stream. Memory that was outgrown may be in use by work on the stream,
   or be part of a graph; it stays until the program is closed. */
typedef struct Arena {
  void *stream;
  void *base, *counters;
  int64_t bytes;
  struct Arena *outgrown;
  struct Arena *next;
} Arena;

typedef struct {
  const FuseVariant *plan;
  int is_loaded;
  void *module;
  void **functions;
  int64_t *most_blocks;
  void **constants;
  Arena *arenas;
} Variant;

struct FuseLoaded {
  const FuseBundle *bundle;
  char *directory;
  int is_cuda, device;
  void *context;
  pthread_mutex_t mutex;
  Variant *variants;
  int num_variants;
  /* One until it is closed, and one for each call that a graph has recorded. */
  int users;
  struct FuseLoaded *next_unused;
};

/* Those without users whose last one was a graph. */
static FuseLoaded *unused;
static pthread_mutex_t unused_mutex = PTHREAD_MUTEX_INITIALIZER;

static FuseParallelFor parallel_for;

void fuse_bundle_set_parallel_for(FuseParallelFor given) {
  parallel_for = given;
}

static int is_cpu(const char *chip) { return !strcmp(chip, "cpu"); }

/* Code for "sm_90a" runs on 9.0 alone, that for "sm_86" on 8.6 to 8.9, and PTX
   on all later ones. */
static int fits(const FuseVariant *variant, int major, int minor) {
  int number = atoi(variant->chip + 3);
  size_t length = strlen(variant->chip), name = strlen(variant->file);
  int is_ptx = name > 4 && !strcmp(variant->file + name - 4, ".ptx");
  if (variant->chip[length - 1] == 'a')
    return number == major * 10 + minor;
  if (is_ptx)
    return number <= major * 10 + minor;
  return number / 10 == major && number % 10 <= minor;
}

static int is_better(const char *chip, const char *other) {
  int difference = is_cpu(chip) ? 0 : atoi(chip + 3) - atoi(other + 3);
  return difference ? difference > 0 : strlen(chip) > strlen(other);
}

/* Keeps the variants for the chip whose code fits best: the largest number, and
   of these those for it alone. */
static void select_variants(FuseLoaded *loaded, int major, int minor) {
  const FuseBundle *bundle = loaded->bundle;
  const char *best = NULL;
  for (int i = 0; i < bundle->num_variants; ++i) {
    const FuseVariant *variant = &bundle->variants[i];
    if (is_cpu(variant->chip) == loaded->is_cuda ||
        (loaded->is_cuda && !fits(variant, major, minor)))
      continue;
    if (!best || is_better(variant->chip, best))
      best = variant->chip;
  }
  for (int i = 0; best && i < bundle->num_variants; ++i)
    if (!strcmp(bundle->variants[i].chip, best))
      loaded->variants[loaded->num_variants++].plan = &bundle->variants[i];
}

/* Whether the last user is gone. */
static int drop_user(FuseLoaded *loaded) {
  return __atomic_sub_fetch(&loaded->users, 1, __ATOMIC_ACQ_REL) == 0;
}

/* On a thread of the driver's, where the driver must not be called. */
static void drop_from_graph(void *context) {
  FuseLoaded *loaded = context;
  if (!drop_user(loaded))
    return;
  pthread_mutex_lock(&unused_mutex);
  loaded->next_unused = unused;
  unused = loaded;
  pthread_mutex_unlock(&unused_mutex);
}

static void destroy(FuseLoaded *loaded);

static void destroy_unused(void) {
  pthread_mutex_lock(&unused_mutex);
  FuseLoaded *loaded = unused;
  unused = NULL;
  pthread_mutex_unlock(&unused_mutex);
  for (FuseLoaded *next; loaded; loaded = next) {
    next = loaded->next_unused;
    destroy(loaded);
  }
}

static int has_cuda(const FuseBundle *bundle) {
  for (int i = 0; i < bundle->num_variants; ++i)
    if (!is_cpu(bundle->variants[i].chip))
      return 1;
  return 0;
}

static int enter(FuseLoaded *loaded, char *message) {
  return loaded->is_cuda &&
         check(cuda.push(loaded->context), "enter its context", message);
}

static void leave(FuseLoaded *loaded) {
  void *context;
  if (loaded->is_cuda)
    cuda.pop(&context);
}

int fuse_bundle_open(const FuseBundle *bundle, const char *directory,
                     int device, FuseLoaded **result, char *message) {
  enum { MAJOR = 75, MINOR = 76 };
  int major = 0, minor = 0;
  *result = NULL;
  destroy_unused();
  if (bundle->abi != FUSE_BUNDLE_ABI)
    return fail(message,
                "expected a bundle of ABI %d, but got %d; compile it "
                "again, or take the fuse_bundle.c beside it",
                FUSE_BUNDLE_ABI, bundle->abi);
  FuseLoaded *loaded = calloc(1, sizeof(FuseLoaded));
  Variant *variants = calloc(bundle->num_variants, sizeof(Variant));
  char *copy = strdup(directory);
  if (!loaded || !variants || !copy) {
    free(loaded), free(variants), free(copy);
    return fail(message, "expected memory for '%s', but got none",
                bundle->name);
  }
  loaded->bundle = bundle;
  loaded->directory = copy;
  loaded->variants = variants;
  loaded->users = 1;
  pthread_mutex_init(&loaded->mutex, NULL);
  loaded->is_cuda = has_cuda(bundle);
  int status = 0;
  if (loaded->is_cuda)
    status = load_driver(message) ||
             check(cuda.device_get(&loaded->device, device), "find the device",
                   message) ||
             check(cuda.attribute(&major, MAJOR, loaded->device),
                   "tell the device's capability", message) ||
             check(cuda.attribute(&minor, MINOR, loaded->device),
                   "tell the device's capability", message) ||
             check(cuda.retain(&loaded->context, loaded->device),
                   "make a context", message);
  if (!status) {
    select_variants(loaded, major, minor);
    if (loaded->num_variants == 0)
      status = fail(message,
                    "expected '%s' to have code for sm_%d%d, but it has "
                    "none; compile it with --chip sm_%d%d, too",
                    bundle->name, major, minor, major, minor);
  }
  if (status) {
    fuse_bundle_close(loaded);
    return status;
  }
  *result = loaded;
  return 0;
}

/* The bytes of a file with a 0 behind them, which PTX needs; NULL and a message
   if it cannot be read. */
static char *read_file(const char *directory, const char *name, char *message) {
  char *path = malloc(strlen(directory) + strlen(name) + 2), *bytes = NULL;
  if (!path)
    return NULL;
  sprintf(path, "%s/%s", directory, name);
  FILE *file = fopen(path, "rb");
  if (file && fseek(file, 0, SEEK_END) == 0) {
    long size = ftell(file);
    rewind(file);
    bytes = size < 0 ? NULL : calloc(1, size + 1);
    if (bytes && fread(bytes, 1, size, file) != (size_t)size) {
      free(bytes);
      bytes = NULL;
    }
  }
  if (file)
    fclose(file);
  if (!bytes)
    fail(message,
         "expected to read '%s', but could not; pass the bundle's folder",
         path);
  free(path);
  return bytes;
}

static int load_function(FuseLoaded *loaded, Variant *variant, int index,
                         char *message) {
  enum { SHARED_BYTES = 8, LARGE_CLUSTER = 14, MULTIPROCESSORS = 16 };
  const FuseStep *step = &variant->plan->steps[index];
  void **function = &variant->functions[index];
  variant->most_blocks[index] = INT64_MAX;
  if (!step->symbol)
    return 0;
  if (check(cuda.function(function, variant->module, step->symbol),
            "find a kernel", message))
    return 1;
  if (step->shared_bytes > 0 &&
      check(cuda.set_function(*function, SHARED_BYTES, step->shared_bytes),
            "grant a kernel its shared memory", message))
    return 1;
  if (step->cluster > 8 && check(cuda.set_function(*function, LARGE_CLUSTER, 1),
                                 "grant a kernel a large cluster", message))
    return 1;
  if (!step->cooperative)
    return 0;
  int blocks = 0, multiprocessors = 0;
  if (check(cuda.most_blocks(&blocks, *function, step->threads,
                             step->shared_bytes),
            "say how many blocks fit", message) ||
      check(cuda.attribute(&multiprocessors, MULTIPROCESSORS, loaded->device),
            "count multiprocessors", message))
    return 1;
  variant->most_blocks[index] = (int64_t)blocks * multiprocessors;
  return 0;
}

static int allocate(FuseLoaded *loaded, int64_t bytes, void **memory,
                    char *message) {
  if (loaded->is_cuda) {
    Pointer pointer = 0;
    int status = check(cuda.alloc(&pointer, bytes), "allocate memory", message);
    *memory = (void *)(uintptr_t)pointer;
    return status;
  }
  if (posix_memalign(memory, ARENA_ALIGNMENT, bytes))
    return fail(message, "expected %lld bytes of memory, but got none",
                (long long)bytes);
  return 0;
}

static void release(FuseLoaded *loaded, void *memory) {
  if (loaded->is_cuda && memory)
    cuda.free((Pointer)(uintptr_t)memory);
  else
    free(memory);
}

static int load_constants(FuseLoaded *loaded, Variant *variant, char *message) {
  const FuseVariant *plan = variant->plan;
  for (int i = 0; i < plan->num_constants; ++i) {
    FuseConstant constant = plan->constants[i];
    if (!loaded->is_cuda || constant.count == 0) {
      variant->constants[i] = (void *)constant.bytes;
      continue;
    }
    if (allocate(loaded, constant.count, &variant->constants[i], message) ||
        check(cuda.upload((Pointer)(uintptr_t)variant->constants[i],
                          constant.bytes, constant.count),
              "copy a constant", message))
      return 1;
  }
  return 0;
}

/* What the first call of a variant needs. */
static int load_variant(FuseLoaded *loaded, Variant *variant, char *message) {
  const FuseVariant *plan = variant->plan;
  if (variant->is_loaded)
    return 0;
  if (!variant->functions)
    variant->functions = calloc(plan->num_steps + 1, sizeof(void *));
  if (!variant->most_blocks)
    variant->most_blocks = calloc(plan->num_steps + 1, sizeof(int64_t));
  if (!variant->constants)
    variant->constants = calloc(plan->num_constants + 1, sizeof(void *));
  if (!variant->functions || !variant->most_blocks || !variant->constants)
    return fail(message, "expected memory, but got none");
  if (loaded->is_cuda && !variant->module) {
    char *code = read_file(loaded->directory, plan->file, message);
    if (!code)
      return 1;
    int status =
        check(cuda.load(&variant->module, code), "load the code", message);
    free(code);
    if (status)
      return status;
  }
  for (int i = 0; loaded->is_cuda && i < plan->num_steps; ++i)
    if (load_function(loaded, variant, i, message))
      return 1;
  if (load_constants(loaded, variant, message))
    return 1;
  variant->is_loaded = 1;
  return 0;
}

/*===----------------------------------------------------------------------===*\
|* A call                                                                     *|
\*===----------------------------------------------------------------------===*/

typedef struct {
  FuseLoaded *loaded;
  Variant *variant;
  const DLTensor *const *inputs;
  const DLTensor *const *outputs;
  const int64_t *symbols;
  const int64_t *offsets;
  Arena *arena;
  void *stream;
  char *message;
} Call;

static int is_separate(const Call *call) {
  const FuseBundle *bundle = call->loaded->bundle;
  for (int o = 0; o < bundle->num_outputs; ++o)
    for (int i = 0; i < bundle->num_inputs; ++i)
      if (count_of(call->outputs[o]) > 0 &&
          address_of(call->outputs[o]) == address_of(call->inputs[i]))
        return 0;
  return 1;
}

static int holds(const Call *call, const FuseVariant *plan) {
  enum { VECTOR = 16 };
  const int64_t most = ((int64_t)1 << 31) - ((int64_t)1 << 20);
  const FuseBundle *bundle = call->loaded->bundle;
  for (int i = 0; i < bundle->num_inputs + bundle->num_outputs; ++i) {
    const DLTensor *tensor = i < bundle->num_inputs
                                 ? call->inputs[i]
                                 : call->outputs[i - bundle->num_inputs];
    int is_number = i < bundle->num_inputs && bundle->inputs[i].is_number;
    if ((plan->facts & FUSE_ALIGNED) && count_of(tensor) > 0 && !is_number &&
        (uintptr_t)address_of(tensor) % VECTOR)
      return 0;
    if ((plan->facts & FUSE_INDEX32) && count_of(tensor) > most)
      return 0;
  }
  if ((plan->facts & FUSE_SEPARATE) && !is_separate(call))
    return 0;
  for (int i = 0; i < plan->num_temps; ++i) {
    int64_t bytes;
    if ((plan->facts & FUSE_INDEX32) &&
        (evaluate(plan->temps[i].bytes, call->symbols, &bytes, call->message) ||
         bytes > most))
      return 0;
  }
  for (int i = 0; i < plan->num_innermost; ++i) {
    int64_t size;
    if ((plan->facts & FUSE_DIVISIBLE) &&
        (evaluate(plan->innermost[i].size, call->symbols, &size,
                  call->message) ||
         size * plan->innermost[i].element_bytes % VECTOR))
      return 0;
  }
  return 1;
}

static int overlap(const DLTensor *a, const DLTensor *b) {
  uintptr_t at_a = (uintptr_t)address_of(a), at_b = (uintptr_t)address_of(b);
  int64_t bytes_a = count_of(a) * ((a->dtype.bits + 7) / 8);
  int64_t bytes_b = count_of(b) * ((b->dtype.bits + 7) / 8);
  return bytes_a && bytes_b && at_a < at_b + bytes_b && at_b < at_a + bytes_a;
}

static int may_be(const FuseVariant *plan, int output, int input) {
  for (int i = 0; i < plan->num_aliases; ++i)
    if (plan->aliases[i].output == output && plan->aliases[i].input == input)
      return 1;
  return 0;
}

/* Whether the tensor is where it is read: numbers are in the host's memory. */
static int is_at(const DLTensor *tensor, int device) {
  int where = tensor->device.device_type;
  return where == device || (device == kDLCUDA && where == kDLCUDAManaged) ||
         (device == kDLCPU && where == kDLCUDAHost);
}

static int check_memory(const Call *call, const FuseVariant *plan) {
  const FuseBundle *bundle = call->loaded->bundle;
  int device = call->loaded->is_cuda ? kDLCUDA : kDLCPU;
  for (int i = 0; i < bundle->num_inputs + bundle->num_outputs; ++i) {
    int is_input = i < bundle->num_inputs;
    const FuseTensor *spec = is_input
                                 ? &bundle->inputs[i]
                                 : &bundle->outputs[i - bundle->num_inputs];
    const DLTensor *tensor =
        is_input ? call->inputs[i] : call->outputs[i - bundle->num_inputs];
    if (spec->is_number && !is_at(tensor, kDLCPU))
      return fail(call->message,
                  "expected '%s', which is passed by value, to be on the CPU, "
                  "but it is not; pass fuse_bundle_number()",
                  spec->name);
    if (!spec->is_number && !is_at(tensor, device))
      return fail(call->message,
                  "expected '%s' to be on the %s, but it is not; "
                  "move it",
                  spec->name, device == kDLCUDA ? "GPU" : "CPU");
    int64_t bytes = (spec->bits + 7) / 8;
    if (count_of(tensor) > 0 &&
        (!address_of(tensor) || (uintptr_t)address_of(tensor) % bytes))
      return fail(call->message,
                  "expected '%s' to be aligned to %lld bytes, but "
                  "it is not; copy it to an aligned buffer",
                  spec->name, (long long)bytes);
  }
  for (int o = 0; o < bundle->num_outputs; ++o) {
    for (int i = 0; i < bundle->num_inputs; ++i) {
      const DLTensor *a = call->outputs[o], *b = call->inputs[i];
      int is_same = address_of(a) == address_of(b) &&
                    count_of(a) * a->dtype.bits == count_of(b) * b->dtype.bits;
      if (overlap(a, b) && !(is_same && may_be(plan, o, i)))
        return fail(call->message,
                    "expected output '%s' not to overlap input "
                    "'%s', but got buffers that share bytes; pass "
                    "a separate buffer",
                    bundle->outputs[o].name, bundle->inputs[i].name);
    }
    for (int other = 0; other < o; ++other)
      if (overlap(call->outputs[o], call->outputs[other]))
        return fail(call->message,
                    "expected outputs '%s' and '%s' not to overlap; "
                    "pass separate buffers",
                    bundle->outputs[o].name, bundle->outputs[other].name);
  }
  return 0;
}

/* Offsets of temporaries: each behind those that live at the same time and were
   placed before. */
static int plan_arena(const FuseVariant *plan, const int64_t *symbols,
                      int64_t *offsets, int64_t *total, char *message) {
  *total = 0;
  for (int i = 0; i < plan->num_temps; ++i) {
    const FuseTemp *temp = &plan->temps[i];
    int64_t bytes, offset = 0;
    if (evaluate(temp->bytes, symbols, &bytes, message))
      return 1;
    for (int moved = 1; moved;) {
      moved = 0;
      for (int j = 0; j < i; ++j) {
        int64_t other;
        if (plan->temps[j].last_step < temp->first_step ||
            temp->last_step < plan->temps[j].first_step)
          continue;
        if (evaluate(plan->temps[j].bytes, symbols, &other, message))
          return 1;
        if (offset < offsets[j] + other && offsets[j] < offset + bytes) {
          offset = (offsets[j] + other + ARENA_ALIGNMENT - 1) /
                   ARENA_ALIGNMENT * ARENA_ALIGNMENT;
          moved = 1;
        }
      }
    }
    offsets[i] = offset;
    if (offset + bytes > *total)
      *total = offset + bytes;
  }
  return 0;
}

static Arena *arena_of(Variant *variant, void *stream) {
  for (Arena *arena = variant->arenas; arena; arena = arena->next)
    if (arena->stream == stream)
      return arena;
  Arena *arena = calloc(1, sizeof(Arena));
  if (arena) {
    arena->stream = stream;
    arena->next = variant->arenas;
    variant->arenas = arena;
  }
  return arena;
}

static int grow(Call *call, int64_t bytes) {
  Arena *arena = call->arena = arena_of(call->variant, call->stream);
  int num_counters = call->variant->plan->num_counters;
  if (!arena)
    return fail(call->message, "expected memory, but got none");
  if (bytes > arena->bytes) {
    void *memory = NULL;
    if (allocate(call->loaded, bytes, &memory, call->message))
      return 1;
    Arena *old = calloc(1, sizeof(Arena));
    if (!old) {
      release(call->loaded, memory);
      return fail(call->message, "expected memory, but got none");
    }
    old->base = arena->base;
    old->outgrown = arena->outgrown;
    arena->outgrown = old;
    arena->base = memory;
    arena->bytes = bytes;
  }
  if (num_counters == 0 || arena->counters)
    return 0;
  size_t size = num_counters * sizeof(int32_t);
  if (allocate(call->loaded, size, &arena->counters, call->message))
    return 1;
  if (!call->loaded->is_cuda) {
    memset(arena->counters, 0, size);
    return 0;
  }
  return check(cuda.set_bytes((Pointer)(uintptr_t)arena->counters, 0, size,
                              call->stream),
               "clear counters", call->message);
}

static void *resolve(const Call *call, FuseBuffer buffer) {
  switch (buffer.kind) {
  case FUSE_INPUT:
    return address_of(call->inputs[buffer.index]);
  case FUSE_OUTPUT:
    return address_of(call->outputs[buffer.index]);
  case FUSE_TEMP:
    return call->arena->base
               ? (char *)call->arena->base + call->offsets[buffer.index]
               : NULL;
  case FUSE_CONSTANT:
    return call->variant->constants[buffer.index];
  default:
    return (int32_t *)call->arena->counters + buffer.index;
  }
}

/* As the driver's header calls them: CU_TENSOR_MAP_DATA_TYPE_UINT8 and so on.
 */
static int encode(const Call *call, const FuseTensorMap *map, void *result) {
  enum { SWIZZLE_128 = 3, PROMOTION_128 = 2, PROMOTION_256 = 3 };
  uint64_t sizes[5], strides[5];
  uint32_t steps[5] = {1, 1, 1, 1, 1};
  int type = map->element_bytes == 1   ? 0
             : map->element_bytes == 2 ? 1
             : map->element_bytes == 4 ? 2
                                       : 4;
  int promotion = PROMOTION_256;
  for (int i = 0; i < map->rank; ++i) {
    int64_t size, stride = 0;
    if (evaluate(map->sizes[i], call->symbols, &size, call->message))
      return 1;
    sizes[i] = size;
    /* A kernel copies nothing of an empty tensor; the driver refuses one. */
    if (size == 0) {
      memset(result, 0, MAP_BYTES);
      return 0;
    }
    if (i == 0)
      continue;
    if (evaluate(map->strides[i - 1], call->symbols, &stride, call->message))
      return 1;
    strides[i - 1] = size == 1 ? 16 : (uint64_t)stride * map->element_bytes;
    if (strides[i - 1] % 256)
      promotion = PROMOTION_128;
  }
  return check(cuda.encode(result, type, map->rank, resolve(call, map->buffer),
                           sizes, strides, map->box, steps, 0, SWIZZLE_128,
                           promotion, 0),
               "describe a tensor to its copies", call->message);
}

static int launch_cuda(const Call *call, int index, int64_t grid,
                       void **params) {
  enum { COOPERATIVE = 2, CLUSTER = 4, POLICY = 5, OVERLAP = 6 };
  enum { BALANCE = 2, INVALID = 1, NOT_SUPPORTED = 801 };
  const FuseStep *step = &call->variant->plan->steps[index];
  Attribute attributes[4];
  Config config = {
      {(unsigned)grid, 1, 1}, {step->threads, 1, 1}, 0, NULL, attributes, 0};
  if (grid > INT32_MAX)
    return fail(call->message,
                "expected at most 2^31 - 1 blocks, but got %lld; "
                "pass smaller tensors",
                (long long)grid);
  memset(attributes, 0, sizeof(attributes));
  config.shared_bytes = step->shared_bytes;
  config.stream = call->stream;
  if (step->cluster > 1) {
    Attribute *cluster = &attributes[config.num_attributes++];
    cluster->id = CLUSTER;
    cluster->of.cluster[0] = step->cluster;
    cluster->of.cluster[1] = cluster->of.cluster[2] = 1;
    attributes[config.num_attributes].id = POLICY;
    attributes[config.num_attributes++].of.value = BALANCE;
  }
  if (step->cooperative) {
    attributes[config.num_attributes].id = COOPERATIVE;
    attributes[config.num_attributes++].of.value = 1;
  }
  if (step->waits) {
    attributes[config.num_attributes].id = OVERLAP;
    attributes[config.num_attributes++].of.value = 1;
  }
  void *function = call->variant->functions[index];
  Result result = cuda.launch(&config, function, params, NULL);
  /* Older drivers launch one after the other. */
  if (step->waits && (result == NOT_SUPPORTED || result == INVALID)) {
    --config.num_attributes;
    result = cuda.launch(&config, function, params, NULL);
  }
  return check(result, "launch a kernel", call->message);
}

typedef struct {
  FuseHostKernel kernel;
  void **params;
} HostLaunch;

static void run_blocks(void *context, int64_t first, int64_t end) {
  HostLaunch *launch = context;
  launch->kernel(launch->params, first, end);
}

static int run_kernel(const Call *call, int index) {
  const FuseStep *step = &call->variant->plan->steps[index];
  void *params[MOST_ARGS], *pointers[MOST_ARGS];
  int64_t scalars[MOST_ARGS], grid;
  _Alignas(MAP_BYTES) unsigned char maps[MOST_MAPS][MAP_BYTES];
  int num_maps = 0;
  if (step->num_args > MOST_ARGS)
    return fail(call->message, "expected kernels of at most %d arguments",
                MOST_ARGS);
  if (evaluate(step->grid, call->symbols, &grid, call->message))
    return 1;
  if (grid > call->variant->most_blocks[index] && call->loaded->is_cuda)
    grid = call->variant->most_blocks[index];
  if (grid <= 0)
    return 0;
  for (int i = 0; i < step->num_args; ++i) {
    const FuseArg *arg = &step->args[i];
    if (arg->kind == FUSE_ARG_BUFFER && arg->buffer.kind != FUSE_NUMBER) {
      pointers[i] = resolve(call, arg->buffer);
      params[i] = &pointers[i];
    } else if (arg->kind == FUSE_ARG_BUFFER) {
      const DLTensor *number = call->inputs[arg->buffer.index];
      scalars[i] = 0;
      memcpy(&scalars[i], address_of(number), (number->dtype.bits + 7) / 8);
      params[i] = &scalars[i];
    } else if (arg->kind == FUSE_ARG_SIZE) {
      if (evaluate(arg->size, call->symbols, &scalars[i], call->message))
        return 1;
      params[i] = &scalars[i];
    } else {
      if (num_maps == MOST_MAPS)
        return fail(call->message, "expected kernels of at most %d tensor maps",
                    MOST_MAPS);
      if (encode(call, arg->map, maps[num_maps]))
        return 1;
      params[i] = maps[num_maps++];
    }
  }
  if (call->loaded->is_cuda)
    return launch_cuda(call, index, grid, params);
  HostLaunch launch = {step->host, params};
  if (parallel_for && grid > 1)
    parallel_for(grid, run_blocks, &launch);
  else
    run_blocks(&launch, 0, grid);
  return 0;
}

/* A graph that records the call gets a share of the program. */
static int keep_for_capture(const Call *call) {
  enum { NO_DESTRUCTOR_SYNC = 1, MOVE = 1 };
  FuseLoaded *loaded = call->loaded;
  int is_captured = 0;
  void *graph = NULL, *user = NULL;
  if (!loaded->is_cuda)
    return 0;
  if (check(
          cuda.capture_of(call->stream, &is_captured, NULL, &graph, NULL, NULL),
          "say whether a stream is captured", call->message))
    return 1;
  if (!is_captured || !graph)
    return 0;
  if (check(
          cuda.make_user(&user, loaded, drop_from_graph, 1, NO_DESTRUCTOR_SYNC),
          "keep the program for a graph", call->message))
    return 1;
  __atomic_add_fetch(&loaded->users, 1, __ATOMIC_RELAXED);
  if (!check(cuda.give_user(graph, user, 1, MOVE),
             "keep the program for a graph", call->message))
    return 0;
  cuda.release_user(user, 1);
  return 1;
}

static int run_copy(const Call *call, const FuseStep *step) {
  int64_t bytes;
  void *from = resolve(call, step->from), *to = resolve(call, step->to);
  if (evaluate(step->bytes, call->symbols, &bytes, call->message))
    return 1;
  if (from == to || bytes == 0)
    return 0;
  if (call->loaded->is_cuda)
    return check(cuda.copy((Pointer)(uintptr_t)to, (Pointer)(uintptr_t)from,
                           bytes, call->stream),
                 "copy", call->message);
  memcpy(to, from, bytes);
  return 0;
}

static int run_checks(const FuseVariant *plan, const int64_t *symbols,
                      char *message) {
  for (int i = 0; i < plan->num_checks; ++i) {
    int64_t lhs, rhs;
    const FuseCheck *each = &plan->checks[i];
    if (evaluate(each->lhs, symbols, &lhs, message) ||
        evaluate(each->rhs, symbols, &rhs, message))
      return 1;
    if (each->is_equal ? lhs != rhs : lhs < rhs)
      return fail(message, "expected %s, but got %lld and %lld", each->message,
                  (long long)lhs, (long long)rhs);
  }
  return 0;
}

/* With the lock held and the context entered. */
static int run_variant(Call *call) {
  const FuseVariant *plan = call->variant->plan;
  int64_t *offsets = calloc(plan->num_temps + 1, sizeof(int64_t)), bytes;
  if (!offsets)
    return fail(call->message, "expected memory, but got none");
  call->offsets = offsets;
  int status =
      keep_for_capture(call) ||
      load_variant(call->loaded, call->variant, call->message) ||
      plan_arena(plan, call->symbols, offsets, &bytes, call->message) ||
      grow(call, bytes);
  for (int i = 0; !status && i < plan->num_steps; ++i)
    status = plan->steps[i].symbol ? run_kernel(call, i)
                                   : run_copy(call, &plan->steps[i]);
  free(offsets);
  return status;
}

int fuse_bundle_run(FuseLoaded *loaded, const DLTensor *const *inputs,
                    int num_inputs, const DLTensor *const *outputs,
                    int num_outputs, void *stream, char *message) {
  const FuseBundle *bundle = loaded->bundle;
  int64_t symbols[MOST_SYMBOLS];
  if (bind(bundle, inputs, num_inputs, symbols, message))
    return 1;
  if (num_outputs != bundle->num_outputs)
    return fail(message,
                "expected %d outputs of '%s', but got %d; pass one for "
                "each",
                bundle->num_outputs, bundle->name, num_outputs);
  for (int i = 0; i < num_outputs; ++i)
    if (check_form(&bundle->outputs[i], outputs[i], message) ||
        check_shape(&bundle->outputs[i], outputs[i], symbols, message))
      return 1;
  Call call = {loaded,  NULL, inputs, outputs,
               symbols, NULL, NULL,   loaded->is_cuda ? stream : NULL,
               message};
  for (int i = 0; !call.variant && i < loaded->num_variants; ++i)
    if (holds(&call, loaded->variants[i].plan))
      call.variant = &loaded->variants[i];
  if (!call.variant)
    return fail(message,
                "expected a variant for this call of '%s', but there is "
                "none; pass aligned tensors",
                bundle->name);
  if (check_memory(&call, call.variant->plan) ||
      run_checks(call.variant->plan, symbols, message) ||
      enter(loaded, message))
    return 1;
  pthread_mutex_lock(&loaded->mutex);
  int status = run_variant(&call);
  pthread_mutex_unlock(&loaded->mutex);
  leave(loaded);
  return status;
}

int fuse_bundle_shapes(const FuseLoaded *loaded, const DLTensor *const *inputs,
                       int num_inputs, int64_t *dims, char *message) {
  const FuseBundle *bundle = loaded->bundle;
  int64_t symbols[MOST_SYMBOLS];
  if (bind(bundle, inputs, num_inputs, symbols, message))
    return 1;
  for (int o = 0; o < bundle->num_outputs; ++o)
    for (int d = 0; d < bundle->outputs[o].rank; ++d)
      if (evaluate(bundle->outputs[o].shape[d], symbols, dims++, message))
        return 1;
  return 0;
}

DLTensor fuse_bundle_number(const void *value, DLDataType type) {
  DLTensor number = {(void *)value, {kDLCPU, 0}, 0, type, NULL, NULL, 0};
  return number;
}

DLDevice fuse_bundle_device(const FuseLoaded *loaded) {
  DLDevice device = {loaded->is_cuda ? kDLCUDA : kDLCPU, loaded->device};
  return device;
}

int fuse_bundle_allocate(FuseLoaded *loaded, int64_t bytes, void **memory,
                         char *message) {
  *memory = NULL;
  if (bytes <= 0)
    return 0;
  if (enter(loaded, message))
    return 1;
  int status = allocate(loaded, bytes, memory, message);
  leave(loaded);
  return status;
}

void fuse_bundle_release(FuseLoaded *loaded, void *memory) {
  char message[FUSE_BUNDLE_MESSAGE];
  if (enter(loaded, message))
    return;
  release(loaded, memory);
  leave(loaded);
}

int fuse_bundle_upload(FuseLoaded *loaded, void *to, const void *from,
                       int64_t bytes, char *message) {
  if (bytes <= 0)
    return 0;
  if (!loaded->is_cuda) {
    memcpy(to, from, bytes);
    return 0;
  }
  if (enter(loaded, message))
    return 1;
  int status = check(cuda.synchronize(), "finish its work", message) ||
               check(cuda.upload((Pointer)(uintptr_t)to, from, bytes),
                     "copy to the device", message);
  leave(loaded);
  return status;
}

int fuse_bundle_download(FuseLoaded *loaded, void *to, const void *from,
                         int64_t bytes, char *message) {
  if (bytes <= 0)
    return 0;
  if (!loaded->is_cuda) {
    memcpy(to, from, bytes);
    return 0;
  }
  if (enter(loaded, message))
    return 1;
  int status = check(cuda.synchronize(), "finish its work", message) ||
               check(cuda.download(to, (Pointer)(uintptr_t)from, bytes),
                     "copy from the device", message);
  leave(loaded);
  return status;
}

static void close_variant(FuseLoaded *loaded, Variant *variant) {
  for (Arena *arena = variant->arenas, *next; arena; arena = next) {
    next = arena->next;
    for (Arena *old = arena->outgrown, *older; old; old = older) {
      older = old->outgrown;
      release(loaded, old->base);
      free(old);
    }
    release(loaded, arena->base);
    release(loaded, arena->counters);
    free(arena);
  }
  for (int i = 0; loaded->is_cuda && variant->constants &&
                  i < variant->plan->num_constants;
       ++i)
    if (variant->plan->constants[i].count > 0)
      release(loaded, variant->constants[i]);
  if (variant->module)
    cuda.unload(variant->module);
  free(variant->functions);
  free(variant->most_blocks);
  free(variant->constants);
}

static void destroy(FuseLoaded *loaded) {
  char message[FUSE_BUNDLE_MESSAGE];
  int is_entered =
      !loaded->is_cuda || (loaded->context && !enter(loaded, message));
  if (is_entered && loaded->is_cuda)
    cuda.synchronize();
  for (int i = 0; is_entered && i < loaded->num_variants; ++i)
    close_variant(loaded, &loaded->variants[i]);
  if (is_entered)
    leave(loaded);
  if (loaded->is_cuda && loaded->context)
    cuda.release(loaded->device);
  pthread_mutex_destroy(&loaded->mutex);
  free(loaded->variants);
  free(loaded->directory);
  free(loaded);
}

void fuse_bundle_close(FuseLoaded *loaded) {
  if (loaded && drop_user(loaded))
    destroy(loaded);
  destroy_unused();
}

/*===----------------------------------------------------------------------===*\
|* What code for the CPU calls                                                *|
\*===----------------------------------------------------------------------===*/

/* Memory of a thread for its blocks. It is freed with the process. */
__attribute__((weak)) void *__fuse_scratch(int64_t bytes) {
  static __thread void *data;
  static __thread int64_t size;
  if (bytes > size) {
    free(data);
    data = NULL;
    size = posix_memalign(&data, 4096, bytes) ? 0 : bytes;
  }
  return data;
}

/* f32 to bf16, to nearest even, in the lower half of the register. Compilers
   from GCC 13 on bring their own. */
__attribute__((weak)) float __truncsfbf2(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof(bits));
  int is_nan = (bits & 0x7fffffff) > 0x7f800000;
  bits = is_nan ? bits | 0x400000 : bits + 0x7fff + (bits >> 16 & 1);
  bits >>= 16;
  memcpy(&value, &bits, sizeof(bits));
  return value;
}
