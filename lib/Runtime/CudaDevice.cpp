//===- CudaDevice.cpp - Memory, streams and events of a device ------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FormatError.h"
#include "RelaxedCapture.h"
#include "fuse/Runtime/CudaDriver.h"

using namespace llvm;
using namespace fuse::runtime;

static cuda::DevicePointer devicePointer(const void *pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}

static cuda::StreamPointer streamPointer(Stream stream) {
  return static_cast<cuda::StreamPointer>(stream.handle);
}

Expected<void *> CudaDevice::allocate(int64_t bytes) {
  Scope scope(*this);
  if (Error error = scope.error())
    return std::move(error);
  RelaxedCapture relaxed(owner->api());
  cuda::DevicePointer pointer = 0;
  // The driver refuses to allocate 0 bytes.
  cuda::Result result =
      owner->api().memAlloc(&pointer, std::max<int64_t>(bytes, 1));
  if (Error error = owner->check(
          result, formatv("allocate {0} bytes on cuda:{1}", bytes, index)))
    return std::move(error);
  return reinterpret_cast<void *>(static_cast<uintptr_t>(pointer));
}

void CudaDevice::free(void *pointer) {
  Scope scope(*this);
  // At exit the driver may be gone, and its memory with it.
  if (Error error = scope.error())
    return consumeError(std::move(error));
  RelaxedCapture relaxed(owner->api());
  owner->api().memFree(devicePointer(pointer));
}

Error CudaDevice::copyToDevice(void *to, const void *from, int64_t bytes) {
  Scope scope(*this);
  if (Error error = scope.error())
    return error;
  return owner->check(owner->api().copyToDevice(devicePointer(to), from, bytes),
                      "copy to the device");
}

Error CudaDevice::copyToHost(void *to, const void *from, int64_t bytes) {
  Scope scope(*this);
  if (Error error = scope.error())
    return error;
  return owner->check(owner->api().copyToHost(to, devicePointer(from), bytes),
                      "copy to the host");
}

Error CudaDevice::copyOnDevice(void *to, const void *from, int64_t bytes,
                               Stream stream) {
  Scope scope(*this);
  if (Error error = scope.error())
    return error;
  return owner->check(owner->api().copyOnDevice(devicePointer(to),
                                                devicePointer(from), bytes,
                                                streamPointer(stream)),
                      "copy on the device");
}

Error CudaDevice::setBytes(void *to, uint8_t value, int64_t bytes,
                           Stream stream) {
  Scope scope(*this);
  if (Error error = scope.error())
    return error;
  return owner->check(owner->api().setBytes(devicePointer(to), value, bytes,
                                            streamPointer(stream)),
                      "set device memory");
}

Expected<Stream> CudaDevice::createStream() {
  Scope scope(*this);
  if (Error error = scope.error())
    return std::move(error);
  cuda::StreamPointer stream = nullptr;
  if (Error error =
          owner->check(owner->api().streamCreate(&stream, cuda::NonBlocking),
                       "create a stream"))
    return std::move(error);
  return Stream{stream};
}

void CudaDevice::destroyStream(Stream stream) {
  Scope scope(*this);
  if (Error error = scope.error())
    return consumeError(std::move(error));
  owner->api().streamDestroy(streamPointer(stream));
}

Error CudaDevice::synchronize(Stream stream) {
  Scope scope(*this);
  if (Error error = scope.error())
    return error;
  return owner->check(owner->api().streamSynchronize(streamPointer(stream)),
                      "finish the work on a stream");
}

Error CudaDevice::synchronizeAll() {
  Scope scope(*this);
  if (Error error = scope.error())
    return error;
  return owner->check(owner->api().contextSynchronize(),
                      "finish the work on the device");
}

Expected<QueueId> CudaDevice::queueId(Stream stream) {
  Scope scope(*this);
  if (Error error = scope.error())
    return std::move(error);
  const cuda::Api &api = owner->api();
  cuda::CaptureStatus status = cuda::NotCapturing;
  uint64_t capture = 0;
  if (Error error = owner->check(
          api.streamGetCapture(streamPointer(stream), &status, &capture,
                               nullptr, nullptr, nullptr),
          "ask whether a stream is captured"))
    return std::move(error);
  // A stream that is captured does not tell its id; its handle cannot be
  // reused before the capture ends.
  if (status != cuda::NotCapturing)
    return QueueId{reinterpret_cast<uintptr_t>(stream.handle), capture};
  unsigned long long id = 0;
  if (Error error = owner->check(api.streamGetId(streamPointer(stream), &id),
                                 "identify a stream"))
    return std::move(error);
  return QueueId{id, std::nullopt};
}

namespace {
/// An event, destroyed with the object.
class ScopedEvent {
public:
  explicit ScopedEvent(const cuda::Api &api)
      : api(api), result(api.eventCreate(&event, /*flags=*/0)) {}
  ScopedEvent(const ScopedEvent &) = delete;
  ScopedEvent &operator=(const ScopedEvent &) = delete;
  ~ScopedEvent() {
    if (result == cuda::success)
      api.eventDestroy(event);
  }

  cuda::Result record(Stream stream) const {
    return result == cuda::success
               ? api.eventRecord(event, streamPointer(stream))
               : result;
  }
  cuda::Event get() const { return event; }

private:
  const cuda::Api &api;
  cuda::Event event = nullptr;
  cuda::Result result;
};
} // namespace

Expected<double> CudaDevice::time(Stream stream,
                                  function_ref<Error()> enqueue) {
  Scope scope(*this);
  if (Error error = scope.error())
    return std::move(error);
  const cuda::Api &api = owner->api();
  ScopedEvent start(api), stop(api);
  if (Error error = owner->check(start.record(stream), "record an event"))
    return std::move(error);
  if (Error error = enqueue())
    return std::move(error);
  if (Error error = owner->check(stop.record(stream), "record an event"))
    return std::move(error);
  if (Error error = owner->check(api.eventSynchronize(stop.get()),
                                 "finish the timed work"))
    return std::move(error);
  float milliseconds = 0;
  if (Error error =
          owner->check(api.eventElapsed(&milliseconds, start.get(), stop.get()),
                       "read an event"))
    return std::move(error);
  return milliseconds * 1e-3;
}

Error CudaDevice::flushL2(Stream stream) {
  // Twice the cache: the replacement is not strictly least recently used.
  int64_t bytes = 2 * description.l2Bytes;
  std::lock_guard<std::mutex> guard(flushMutex);
  if (!flushBuffer) {
    Expected<std::unique_ptr<DeviceBuffer>> buffer =
        DeviceBuffer::create(*this, bytes);
    if (!buffer)
      return buffer.takeError();
    flushBuffer = std::move(*buffer);
  }
  return setBytes(flushBuffer->data(), 0, bytes, stream);
}
