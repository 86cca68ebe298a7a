//===- EmulatorCode.cpp - The emulator's compiler and its runtime ---------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorCode.h"

using namespace llvm;
using namespace fuse::runtime;

namespace fuse::jit {

const mlir::fuse::EmulatorShims &emulatorShims() {
  static const mlir::fuse::EmulatorShims shims = [] {
    mlir::fuse::EmulatorShims table;
    for (const EmulatorShim &shim : runtime::emulatorShims())
      table[shim.name] = {shim.address, shim.takesSite};
    return table;
  }();
  return shims;
}

Expected<std::shared_ptr<runtime::Module>> loadForEmulator(const Code &code,
                                                           uint64_t seed) {
  std::vector<std::string> names;
  for (const KernelInfo &kernel : code.kernels)
    names.push_back(kernel.symbol);
  EmulatorModuleOptions options;
  options.seed = seed;
  StringMap<EmulatorKernel> kernels;
  if (names.empty())
    return std::make_shared<EmulatorModule>(std::move(kernels), options);
  auto object =
      mlir::fuse::loadEmulatorObject(code.object, names, emulatorShims());
  if (!object)
    return object.takeError();
  for (const auto &entry : object->entries)
    kernels[entry.getKey()] = entry.getValue();
  return std::make_shared<EmulatorModule>(std::move(kernels), options,
                                          object->jit);
}

} // namespace fuse::jit
