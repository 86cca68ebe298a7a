/* Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

   A libcuda.so.1 that launches nothing: memory is the host's, and what a program asks for
   is written to the file $FAKE_CUDA_LOG, one call a line. $FAKE_CUDA_CAPABILITY is "90".
   With $FAKE_CUDA_CAPTURES all streams are captured into a graph that fakeDestroyGraph()
   destroys. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOG(...)                                                               \
  do {                                                                         \
    FILE *log = fopen(getenv("FAKE_CUDA_LOG"), "a");                           \
    fprintf(log, __VA_ARGS__);                                                 \
    fclose(log);                                                               \
  } while (0)

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

static int depth;

int cuInit(unsigned flags) { return 0; }
int cuGetErrorString(int code, const char **text) {
  *text = "as the test wants";
  return 0;
}
int cuDeviceGet(int *device, int number) {
  *device = number;
  return number == 0 ? 0 : 101;
}
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  int capability = atoi(getenv("FAKE_CUDA_CAPABILITY"));
  *value = attribute == 75 ? capability / 10 : attribute == 76 ? capability % 10 : 132;
  return 0;
}
int cuDevicePrimaryCtxRetain(void **context, int device) {
  *context = &depth;
  return 0;
}
int cuDevicePrimaryCtxRelease_v2(int device) {
  LOG("release %d\n", depth);
  return 0;
}
int cuCtxPushCurrent_v2(void *context) {
  ++depth;
  return 0;
}
int cuCtxPopCurrent_v2(void **context) {
  --depth;
  return 0;
}
int cuCtxSynchronize(void) { return depth > 0 ? 0 : 201; }
int cuModuleLoadData(void **module, const void *code) {
  *module = strdup("module");
  LOG("load %s\n", !memcmp(code, "\177ELF", 4) ? "cubin" : "ptx");
  return depth > 0 ? 0 : 201;
}
int cuModuleUnload(void *module) {
  free(module);
  LOG("unload\n");
  return 0;
}
int cuModuleGetFunction(void **function, void *module, const char *name) {
  *function = strdup(name);
  return 0;
}
int cuFuncSetAttribute(void *function, int attribute, int value) { return 0; }
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int threads,
                                                size_t shared) {
  *blocks = 2;
  return 0;
}
int cuLaunchKernelEx(const Config *config, void *function, void **params, void **extra) {
  LOG("launch %s grid %u threads %u stream %lu attributes", (char *)function,
      config->grid[0], config->block[0], (unsigned long)config->stream);
  for (unsigned i = 0; i < config->num_attributes; ++i)
    LOG(" %u", config->attributes[i].id);
  LOG("\n");
  if (getenv("FAKE_CUDA_REFUSES"))
    return atoi(getenv("FAKE_CUDA_REFUSES"));
  return depth > 0 ? 0 : 201;
}
int cuTensorMapEncodeTiled(void *map, int type, unsigned rank, void *data,
                           const uint64_t *sizes, const uint64_t *strides,
                           const uint32_t *box, const uint32_t *steps, int interleave,
                           int swizzle, int promotion, int fill) {
  if ((uintptr_t)map % 64 || (uintptr_t)data % 16)
    return 1;
  LOG("map type %d", type);
  for (unsigned i = 0; i < rank; ++i) {
    if (sizes[i] == 0 || box[i] == 0 || steps[i] != 1 || (i && strides[i - 1] % 16))
      return 1;
    LOG(" %lu", (unsigned long)sizes[i]);
  }
  LOG("\n");
  return 0;
}
int cuMemAlloc_v2(Pointer *pointer, size_t bytes) {
  void *memory = NULL;
  int status = posix_memalign(&memory, 256, bytes ? bytes : 1);
  *pointer = (uintptr_t)memory;
  LOG("alloc %lu\n", (unsigned long)bytes);
  return status ? 2 : 0;
}
int cuMemFree_v2(Pointer pointer) {
  free((void *)(uintptr_t)pointer);
  LOG("free\n");
  return 0;
}
int cuMemcpyHtoD_v2(Pointer to, const void *from, size_t bytes) {
  memcpy((void *)(uintptr_t)to, from, bytes);
  return 0;
}
int cuMemcpyDtoH_v2(void *to, Pointer from, size_t bytes) {
  memcpy(to, (void *)(uintptr_t)from, bytes);
  return 0;
}
int cuMemcpyDtoDAsync_v2(Pointer to, Pointer from, size_t bytes, void *stream) {
  memcpy((void *)(uintptr_t)to, (void *)(uintptr_t)from, bytes);
  LOG("copy %lu\n", (unsigned long)bytes);
  return 0;
}
int cuMemsetD8Async(Pointer to, unsigned char value, size_t bytes, void *stream) {
  memset((void *)(uintptr_t)to, value, bytes);
  return 0;
}

static struct {
  void *data;
  void (*destroy)(void *);
} users[16];
static unsigned num_users, num_given;

int cuStreamGetCaptureInfo_v2(void *stream, int *status, uint64_t *id, void **graph,
                              void *nodes, size_t *count) {
  *status = getenv("FAKE_CUDA_CAPTURES") != NULL;
  *graph = *status ? users : NULL;
  return 0;
}
int cuUserObjectCreate(void **object, void *data, void (*destroy)(void *), unsigned count,
                       unsigned flags) {
  if (num_users == 16 || count != 1 || flags != 1)
    return 1;
  users[num_users].data = data;
  users[num_users].destroy = destroy;
  *object = &users[num_users++];
  return 0;
}
int cuUserObjectRelease(void *object, unsigned count) { return 1; }
int cuGraphRetainUserObject(void *graph, void *object, unsigned count, unsigned flags) {
  ++num_given;
  return graph == users && count == 1 && flags == 1 ? 0 : 1;
}
/* How many calls it had recorded. */
unsigned fakeDestroyGraph(void) {
  for (unsigned i = 0; i < num_users; ++i)
    users[i].destroy(users[i].data);
  LOG("graph destroyed\n");
  num_users = 0;
  return num_given;
}
