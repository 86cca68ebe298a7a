//===- Doctor.cpp - fuse doctor -------------------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "fuse/Codegen/Assemble.h"
#include "fuse/Runtime/CudaDriver.h"
#include "fuse/Runtime/DiskCache.h"
#include "fuse/Target/CPUTarget.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using mlir::fuse::Assembler;

namespace fuse::driver {

namespace {
class DoctorCommand : public Command {
public:
  DoctorCommand()
      : Command("doctor", "Show what is here, and what is missed") {}

  Error execute() override;
};
} // namespace

static void printLine(StringRef what, const Twine &finding) {
  outs() << formatv("{0,-12} ", what) << finding << "\n";
}

/// A missing piece, and what it costs. Only the first line of `error`.
static void printMissing(StringRef what, Error error, StringRef cost) {
  std::string message = toString(std::move(error));
  printLine(what, "missing: " + StringRef(message).split('\n').first);
  printLine("", "cost: " + cost);
}

/// Assembles an empty kernel, which shows more than that the file is there.
static void checkAssembler(StringRef what, Assembler assembler,
                           StringRef cost) {
  static constexpr StringLiteral ptx =
      ".version 8.0\n.target sm_90\n.address_size 64\n"
      ".visible .entry probe() { ret; }\n";
  auto target = cantFail(mlir::fuse::lookupGPUTarget("sm_90"));
  mlir::fuse::AssembleOptions options;
  options.assembler = assembler;
  auto module = mlir::fuse::assemblePTX(ptx, target, options);
  if (module)
    printLine(what, module->assemblerName);
  else
    printMissing(what, module.takeError(), cost);
}

static void checkGPUs() {
  auto driver = runtime::CudaDriver::get();
  if (!driver)
    return printMissing("CUDA driver", driver.takeError(),
                        "programs run on the CPU; PTX is still made and "
                        "inspected");
  printLine("CUDA driver",
            formatv("for CUDA {0}.{1}, {2} device(s)", driver->version() / 1000,
                    driver->version() % 1000 / 10, driver->deviceCount()));
  for (int i = 0; i < driver->deviceCount(); ++i) {
    auto device = runtime::CudaDevice::get(i);
    if (!device) {
      printMissing("GPU", device.takeError(), "it is not used");
      continue;
    }
    const runtime::CudaDeviceInfo &info = device->info();
    printLine("GPU",
              formatv("{0}, sm_{1}, {2} multiprocessors, {3:F1} GB", info.name,
                      info.sm, info.multiprocessors, info.memoryBytes * 1e-9));
  }
}

static void checkCache() {
  static constexpr StringLiteral cost =
      "every process compiles anew; set FUSE_CACHE_DIR to a writable folder";
  auto cache = runtime::DiskCache::open();
  if (!cache)
    return printMissing("cache", cache.takeError(), cost);
  runtime::DiskCache::Key key("doctor", LLVM_VERSION_STRING, {"probe"});
  if (Error error = cache->store(key, "probe"))
    return printMissing("cache", std::move(error), cost);
  printLine("cache", cache->directory() + ", writable");
}

Error DoctorCommand::execute() {
  printLine("LLVM", LLVM_VERSION_STRING);
  auto cpu = mlir::fuse::CPUTarget::host();
  printLine("CPU", formatv("{0}, {1} core(s), vectors of {2} bits", cpu.name,
                           cpu.cores, cpu.vectorBits));
  checkGPUs();
  checkAssembler("ptxas", Assembler::Ptxas,
                 "no registers and spills in 'fuse inspect', unless nvJitLink "
                 "is there");
  checkAssembler("nvJitLink", Assembler::NvJitLink,
                 "without ptxas, too, the driver assembles PTX at each load");
  checkCache();
  return Error::success();
}

std::unique_ptr<Command> makeDoctorCommand() {
  return std::make_unique<DoctorCommand>();
}

} // namespace fuse::driver
