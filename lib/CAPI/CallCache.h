//===- CallCache.h - Prepared calls by the layouts of tensors ---*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CAPI_CALLCACHE_H
#define FUSE_LIB_CAPI_CALLCACHE_H

#include "fuse-c/DLPack.h"
#include "fuse/Execution/JIT.h"
#include <memory>
#include <mutex>
#include <unordered_map>

namespace fuse::capi {

/// The prepared calls of one program that were used last. Thread-safe.
class CallCache {
public:
  /// Dtypes, devices, shapes and strides of a call's tensors as words.
  using Key = llvm::SmallVector<int64_t, 48>;

  /// Nullopt if a tensor is not filled in.
  static std::optional<Key> keyOf(const DLTensor *const *inputs,
                                  int32_t numInputs,
                                  const DLTensor *const *outputs,
                                  int32_t numOutputs);

  /// Null if there is none.
  std::shared_ptr<jit::PreparedCall> find(const Key &key);
  void add(Key key, std::shared_ptr<jit::PreparedCall> call);

private:
  struct Hash {
    size_t operator()(const Key &key) const;
  };

  std::mutex mutex;
  std::unordered_map<Key, std::shared_ptr<jit::PreparedCall>, Hash> calls;
};

} // namespace fuse::capi

#endif // FUSE_LIB_CAPI_CALLCACHE_H
