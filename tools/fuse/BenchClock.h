//===- BenchClock.h - Time of work on a device ------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_FUSE_BENCHCLOCK_H
#define FUSE_TOOLS_FUSE_BENCHCLOCK_H

#include "fuse/Runtime/Buffer.h"
#include "fuse/Runtime/CudaGraph.h"
#include "fuse/Runtime/Module.h"

namespace fuse::driver {

/// Puts work on a stream.
using Work = llvm::function_ref<llvm::Error(runtime::Stream)>;

/// Times work on one device, and a copy to compare it with.
class BenchClock {
public:
  static llvm::Expected<std::unique_ptr<BenchClock>>
  create(runtime::Device device);
  virtual ~BenchClock() = default;

  /// "NVIDIA H200", or the host's name.
  virtual std::string deviceName() const = 0;

  /// Seconds of `work`, which on a GPU begins with a cold L2 cache: by CUDA
  /// events there, by the steady clock on the CPU.
  virtual llvm::Expected<double> time(Work work) = 0;

  /// Makes buffers for copies that read and write `bytes` together; `count`
  /// pairs of them.
  virtual llvm::Error prepareCopies(int64_t bytes, unsigned count) = 0;
  /// Copies the pair `index` modulo their number; on the CPU with all cores.
  virtual llvm::Error copy(unsigned index, runtime::Stream stream) = 0;

  /// Whether graphs can be made: not on the CPU.
  virtual bool hasGraphs() const { return false; }
  /// A graph of what `work` puts on the stream.
  virtual llvm::Expected<runtime::CudaGraph> capture(Work work);
  /// Seconds of a replay, with the cache as it is.
  virtual llvm::Expected<double> time(const runtime::CudaGraph &graph);
};

} // namespace fuse::driver

#endif // FUSE_TOOLS_FUSE_BENCHCLOCK_H
