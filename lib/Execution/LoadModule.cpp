//===- LoadModule.cpp - Compiled code, loaded where it runs ---------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoadModule.h"
#include "fuse/Codegen/HostObject.h"
#include "fuse/Compiler/ShimTable.h"
#include "fuse/Runtime/CpuModule.h"
#include "fuse/Runtime/CudaModule.h"
#include "fuse/Runtime/EmulatorModule.h"

using namespace llvm;
using namespace fuse::runtime;

namespace fuse::jit {

static Expected<std::shared_ptr<runtime::Module>>
loadForEmulator(const Code &code, uint64_t seed) {
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

static Expected<std::shared_ptr<runtime::Module>>
loadForHost(const Code &code) {
  std::vector<std::string> names;
  for (const KernelInfo &kernel : code.kernels)
    names.push_back(kernel.symbol);
  StringMap<CpuKernel> kernels;
  if (names.empty())
    return CpuModule::create(std::move(kernels));
  auto object = mlir::fuse::loadHostObject(code.object, names);
  if (!object)
    return object.takeError();
  for (const auto &entry : object->entries)
    kernels[entry.getKey()] = entry.getValue();
  return CpuModule::create(std::move(kernels), object->jit);
}

/// A driver takes a module without kernels only as text.
static constexpr StringLiteral emptyPTX =
    ".version 8.0\n.target sm_80\n.address_size 64\n";

static Expected<std::shared_ptr<runtime::Module>>
load(const Code &code, const CompileOptions &options, Device device) {
  if (options.target == Target::Emulator)
    return loadForEmulator(code, options.emulatorSeed);
  if (device.kind == Device::Kind::CPU)
    return loadForHost(code);
  Expected<CudaDevice &> cuda = CudaDevice::get(device.id);
  if (!cuda)
    return cuda.takeError();
  const auto &cubin = code.assembled.cubin;
  StringRef image = !cubin.empty()     ? StringRef(cubin.data(), cubin.size())
                    : code.ptx.empty() ? StringRef(emptyPTX)
                                       : StringRef(code.ptx);
  return CudaModule::load(*cuda, image);
}

Expected<std::shared_ptr<runtime::Module>>
loadModule(const Code &code, const CompileOptions &options, Device device) {
  auto module = load(code, options, device);
  if (module)
    (*module)->setAllocator(options.allocator);
  return module;
}

} // namespace fuse::jit
