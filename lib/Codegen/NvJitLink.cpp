//===- NvJitLink.cpp - CUDA's linker, loaded when it is there -------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NvJitLink.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/Process.h"
#include <optional>

using namespace mlir::fuse;

/// nvJitLinkInputType's NVJITLINK_INPUT_PTX.
static constexpr int ptxInput = 2;

bool NvJitLink::open(const std::string &candidate) {
  auto library =
      llvm::sys::DynamicLibrary::getPermanentLibrary(candidate.c_str());
  if (!library.isValid())
    return false;
  bool foundAll = true;
  auto resolve = [&](auto &function, const char *name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(
        library.getAddressOfSymbol(name));
    foundAll &= function != nullptr;
  };
  resolve(create, "nvJitLinkCreate");
  resolve(destroy, "nvJitLinkDestroy");
  resolve(addData, "nvJitLinkAddData");
  resolve(complete, "nvJitLinkComplete");
  resolve(getCubinSize, "nvJitLinkGetLinkedCubinSize");
  resolve(getCubin, "nvJitLinkGetLinkedCubin");
  resolve(getErrorLogSize, "nvJitLinkGetErrorLogSize");
  resolve(getErrorLog, "nvJitLinkGetErrorLog");
  resolve(getInfoLogSize, "nvJitLinkGetInfoLogSize");
  resolve(getInfoLog, "nvJitLinkGetInfoLog");
  path = candidate;
  return foundAll;
}

const NvJitLink *NvJitLink::load() {
  static const std::optional<NvJitLink> library =
      []() -> std::optional<NvJitLink> {
    llvm::SmallVector<std::string> folders = {""};
    for (const char *name : {"CUDA_HOME", "CUDA_PATH"})
      if (auto home = llvm::sys::Process::GetEnv(name))
        folders.push_back(*home + "/lib64/");
    folders.push_back("/usr/local/cuda/lib64/");
    for (const std::string &folder : folders)
      for (const char *name :
           {"libnvJitLink.so.13", "libnvJitLink.so.12", "libnvJitLink.so"}) {
        NvJitLink candidate;
        if (candidate.open(folder + name))
          return candidate;
      }
    return std::nullopt;
  }();
  return library ? &*library : nullptr;
}

bool NvJitLink::link(llvm::StringRef ptx, llvm::StringRef chip, bool lineInfo,
                     llvm::SmallVectorImpl<char> &cubin,
                     std::string &log) const {
  std::string arch = ("-arch=" + chip).str();
  llvm::SmallVector<const char *> options = {arch.c_str(), "-O3", "-verbose"};
  if (lineInfo)
    options.push_back("-lineinfo");
  Handle handle = nullptr;
  // All processors; older releases do not know the option.
  options.push_back("-split-compile=0");
  bool isKnown = create(&handle, options.size(), options.data()) == 0;
  if (!isKnown)
    options.pop_back();
  if (!isKnown && create(&handle, options.size(), options.data()) != 0) {
    log = "nvJitLink does not take the options " +
          llvm::join(options.begin(), options.end(), " ");
    return false;
  }
  // The PTX must end in a zero for some versions.
  std::string text = ptx.str();
  bool linked = addData(handle, ptxInput, text.c_str(), text.size() + 1,
                        "kernels.ptx") == 0 &&
                complete(handle) == 0;
  size_t size = 0;
  auto getSize = linked ? getInfoLogSize : getErrorLogSize;
  if (getSize(handle, &size) == 0 && size > 1) {
    log.resize(size);
    (linked ? getInfoLog : getErrorLog)(handle, log.data());
  }
  if (linked && getCubinSize(handle, &size) == 0) {
    cubin.resize_for_overwrite(size);
    linked = getCubin(handle, cubin.data()) == 0;
  }
  destroy(&handle);
  return linked;
}
