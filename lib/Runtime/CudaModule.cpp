//===- CudaModule.cpp - A cubin or PTX loaded on a CUDA device ------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Runtime/CudaModule.h"
#include "FormatError.h"
#include "RelaxedCapture.h"
#include "fuse/Runtime/CudaCapture.h"
#include <array>

using namespace llvm;
using namespace fuse::runtime;

/// The largest cluster that every device with clusters takes.
static constexpr unsigned portableCluster = 8;

/// What the driver's compiler said, for an error message.
static std::string logText(ArrayRef<char> log) {
  StringRef text = StringRef(log.data()).trim();
  return text.empty() ? "" : ("\n" + text).str();
}

Expected<std::shared_ptr<CudaModule>> CudaModule::load(CudaDevice &device,
                                                       StringRef code) {
  dropFinishedCaptures();
  CudaDevice::Scope scope(device);
  if (Error error = scope.error())
    return std::move(error);
  // PTX must end in a null character, which a StringRef need not have.
  std::string terminated = code.str();
  std::array<char, 8192> log = {};
  cuda::JitOption options[] = {cuda::ErrorLogBuffer, cuda::ErrorLogBufferBytes};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size() - 1)};
  cuda::CodeModule handle = nullptr;
  cuda::Result result = device.driver().api().moduleLoad(
      &handle, terminated.c_str(), std::size(options), options, values);
  if (Error error = device.driver().check(result, "load the compiled code"))
    return formatError("{0}{1}", toString(std::move(error)), logText(log));
  return std::shared_ptr<CudaModule>(new CudaModule(device, handle));
}

CudaModule::~CudaModule() {
  CudaDevice::Scope scope(cudaDevice);
  // At exit the driver may be gone, and the code with it.
  if (Error error = scope.error()) {
    consumeError(std::move(error));
    return;
  }
  RelaxedCapture relaxed(api());
  api().moduleUnload(handle);
}

Expected<KernelHandle>
CudaModule::lookup(StringRef symbol, unsigned sharedBytes, unsigned cluster) {
  CudaDevice::Scope scope(cudaDevice);
  if (Error error = scope.error())
    return std::move(error);
  const CudaDriver &driver = cudaDevice.driver();
  int limit = cudaDevice.info().maxSharedBytes;
  if (sharedBytes > static_cast<unsigned>(limit))
    return formatError("expected kernel '{0}' to use at most {1} bytes of "
                       "shared memory, but got {2}; choose a smaller tile",
                       symbol, limit, sharedBytes);
  cuda::Function function = nullptr;
  if (Error error = driver.check(
          api().moduleGetFunction(&function, handle, symbol.str().c_str()),
          "find kernel '" + symbol + "' in the code"))
    return std::move(error);
  // Above 48 KiB only on request, and the request does not hurt below.
  if (sharedBytes > 0)
    if (Error error = driver.check(
            api().functionSetAttribute(function, cuda::MaxDynamicSharedBytes,
                                       sharedBytes),
            "grant the kernel its shared memory"))
      return std::move(error);
  if (cluster > portableCluster)
    if (Error error =
            driver.check(api().functionSetAttribute(
                             function, cuda::NonPortableClusterSizeAllowed, 1),
                         "grant the kernel a large cluster"))
      return std::move(error);
  return reinterpret_cast<KernelHandle>(function);
}

Error fuse::runtime::checkCudaGrid(StringRef kernel, int64_t grid,
                                   unsigned cluster) {
  if (grid > INT32_MAX)
    return formatError("expected kernel '{0}' to have at most {1} blocks on "
                       "CUDA, but got {2}; use a schedule with more work in a "
                       "block",
                       kernel, INT32_MAX, grid);
  if (grid % cluster != 0)
    return formatError("expected the blocks of kernel '{0}' to fill clusters "
                       "of {1}, but got {2} blocks; round the grid up",
                       kernel, cluster, grid);
  return Error::success();
}

Error fuse::runtime::checkCudaCluster(const Launch &launch,
                                      cuda::Result result) {
  if (result != cuda::invalidClusterSize)
    return Error::success();
  return formatError("expected a GPU that runs kernel '{0}' in clusters of {1} "
                     "blocks, but got one whose parts have too few "
                     "multiprocessors; give the kernel a schedule with a "
                     "smaller cluster (the stage schedule shows it)",
                     launch.name, launch.cluster);
}

/// The first driver that records the order of overlapping launches in graphs:
/// that of CUDA 12.3.
static constexpr int overlapDriver = 12030;

using LaunchAttributes = SmallVector<cuda::LaunchAttribute, 4>;

static LaunchAttributes attributesOf(const Launch &launch, bool mayOverlap) {
  LaunchAttributes attributes;
  if (launch.cluster > 1) {
    cuda::LaunchAttribute &cluster = attributes.emplace_back();
    cluster.id = cuda::LaunchAttribute::clusterDimension;
    cluster.cluster = {launch.cluster, 1, 1};
    cuda::LaunchAttribute &policy = attributes.emplace_back();
    policy.id = cuda::LaunchAttribute::clusterSchedulingPolicy;
    policy.clusterPolicy = cuda::LaunchAttribute::balanceLoad;
  }
  if (launch.cooperative) {
    cuda::LaunchAttribute &cooperative = attributes.emplace_back();
    cooperative.id = cuda::LaunchAttribute::cooperativeLaunch;
    cooperative.cooperative = 1;
  }
  if (launch.waits && mayOverlap) {
    cuda::LaunchAttribute &overlap = attributes.emplace_back();
    overlap.id = cuda::LaunchAttribute::programmaticStreamSerialization;
    overlap.programmaticStreamSerializationAllowed = 1;
  }
  return attributes;
}

static cuda::Result launchWith(const cuda::Api &api, const Launch &launch,
                               Stream stream, LaunchAttributes attributes) {
  cuda::LaunchConfig config = {};
  config.gridX = static_cast<unsigned>(launch.grid);
  config.gridY = config.gridZ = 1;
  config.blockX = launch.threads;
  config.blockY = config.blockZ = 1;
  config.sharedBytes = launch.sharedBytes;
  config.stream = static_cast<cuda::StreamPointer>(stream.handle);
  config.attributes = attributes.data();
  config.numAttributes = attributes.size();
  return api.launchKernel(&config,
                          reinterpret_cast<cuda::Function>(launch.kernel),
                          launch.params, /*extra=*/nullptr);
}

cuda::Result fuse::runtime::launchOnCuda(const cuda::Api &api,
                                         int driverVersion,
                                         const Launch &launch, Stream stream) {
  bool mayOverlap = driverVersion >= overlapDriver;
  cuda::Result result =
      launchWith(api, launch, stream, attributesOf(launch, mayOverlap));
  bool isRefused = result == cuda::notSupported || result == cuda::invalidValue;
  if (!isRefused || !mayOverlap || !launch.waits)
    return result;
  return launchWith(api, launch, stream,
                    attributesOf(launch, /*mayOverlap=*/false));
}

Error CudaModule::launch(const Launch &launch, Stream stream) {
  if (Error error = checkCudaGrid(launch.name, launch.grid, launch.cluster))
    return error;
  CudaDevice::Scope scope(cudaDevice);
  if (Error error = scope.error())
    return error;
  const CudaDriver &driver = cudaDevice.driver();
  cuda::Result result =
      launchOnCuda(driver.api(), driver.version(), launch, stream);
  if (result == cuda::success)
    return Error::success();
  if (Error error = checkCudaCluster(launch, result))
    return error;
  return driver.check(result, "launch kernel '" + launch.name + "'");
}

Error CudaModule::keepForCapture(const std::shared_ptr<void> &owner,
                                 Stream stream) {
  CudaDevice::Scope scope(cudaDevice);
  if (Error error = scope.error())
    return error;
  return cudaDevice.driver().check(
      runtime::keepForCapture(api(), owner, stream),
      "keep a program for the graph that records it");
}

Expected<int64_t> CudaModule::mostConcurrentBlocks(KernelHandle kernel,
                                                   unsigned threads,
                                                   unsigned sharedBytes) {
  CudaDevice::Scope scope(cudaDevice);
  if (Error error = scope.error())
    return std::move(error);
  int blocks = 0;
  if (Error error = cudaDevice.driver().check(
          api().maxActiveBlocks(&blocks,
                                reinterpret_cast<cuda::Function>(kernel),
                                threads, sharedBytes),
          "say how many blocks of a kernel fit"))
    return std::move(error);
  return int64_t(blocks) * cudaDevice.info().multiprocessors;
}

Error CudaModule::clear(void *data, int64_t bytes, Stream stream) {
  return cudaDevice.setBytes(data, 0, bytes, stream);
}

Error CudaModule::copy(void *to, const void *from, int64_t bytes,
                       Stream stream) {
  return cudaDevice.copyOnDevice(to, from, bytes, stream);
}

Error CudaModule::upload(void *to, const void *from, int64_t bytes) {
  return cudaDevice.copyToDevice(to, from, bytes);
}

Expected<std::unique_ptr<Buffer>> CudaModule::allocateOwn(int64_t bytes) {
  return DeviceBuffer::create(cudaDevice, bytes);
}

Expected<std::optional<QueueId>> CudaModule::queueId(Stream stream) {
  return cudaDevice.queueId(stream);
}

Expected<double> CudaModule::time(Stream stream,
                                  function_ref<Error()> enqueue) {
  return cudaDevice.time(stream, enqueue);
}
