//===- Module.h - Loaded code and how to launch it --------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The seam between a program and its backend. A kernel takes its arguments
// as CUDA's kernelParams: `params[i]` points to the value of argument i,
// which is a pointer, an i64 or a TensorMap.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_RUNTIME_MODULE_H
#define FUSE_RUNTIME_MODULE_H

#include "fuse/Runtime/Buffer.h"
#include "fuse/Runtime/Tensor.h"
#include "fuse/Runtime/TensorMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace fuse::runtime {

/// A CUstream (or cudaStream_t) for CUDA; null is the default stream. The CPU
/// runs every call to its end and ignores the stream.
struct Stream {
  void *handle = nullptr;
};

/// Work that runs in order. Unique over the life of the process, unlike the
/// stream's handle.
struct QueueId {
  uint64_t stream = 0;
  /// The graph that the stream is captured into, if it is: the graph may run
  /// at the same time as later work on the stream.
  std::optional<uint64_t> capture;

  bool operator==(const QueueId &other) const {
    return stream == other.stream && capture == other.capture;
  }
  bool operator!=(const QueueId &other) const { return !(*this == other); }
};

/// A kernel of one module: a CUfunction or a CPU function.
using KernelHandle = void *;

/// A buffer that a kernel gets, for modules that check accesses.
struct LaunchOperand {
  llvm::StringRef name;
  int64_t bytes = 0;
  bool isResult = false;
  /// A result that has its content before the launch, which writes a part.
  bool isPartial = false;
  /// A BufferRef::Kind::Counter.
  bool isCounter = false;
  /// A result that only the launch itself reads, and writes as far as it does.
  bool isScratch = false;
  /// Of a result with gaps, which nobody may write: the bytes of an element,
  /// and the size and the stride, in bytes, of each dim.
  int64_t elementBytes = 0;
  llvm::SmallVector<std::pair<int64_t, int64_t>, 0> steps = {};
};

/// One launch of one kernel.
struct Launch {
  /// Name for error messages.
  llvm::StringRef name;
  KernelHandle kernel = nullptr;
  /// Blocks, in one dimension; at least 1.
  int64_t grid = 1;
  unsigned threads = 1;
  unsigned sharedBytes = 0;
  unsigned cluster = 1;
  /// All blocks run at the same time, and may wait for each other.
  bool cooperative = false;
  /// The kernel itself waits for what precedes it, see KernelSpec.
  bool waits = false;
  /// Bytes read and written together; 0 if unknown.
  int64_t traffic = 0;
  void **params = nullptr;
  unsigned numParams = 0;
  /// What the first params point to, in order; empty unless the module
  /// checksAccesses().
  llvm::ArrayRef<LaunchOperand> operands;
};

/// Code that is loaded on one device. Thread-safe.
class Module {
public:
  virtual ~Module() = default;

  virtual Device device() const = 0;

  /// Whether launches must describe their operands.
  virtual bool checksAccesses() const { return false; }

  /// Finds a kernel and readies it for its dynamic shared memory and cluster
  /// size.
  virtual llvm::Expected<KernelHandle>
  lookup(llvm::StringRef symbol, unsigned sharedBytes, unsigned cluster) = 0;

  /// Blocks of the kernel that the device runs at the same time if it has
  /// nothing else to do.
  virtual llvm::Expected<int64_t>
  mostConcurrentBlocks(KernelHandle kernel, unsigned threads,
                       unsigned sharedBytes) = 0;

  virtual llvm::Error launch(const Launch &launch, Stream stream) = 0;

  /// Keeps `owner` alive as long as the graph that `stream` is captured into,
  /// if it is: the graph may launch the code that owner has, on its memory.
  virtual llvm::Error keepForCapture(const std::shared_ptr<void> &owner,
                                     Stream stream) {
    return llvm::Error::success();
  }

  /// What the module's kernels take for a tensor at `data`, which is aligned to
  /// 16 bytes and has elements. Fails on devices whose copies know no tensors.
  virtual llvm::Expected<TensorMap> encode(void *data,
                                           const TensorMapShape &shape);

  /// Sets bytes to 0, in the stream's order.
  virtual llvm::Error clear(void *data, int64_t bytes, Stream stream) = 0;

  /// Copies within the device, in the stream's order.
  virtual llvm::Error copy(void *to, const void *from, int64_t bytes,
                           Stream stream) = 0;

  /// Copies from the host and waits for it.
  virtual llvm::Error upload(void *to, const void *from, int64_t bytes) = 0;

  /// Memory for an arena or a constant, of the allocator if there is one.
  llvm::Expected<std::unique_ptr<Buffer>> allocate(int64_t bytes);

  /// Before the module is used.
  void setAllocator(std::shared_ptr<const Allocator> other) {
    allocator = std::move(other);
  }

  /// The queue behind `stream`, or nullopt if calls run to their end, so that
  /// two calls at a time need two arenas.
  virtual llvm::Expected<std::optional<QueueId>> queueId(Stream stream) = 0;

  /// Seconds that the work put on `stream` by `enqueue` takes. Waits for it.
  virtual llvm::Expected<double>
  time(Stream stream, llvm::function_ref<llvm::Error()> enqueue) = 0;

protected:
  /// Memory of the device, or of the host.
  virtual llvm::Expected<std::unique_ptr<Buffer>>
  allocateOwn(int64_t bytes) = 0;

private:
  std::shared_ptr<const Allocator> allocator;
};

} // namespace fuse::runtime

#endif // FUSE_RUNTIME_MODULE_H
