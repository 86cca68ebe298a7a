//===- BenchClock.cpp - Time of work on a device --------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BenchClock.h"
#include "fuse/Target/CPUTarget.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Parallel.h"
#include <chrono>
#include <cstring>

using namespace llvm;
using namespace fuse::runtime;

namespace fuse::driver {

Expected<CudaGraph> BenchClock::capture(Work) {
  llvm_unreachable("asked for a graph where there are none");
}

Expected<double> BenchClock::time(const CudaGraph &) {
  llvm_unreachable("asked for a graph where there are none");
}

/// Bytes of each buffer of a copy that moves `bytes`; some, since the driver
/// refuses to set none.
static int64_t halfOf(int64_t bytes) { return std::max<int64_t>(bytes / 2, 1); }

namespace {
template <typename BufferType> struct CopyPair {
  std::unique_ptr<BufferType> from;
  std::unique_ptr<BufferType> to;
};

class HostClock final : public BenchClock {
public:
  std::string deviceName() const override {
    return mlir::fuse::CPUTarget::host().name;
  }

  Expected<double> time(Work work) override {
    auto start = std::chrono::steady_clock::now();
    if (Error error = work({}))
      return std::move(error);
    std::chrono::duration<double> elapsed =
        std::chrono::steady_clock::now() - start;
    return elapsed.count();
  }

  Error prepareCopies(int64_t bytes, unsigned count) override {
    pairs.clear();
    for (unsigned i = 0; i < count; ++i) {
      auto from = HostBuffer::create(halfOf(bytes));
      if (!from)
        return from.takeError();
      auto to = HostBuffer::create(halfOf(bytes));
      if (!to)
        return to.takeError();
      // Pages that were never written are one page of zeros.
      std::memset((*from)->data(), 1, halfOf(bytes));
      std::memset((*to)->data(), 1, halfOf(bytes));
      pairs.push_back({std::move(*from), std::move(*to)});
    }
    return Error::success();
  }

  Error copy(unsigned index, Stream) override {
    const CopyPair<HostBuffer> &pair = pairs[index % pairs.size()];
    constexpr int64_t chunk = 1 << 18;
    int64_t bytes = pair.from->size();
    auto copyChunk = [&](size_t i) {
      int64_t begin = i * chunk;
      std::memcpy(static_cast<char *>(pair.to->data()) + begin,
                  static_cast<const char *>(pair.from->data()) + begin,
                  std::min(chunk, bytes - begin));
    };
    // Threads would cost more than a small copy.
    if (bytes <= chunk)
      copyChunk(0);
    else
      parallelFor(0, divideCeil(bytes, chunk), copyChunk);
    return Error::success();
  }

private:
  std::vector<CopyPair<HostBuffer>> pairs;
};

class CudaClock final : public BenchClock {
public:
  CudaClock(CudaDevice &device, Stream stream)
      : device(device), stream(stream) {}
  ~CudaClock() override { device.destroyStream(stream); }

  std::string deviceName() const override { return device.info().name; }

  Expected<double> time(Work work) override {
    if (Error error = device.flushL2(stream))
      return std::move(error);
    // The flush takes longer than the host to call, so that no host time is
    // between the events.
    return device.time(stream, [&] { return work(stream); });
  }

  Error prepareCopies(int64_t bytes, unsigned count) override {
    pairs.clear();
    for (unsigned i = 0; i < count; ++i) {
      auto from = DeviceBuffer::create(device, halfOf(bytes));
      if (!from)
        return from.takeError();
      auto to = DeviceBuffer::create(device, halfOf(bytes));
      if (!to)
        return to.takeError();
      if (Error error =
              device.setBytes((*from)->data(), 1, halfOf(bytes), stream))
        return error;
      pairs.push_back({std::move(*from), std::move(*to)});
    }
    return device.synchronize(stream);
  }

  Error copy(unsigned index, Stream on) override {
    const CopyPair<DeviceBuffer> &pair = pairs[index % pairs.size()];
    return device.copyOnDevice(pair.to->data(), pair.from->data(),
                               pair.from->size(), on);
  }

  bool hasGraphs() const override { return true; }

  Expected<CudaGraph> capture(Work work) override {
    return CudaGraph::capture(device, stream, [&] { return work(stream); });
  }

  Expected<double> time(const CudaGraph &graph) override {
    return device.time(stream, [&] { return graph.launch(stream); });
  }

private:
  CudaDevice &device;
  Stream stream;
  std::vector<CopyPair<DeviceBuffer>> pairs;
};
} // namespace

Expected<std::unique_ptr<BenchClock>> BenchClock::create(Device device) {
  if (device.kind == Device::Kind::CPU)
    return std::make_unique<HostClock>();
  Expected<CudaDevice &> cuda = CudaDevice::get(device.id);
  if (!cuda)
    return cuda.takeError();
  Expected<Stream> stream = cuda->createStream();
  if (!stream)
    return stream.takeError();
  return std::make_unique<CudaClock>(*cuda, *stream);
}

} // namespace fuse::driver
