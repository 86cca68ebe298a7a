//===- CudaApi.h - The CUDA driver's entry points, by dlopen ----*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The few types and functions of the driver API that Fuse uses, so that no
// CUDA header or library is needed to build it. Layouts and numbers are those
// of the driver's stable ABI; the versioned names are the ones cuda.h maps to.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_RUNTIME_CUDAAPI_H
#define FUSE_RUNTIME_CUDAAPI_H

#include <cstddef>
#include <cstdint>

namespace fuse::runtime::cuda {

using Result = int;
using DeviceOrdinal = int;
using DevicePointer = unsigned long long;
using Context = struct ContextHandle *;
using CodeModule = struct ModuleHandle *;
using Function = struct FunctionHandle *;
using StreamPointer = struct StreamHandle *;
using Event = struct EventHandle *;
using Graph = struct GraphHandle *;
using GraphExec = struct GraphExecHandle *;
using UserObject = struct UserObjectHandle *;
using HostFunction = void (*)(void *);

inline constexpr Result success = 0;
inline constexpr Result invalidValue = 1;
inline constexpr Result notSupported = 801;
inline constexpr Result invalidClusterSize = 912;

enum DeviceAttribute : int {
  ClockKilohertz = 13,
  MultiprocessorCount = 16,
  MemoryClockKilohertz = 36,
  MemoryBusBits = 37,
  L2CacheSize = 38,
  ComputeCapabilityMajor = 75,
  ComputeCapabilityMinor = 76,
  MaxSharedBytesOptIn = 97
};

enum FunctionAttribute : int {
  MaxDynamicSharedBytes = 8,
  NonPortableClusterSizeAllowed = 14
};

enum JitOption : int {
  InfoLogBuffer = 3,
  InfoLogBufferBytes = 4,
  ErrorLogBuffer = 5,
  ErrorLogBufferBytes = 6
};

/// CUtensorMapDataType and the other enums of a tensor map.
enum TensorMapDataType : int {
  TensorMapUint8 = 0,
  TensorMapUint16 = 1,
  TensorMapUint32 = 2,
  TensorMapUint64 = 4
};
enum TensorMapInterleave : int { TensorMapNoInterleave = 0 };
enum TensorMapSwizzle : int { TensorMapSwizzle128 = 3 };
enum TensorMapPromotion : int {
  TensorMapPromotion128 = 2,
  TensorMapPromotion256 = 3
};
enum TensorMapFill : int { TensorMapFillZeros = 0 };

enum StreamFlag : unsigned { NonBlocking = 1 };
enum CaptureStatus : int { NotCapturing = 0 };
enum CaptureMode : int { ThreadLocal = 1, Relaxed = 2 };
enum UserObjectFlag : unsigned { NoDestructorSync = 1 };
enum RetainFlag : unsigned { MoveReferences = 1 };

/// CUlaunchAttribute: an id, padding to 8 bytes, a value of 64 bytes.
struct LaunchAttribute {
  static constexpr unsigned cooperativeLaunch = 2;
  static constexpr unsigned clusterDimension = 4;
  static constexpr unsigned clusterSchedulingPolicy = 5;
  static constexpr unsigned programmaticStreamSerialization = 6;

  struct Cluster {
    unsigned x, y, z;
  };
  /// CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING.
  static constexpr int balanceLoad = 2;

  unsigned id;
  char padding[4];
  union {
    char bytes[64];
    Cluster cluster;
    int cooperative;
    int clusterPolicy;
    int programmaticStreamSerializationAllowed;
  };
};
static_assert(sizeof(LaunchAttribute) == 72 &&
                  offsetof(LaunchAttribute, cluster) == 8,
              "layout of CUlaunchAttribute");

/// CUlaunchConfig.
struct LaunchConfig {
  unsigned gridX, gridY, gridZ;
  unsigned blockX, blockY, blockZ;
  unsigned sharedBytes;
  StreamPointer stream;
  LaunchAttribute *attributes;
  unsigned numAttributes;
};
static_assert(sizeof(LaunchConfig) == 56, "layout of CUlaunchConfig");

/// X(member, "exported name", (parameter types)) for each function.
#define FUSE_CUDA_FUNCTIONS(X)                                                 \
  X(init, "cuInit", (unsigned))                                                \
  X(getErrorName, "cuGetErrorName", (Result, const char **))                   \
  X(getErrorString, "cuGetErrorString", (Result, const char **))               \
  X(driverGetVersion, "cuDriverGetVersion", (int *))                           \
  X(deviceGetCount, "cuDeviceGetCount", (int *))                               \
  X(deviceGet, "cuDeviceGet", (DeviceOrdinal *, int))                          \
  X(deviceGetName, "cuDeviceGetName", (char *, int, DeviceOrdinal))            \
  X(deviceGetAttribute, "cuDeviceGetAttribute",                                \
    (int *, DeviceAttribute, DeviceOrdinal))                                   \
  X(deviceTotalMem, "cuDeviceTotalMem_v2", (size_t *, DeviceOrdinal))          \
  X(primaryContextRetain, "cuDevicePrimaryCtxRetain",                          \
    (Context *, DeviceOrdinal))                                                \
  X(contextGetCurrent, "cuCtxGetCurrent", (Context *))                         \
  X(contextPush, "cuCtxPushCurrent_v2", (Context))                             \
  X(contextPop, "cuCtxPopCurrent_v2", (Context *))                             \
  X(contextSynchronize, "cuCtxSynchronize", ())                                \
  X(moduleLoad, "cuModuleLoadDataEx",                                          \
    (CodeModule *, const void *, unsigned, JitOption *, void **))              \
  X(moduleUnload, "cuModuleUnload", (CodeModule))                              \
  X(moduleGetFunction, "cuModuleGetFunction",                                  \
    (Function *, CodeModule, const char *))                                    \
  X(functionSetAttribute, "cuFuncSetAttribute",                                \
    (Function, FunctionAttribute, int))                                        \
  X(maxActiveBlocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor",            \
    (int *, Function, int, size_t))                                            \
  X(launchKernel, "cuLaunchKernelEx",                                          \
    (const LaunchConfig *, Function, void **, void **))                        \
  X(tensorMapEncode, "cuTensorMapEncodeTiled",                                 \
    (void *, int, unsigned, void *, const uint64_t *, const uint64_t *,        \
     const unsigned *, const unsigned *, int, int, int, int))                  \
  X(memAlloc, "cuMemAlloc_v2", (DevicePointer *, size_t))                      \
  X(memFree, "cuMemFree_v2", (DevicePointer))                                  \
  X(copyToDevice, "cuMemcpyHtoD_v2", (DevicePointer, const void *, size_t))    \
  X(copyToHost, "cuMemcpyDtoH_v2", (void *, DevicePointer, size_t))            \
  X(copyOnDevice, "cuMemcpyDtoDAsync_v2",                                      \
    (DevicePointer, DevicePointer, size_t, StreamPointer))                     \
  X(setBytes, "cuMemsetD8Async",                                               \
    (DevicePointer, unsigned char, size_t, StreamPointer))                     \
  X(streamCreate, "cuStreamCreate", (StreamPointer *, unsigned))               \
  X(streamDestroy, "cuStreamDestroy_v2", (StreamPointer))                      \
  X(streamSynchronize, "cuStreamSynchronize", (StreamPointer))                 \
  X(streamGetId, "cuStreamGetId", (StreamPointer, unsigned long long *))       \
  X(streamGetCapture, "cuStreamGetCaptureInfo_v2",                             \
    (StreamPointer, CaptureStatus *, uint64_t *, Graph *, void *, size_t *))   \
  X(exchangeCaptureMode, "cuThreadExchangeStreamCaptureMode", (CaptureMode *)) \
  X(eventCreate, "cuEventCreate", (Event *, unsigned))                         \
  X(eventDestroy, "cuEventDestroy_v2", (Event))                                \
  X(eventRecord, "cuEventRecord", (Event, StreamPointer))                      \
  X(eventSynchronize, "cuEventSynchronize", (Event))                           \
  X(eventElapsed, "cuEventElapsedTime", (float *, Event, Event))               \
  X(captureBegin, "cuStreamBeginCapture_v2", (StreamPointer, CaptureMode))     \
  X(captureEnd, "cuStreamEndCapture", (StreamPointer, Graph *))                \
  X(graphInstantiate, "cuGraphInstantiateWithFlags",                           \
    (GraphExec *, Graph, unsigned long long))                                  \
  X(graphLaunch, "cuGraphLaunch", (GraphExec, StreamPointer))                  \
  X(graphExecDestroy, "cuGraphExecDestroy", (GraphExec))                       \
  X(graphDestroy, "cuGraphDestroy", (Graph))                                   \
  X(userObjectCreate, "cuUserObjectCreate",                                    \
    (UserObject *, void *, HostFunction, unsigned, unsigned))                  \
  X(userObjectRelease, "cuUserObjectRelease", (UserObject, unsigned))          \
  X(graphRetainUserObject, "cuGraphRetainUserObject",                          \
    (Graph, UserObject, unsigned, unsigned))

/// The loaded functions.
struct Api {
#define FUSE_CUDA_MEMBER(member, symbol, parameters)                           \
  Result(*member) parameters = nullptr;
  FUSE_CUDA_FUNCTIONS(FUSE_CUDA_MEMBER)
#undef FUSE_CUDA_MEMBER
};

} // namespace fuse::runtime::cuda

#endif // FUSE_RUNTIME_CUDAAPI_H
