//===- CudaDriver.cpp - The CUDA driver and its devices -------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Runtime/CudaDriver.h"
#include "FormatError.h"
#include "llvm/ADT/Twine.h"
#include <atomic>
#include <dlfcn.h>
#include <pthread.h>

using namespace llvm;
using namespace fuse::runtime;

/// Set in a child that was forked after the driver was initialised.
static std::atomic<bool> forkedAfterInit{false};

static Error forkError() {
  return formatDeviceError(
      "expected to use CUDA in the process that initialised it, "
      "but got a child forked after that; start workers with "
      "'spawn', or fork before the first use of CUDA");
}

static Error absentError(StringRef reason) {
  return formatDeviceError(
      "expected a CUDA driver (libcuda.so.1), but none could be "
      "loaded: {0}; use the target cpu, or install the NVIDIA "
      "driver",
      reason);
}

Error CudaDriver::load() {
  // Never closed: the driver's threads and other users outlive any owner.
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return absentError(dlerror());
#define FUSE_CUDA_LOAD(member, symbol, parameters)                             \
  table.member =                                                               \
      reinterpret_cast<decltype(table.member)>(dlsym(library, symbol));        \
  if (!table.member)                                                           \
    return absentError("it lacks " symbol ", which CUDA 12.0 has");
  FUSE_CUDA_FUNCTIONS(FUSE_CUDA_LOAD)
#undef FUSE_CUDA_LOAD
  return Error::success();
}

Error CudaDriver::initialize() {
  if (Error error = load())
    return error;
  if (Error error = check(table.init(0), "initialise the driver"))
    return error;
  pthread_atfork(nullptr, nullptr, [] { forkedAfterInit = true; });
  if (Error error = check(table.driverGetVersion(&driverVersion),
                          "ask for the driver's version"))
    return error;
  return check(table.deviceGetCount(&count), "count the devices");
}

Expected<CudaDriver &> CudaDriver::get() {
  // Leaked on purpose: device memory is freed by objects of any lifetime.
  static CudaDriver *driver = new CudaDriver;
  static const std::string failure = toString(driver->initialize());
  if (forkedAfterInit)
    return forkError();
  if (!failure.empty())
    return formatDeviceError("{0}", failure);
  return *driver;
}

Error CudaDriver::check(cuda::Result result, const Twine &action) const {
  if (result == cuda::success)
    return Error::success();
  const char *errorName = nullptr, *text = nullptr;
  table.getErrorName(result, &errorName);
  table.getErrorString(result, &text);
  return formatDeviceError(
      "expected the CUDA driver to {0}, but got {1} ({2}); see "
      "nvidia-smi for the state of the device",
      action.str(), errorName ? errorName : "an unknown error",
      text ? text : formatv("code {0}", result).str().c_str());
}

CudaDevice::Scope::Scope(CudaDevice &device) : device(device) {
  if ((forked = forkedAfterInit))
    return;
  const cuda::Api &api = device.driver().api();
  cuda::Context current = nullptr;
  result = api.contextGetCurrent(&current);
  if (result != cuda::success || current == device.context)
    return;
  result = api.contextPush(device.context);
  pushed = result == cuda::success;
}

CudaDevice::Scope::~Scope() {
  cuda::Context popped;
  if (pushed)
    device.driver().api().contextPop(&popped);
}

Error CudaDevice::Scope::error() const {
  if (forked)
    return forkError();
  return device.driver().check(result, "make the device's context current");
}

Error CudaDevice::describe(cuda::DeviceOrdinal device) {
  const cuda::Api &api = owner->api();
  char text[256] = {};
  size_t memory = 0;
  int major = 0, minor = 0, l2 = 0;
  std::pair<cuda::DeviceAttribute, int *> attributes[] = {
      {cuda::ComputeCapabilityMajor, &major},
      {cuda::ComputeCapabilityMinor, &minor},
      {cuda::MultiprocessorCount, &description.multiprocessors},
      {cuda::L2CacheSize, &l2},
      {cuda::MaxSharedBytesOptIn, &description.maxSharedBytes}};
  cuda::Result result = api.deviceGetName(text, sizeof(text) - 1, device);
  if (result == cuda::success)
    result = api.deviceTotalMem(&memory, device);
  for (auto [attribute, value] : attributes)
    if (result == cuda::success)
      result = api.deviceGetAttribute(value, attribute, device);
  // Drivers may stop telling clocks, without which there still is a device.
  int clock = 0, memoryClock = 0, busBits = 0;
  std::pair<cuda::DeviceAttribute, int *> rates[] = {
      {cuda::ClockKilohertz, &clock},
      {cuda::MemoryClockKilohertz, &memoryClock},
      {cuda::MemoryBusBits, &busBits}};
  for (auto [attribute, value] : rates)
    if (api.deviceGetAttribute(value, attribute, device) != cuda::success)
      *value = 0;
  description.clockHertz = clock * 1e3;
  // Two transfers a clock.
  description.memoryBytesPerSecond = 2 * (memoryClock * 1e3) * (busBits / 8.0);
  description.name = text;
  description.sm = major * 10 + minor;
  description.memoryBytes = memory;
  description.l2Bytes = l2;
  return owner->check(result, "describe the device");
}

Error CudaDevice::initialize() {
  const cuda::Api &api = owner->api();
  cuda::DeviceOrdinal device;
  if (Error error = owner->check(api.deviceGet(&device, index),
                                 formatv("open device {0}", index)))
    return error;
  if (Error error = describe(device))
    return error;
  return owner->check(api.primaryContextRetain(&context, device),
                      "retain the device's primary context");
}

Expected<CudaDevice &> CudaDevice::get(int ordinal) {
  Expected<CudaDriver &> driver = CudaDriver::get();
  if (!driver)
    return driver.takeError();
  if (ordinal < 0 || ordinal >= driver->deviceCount())
    return formatDeviceError(
        "expected a CUDA device below {0}, but got cuda:{1}; "
        "see CUDA_VISIBLE_DEVICES",
        driver->deviceCount(), ordinal);
  static std::mutex mutex;
  // Leaked, as the driver is.
  static auto *devices =
      new std::vector<std::unique_ptr<CudaDevice>>(driver->deviceCount());
  std::lock_guard<std::mutex> guard(mutex);
  std::unique_ptr<CudaDevice> &slot = (*devices)[ordinal];
  if (!slot) {
    std::unique_ptr<CudaDevice> device(new CudaDevice(*driver, ordinal));
    if (Error error = device->initialize())
      return std::move(error);
    slot = std::move(device);
  }
  return *slot;
}
