//===- CallGraphs.cpp - Calls that are recorded and run again -------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Runtime/CallGraphs.h"

using namespace llvm;
using namespace fuse::runtime;

/// Calls whose tensors lie anew each time leave keys that never come again.
static constexpr size_t mostSeen = 256;

CallGraphs::~CallGraphs() {
  if (own)
    device.destroyStream(*own);
}

Expected<const CudaGraph *>
CallGraphs::graphOf(ArrayRef<int64_t> key,
                    function_ref<Error(Stream)> enqueue) {
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<int64_t> wanted = key.vec();
  if (auto found = graphs.find(wanted); found != graphs.end())
    return &found->second;
  if (graphs.size() >= mostGraphs)
    return nullptr;
  if (seen.insert(wanted).second) {
    if (seen.size() > mostSeen)
      seen.clear();
    return nullptr;
  }
  if (!own) {
    Expected<Stream> made = device.createStream();
    if (!made)
      return made.takeError();
    own = *made;
  }
  Expected<CudaGraph> graph =
      CudaGraph::capture(device, *own, [&] { return enqueue(*own); });
  if (!graph)
    return graph.takeError();
  // Its address stays, whatever is added later.
  return &graphs.emplace(std::move(wanted), std::move(*graph)).first->second;
}

Error CallGraphs::run(ArrayRef<int64_t> key, Stream stream,
                      function_ref<Error(Stream)> enqueue) {
  Expected<QueueId> queue = device.queueId(stream);
  if (!queue)
    return queue.takeError();
  if (queue->capture)
    return enqueue(stream);
  Expected<const CudaGraph *> graph = graphOf(key, enqueue);
  if (!graph)
    return graph.takeError();
  return *graph ? (*graph)->launch(stream) : enqueue(stream);
}
