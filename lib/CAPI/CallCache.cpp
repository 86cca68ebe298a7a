//===- CallCache.cpp - Prepared calls by the layouts of tensors -----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallCache.h"
#include "llvm/ADT/Hashing.h"

using namespace llvm;

namespace fuse::capi {

/// Beyond this many layouts the calls are dropped and prepared anew.
static constexpr size_t maxCalls = 256;

static bool append(const DLTensor *tensor, CallCache::Key &key) {
  if (!tensor || tensor->ndim < 0 || (tensor->ndim > 0 && !tensor->shape))
    return false;
  key.push_back(int64_t(tensor->device.device_type) << 32 |
                uint32_t(tensor->device.device_id));
  key.push_back(
      int64_t(tensor->ndim) << 33 | int64_t(tensor->strides != nullptr) << 32 |
      tensor->dtype.lanes << 16 | tensor->dtype.bits << 8 | tensor->dtype.code);
  key.append(tensor->shape, tensor->shape + tensor->ndim);
  if (tensor->strides)
    key.append(tensor->strides, tensor->strides + tensor->ndim);
  return true;
}

std::optional<CallCache::Key> CallCache::keyOf(const DLTensor *const *inputs,
                                               int32_t numInputs,
                                               const DLTensor *const *outputs,
                                               int32_t numOutputs) {
  if (numInputs < 0 || numOutputs < 0 || (numInputs && !inputs) ||
      (numOutputs && !outputs))
    return std::nullopt;
  Key key;
  key.push_back(numInputs);
  for (int32_t i = 0; i != numInputs; ++i)
    if (!append(inputs[i], key))
      return std::nullopt;
  for (int32_t i = 0; i != numOutputs; ++i)
    if (!append(outputs[i], key))
      return std::nullopt;
  return key;
}

size_t CallCache::Hash::operator()(const Key &key) const {
  return hash_combine_range(key.begin(), key.end());
}

std::shared_ptr<jit::PreparedCall> CallCache::find(const Key &key) {
  std::lock_guard<std::mutex> lock(mutex);
  auto it = calls.find(key);
  return it == calls.end() ? nullptr : it->second;
}

void CallCache::add(Key key, std::shared_ptr<jit::PreparedCall> call) {
  std::lock_guard<std::mutex> lock(mutex);
  if (calls.size() >= maxCalls)
    calls.clear();
  calls[std::move(key)] = std::move(call);
}

} // namespace fuse::capi
