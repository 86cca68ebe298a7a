//===- CudaGraph.h - Work recorded once and run many times ------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A replay costs the host one call for any number of launches, so that their
// time on the device can be told from that of launching them:
//
//   auto graph = CudaGraph::capture(device, stream, [&] {
//     return program.run(inputs, outputs, stream);
//   });
//   if (!graph) ...
//   Expected<double> seconds =
//       device.time(stream, [&] { return graph->launch(stream); });
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_RUNTIME_CUDAGRAPH_H
#define FUSE_RUNTIME_CUDAGRAPH_H

#include "fuse/Runtime/CudaDriver.h"

namespace fuse::runtime {

/// The work that a function has put on a stream. The tensors must outlive the
/// graph, which itself keeps the programs.
class CudaGraph {
public:
  /// Records what `enqueue` puts on `stream`, which must not be the default
  /// stream; nothing of it runs. Fails if `enqueue` does, and if it did what
  /// cannot be recorded, such as waiting.
  static llvm::Expected<CudaGraph>
  capture(CudaDevice &device, Stream stream,
          llvm::function_ref<llvm::Error()> enqueue);

  CudaGraph(CudaGraph &&other);
  CudaGraph(const CudaGraph &) = delete;
  CudaGraph &operator=(const CudaGraph &) = delete;
  ~CudaGraph();

  /// Runs all of it, asynchronously.
  llvm::Error launch(Stream stream) const;

private:
  CudaGraph(CudaDevice &device, cuda::GraphExec executable)
      : device(&device), executable(executable) {}

  CudaDevice *device;
  cuda::GraphExec executable;
};

} // namespace fuse::runtime

#endif // FUSE_RUNTIME_CUDAGRAPH_H
