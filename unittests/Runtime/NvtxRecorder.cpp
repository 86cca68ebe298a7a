//===- NvtxRecorder.cpp - A profiler that keeps the ranges' names ---------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NVTX loads the library that NVTX_INJECTION64_PATH names and calls its
// InitializeInjectionNvtx2, which puts functions of its own in place.
//
//===----------------------------------------------------------------------===//

#include <nvtx3/nvToolsExt.h>
#include <string>

/// "[name" for each range that begins, "]" for each that ends.
static std::string &log() {
  static std::string text;
  return text;
}

static int NVTX_API push(const char *name) {
  log() += std::string("[") + name;
  return 0;
}

static int NVTX_API pop() {
  log() += "]";
  return 0;
}

extern "C" const char *recordedRanges() { return log().c_str(); }

extern "C" int
InitializeInjectionNvtx2(NvtxGetExportTableFunc_t getExportTable) {
  const auto *callbacks = static_cast<const NvtxExportTableCallbacks *>(
      getExportTable(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (!callbacks ||
      !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size))
    return 0;
  *table[NVTX_CBID_CORE_RangePushA] =
      reinterpret_cast<NvtxFunctionPointer>(push);
  *table[NVTX_CBID_CORE_RangePop] = reinterpret_cast<NvtxFunctionPointer>(pop);
  return 1;
}
