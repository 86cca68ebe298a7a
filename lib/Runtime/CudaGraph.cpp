//===- CudaGraph.cpp - Work recorded once and run many times --------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Runtime/CudaGraph.h"

using namespace llvm;
using namespace fuse::runtime;

static cuda::StreamPointer streamPointer(Stream stream) {
  return static_cast<cuda::StreamPointer>(stream.handle);
}

/// The graph of what `enqueue` puts on `stream`; the caller destroys it.
static Expected<cuda::Graph> record(const CudaDriver &driver, Stream stream,
                                    function_ref<Error()> enqueue) {
  const cuda::Api &api = driver.api();
  if (Error error = driver.check(
          api.captureBegin(streamPointer(stream), cuda::ThreadLocal),
          "record a graph"))
    return std::move(error);
  Error failure = enqueue();
  // Also after a failure: the stream would record on for ever.
  cuda::Graph graph = nullptr;
  cuda::Result result = api.captureEnd(streamPointer(stream), &graph);
  if (!failure && result == cuda::success)
    return graph;
  if (graph)
    api.graphDestroy(graph);
  if (failure)
    return std::move(failure);
  return driver.check(result, "record a graph");
}

Expected<CudaGraph> CudaGraph::capture(CudaDevice &device, Stream stream,
                                       function_ref<Error()> enqueue) {
  CudaDevice::Scope scope(device);
  if (Error error = scope.error())
    return std::move(error);
  const CudaDriver &driver = device.driver();
  Expected<cuda::Graph> graph = record(driver, stream, enqueue);
  if (!graph)
    return graph.takeError();
  cuda::GraphExec executable = nullptr;
  cuda::Result result =
      driver.api().graphInstantiate(&executable, *graph, /*flags=*/0);
  driver.api().graphDestroy(*graph);
  if (Error error = driver.check(result, "make a graph executable"))
    return std::move(error);
  return CudaGraph(device, executable);
}

CudaGraph::CudaGraph(CudaGraph &&other)
    : device(other.device),
      executable(std::exchange(other.executable, nullptr)) {}

CudaGraph::~CudaGraph() {
  if (!executable)
    return;
  CudaDevice::Scope scope(*device);
  // At exit the driver may be gone, and its graphs with it.
  if (Error error = scope.error())
    consumeError(std::move(error));
  else
    device->driver().api().graphExecDestroy(executable);
}

Error CudaGraph::launch(Stream stream) const {
  CudaDevice::Scope scope(*device);
  if (Error error = scope.error())
    return error;
  return device->driver().check(
      device->driver().api().graphLaunch(executable, streamPointer(stream)),
      "launch a graph");
}
