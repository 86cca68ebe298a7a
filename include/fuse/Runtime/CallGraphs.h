//===- CallGraphs.h - Calls that are recorded and run again -----*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call with the tensors of an earlier one launches the same kernels with the
// same arguments. So the second such call is recorded as a graph, which it and
// all others run: the host makes one launch of many, and the device goes from
// kernel to kernel without it. The first has compiled what no recording may.
//
// A graph has temporaries of its own that live as long as the program. So there
// are a few only; calls with further tensors launch one by one.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_RUNTIME_CALLGRAPHS_H
#define FUSE_RUNTIME_CALLGRAPHS_H

#include "fuse/Runtime/CudaGraph.h"
#include <map>
#include <mutex>
#include <set>

namespace fuse::runtime {

/// The graphs of one program, which must outlive them. Thread-safe.
class CallGraphs {
public:
  static constexpr size_t mostGraphs = 16;

  explicit CallGraphs(CudaDevice &device) : device(device) {}
  CallGraphs(const CallGraphs &) = delete;
  CallGraphs &operator=(const CallGraphs &) = delete;
  ~CallGraphs();

  /// Runs on `stream` what `enqueue` puts on a stream, which is the same for
  /// all calls of the same `key`: the layouts and addresses of its tensors.
  /// Where the caller records the stream, what is put there is part of that.
  llvm::Error run(llvm::ArrayRef<int64_t> key, Stream stream,
                  llvm::function_ref<llvm::Error(Stream)> enqueue);

private:
  /// Null if the call is the first of its key, or no more are recorded.
  llvm::Expected<const CudaGraph *>
  graphOf(llvm::ArrayRef<int64_t> key,
          llvm::function_ref<llvm::Error(Stream)> enqueue);

  CudaDevice &device;
  std::mutex mutex;
  /// What is recorded is put on it; others may use the caller's meanwhile.
  std::optional<Stream> own;
  std::map<std::vector<int64_t>, CudaGraph> graphs;
  /// The keys of calls that were not recorded, of late.
  std::set<std::vector<int64_t>> seen;
};

} // namespace fuse::runtime

#endif // FUSE_RUNTIME_CALLGRAPHS_H
