//===- CodeCache.cpp - Compiled code, from disk where it is ---------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeCache.h"
#include "SerializeCode.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using mlir::fuse::AssembledModule;
using mlir::fuse::Assembler;
using mlir::fuse::GPUTarget;
using mlir::fuse::KernelResources;

namespace fuse::jit {

std::optional<std::string> CodeArchive::find(StringRef key) const {
  std::lock_guard<std::mutex> lock(mutex);
  auto it = entries.find(key.str());
  return it == entries.end() ? std::nullopt : std::optional(it->second);
}

void CodeArchive::add(StringRef key, StringRef bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  entries.try_emplace(key.str(), bytes);
}

void CodeArchive::forEach(
    function_ref<void(StringRef key, StringRef bytes)> visit) const {
  std::lock_guard<std::mutex> lock(mutex);
  for (const auto &[key, bytes] : entries)
    visit(key, bytes);
}

CodeCache::CodeCache(const CompileOptions &options) : options(options) {
  if (!options.cache)
    return;
  auto opened = runtime::DiskCache::open(options.cacheDirectory);
  if (opened)
    disk = std::move(*opened);
  else
    consumeError(opened.takeError());
}

/// Tells apart assemblers without running them: ptxas by its file, which a new
/// version replaces.
static std::string assemblerVersion() {
  std::optional<std::string> path = mlir::fuse::findPtxas();
  sys::fs::file_status status;
  if (!path)
    return "any";
  // Which is an error if it is needed.
  if (sys::fs::status(*path, status))
    return *path;
  return formatv("{0} {1} {2}", *path, status.getSize(),
                 status.getLastModificationTime().time_since_epoch().count());
}

/// What is an error is one again the next time.
static bool isWhole(const AssembledModule &module) {
  return !module.cubin.empty() && module.serialized.empty();
}

/// A cache entry is the length of a JSON header, the header and the cubin.
static std::string serialize(const AssembledModule &module) {
  json::Array kernels;
  for (const KernelResources &kernel : module.kernels)
    kernels.push_back(json::Array{kernel.name, kernel.registers,
                                  kernel.spillStoreBytes, kernel.spillLoadBytes,
                                  kernel.stackBytes, kernel.sharedBytes,
                                  kernel.leastBlocks, kernel.losesBound});
  std::string header = formatv(
      "{0}", json::Value(json::Object{{"assembler", int(module.assembler)},
                                      {"name", module.assemblerName},
                                      {"kernels", std::move(kernels)}}));
  char length[8];
  support::endian::write64le(length, header.size());
  return std::string(length, sizeof(length)) + header +
         std::string(module.cubin.begin(), module.cubin.end());
}

static std::optional<KernelResources> parseResources(const json::Value &value) {
  const json::Array *fields = value.getAsArray();
  if (!fields || fields->size() != 8)
    return std::nullopt;
  auto number = [&](unsigned i) {
    return unsigned((*fields)[i].getAsInteger().value_or(0));
  };
  KernelResources kernel;
  kernel.name = (*fields)[0].getAsString().value_or("").str();
  kernel.registers = number(1);
  kernel.spillStoreBytes = number(2);
  kernel.spillLoadBytes = number(3);
  kernel.stackBytes = number(4);
  kernel.sharedBytes = number(5);
  kernel.leastBlocks = number(6);
  kernel.losesBound = (*fields)[7].getAsBoolean().value_or(false);
  return kernel;
}

/// Nullopt if the entry was written by another version.
static std::optional<AssembledModule> deserialize(StringRef bytes) {
  if (bytes.size() < 8)
    return std::nullopt;
  uint64_t length = support::endian::read64le(bytes.data());
  bytes = bytes.drop_front(8);
  if (length > bytes.size())
    return std::nullopt;
  Expected<json::Value> header = json::parse(bytes.take_front(length));
  if (!header) {
    consumeError(header.takeError());
    return std::nullopt;
  }
  const json::Object *object = header->getAsObject();
  const json::Array *kernels = object ? object->getArray("kernels") : nullptr;
  if (!kernels)
    return std::nullopt;
  AssembledModule module;
  module.assembler = Assembler(object->getInteger("assembler").value_or(0));
  module.assemblerName = object->getString("name").value_or("").str();
  for (const json::Value &value : *kernels) {
    std::optional<KernelResources> kernel = parseResources(value);
    if (!kernel)
      return std::nullopt;
    module.kernels.push_back(std::move(*kernel));
  }
  bytes = bytes.drop_front(length);
  module.cubin.assign(bytes.begin(), bytes.end());
  return module;
}

/// What a file has; "" where there is none.
static std::string contentOf(StringRef path) {
  auto buffer = MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

std::optional<runtime::DiskCache::Key>
CodeCache::keyOf(StringRef text, StringRef fileName, StringRef tuning,
                 const runtime::Facts &facts) const {
  std::optional<std::string> build = buildId();
  if (!build || (!disk && !options.archive))
    return std::nullopt;
  std::string decisions =
      formatv("{0} {1} {2} {3} {4} {5} {6}", options.entry, int(options.target),
              options.strict, options.lineInfo, options.launchOverlap,
              options.candidate, join(options.sizes, ","));
  std::string about = formatv("{0} {1}", facts.key(), facts.str());
  return runtime::DiskCache::Key(options.chip, *build,
                                 {"code", text, fileName, decisions, about,
                                  contentOf(tuning),
                                  // A board's file may be the chip.
                                  contentOf(options.chip), assemblerVersion(),
                                  mlir::fuse::getHostFingerprint()});
}

std::optional<Code> CodeCache::find(const runtime::DiskCache::Key &key) const {
  std::optional<std::string> bytes;
  if (options.archive)
    bytes = options.archive->find(key.str());
  if (!bytes && disk)
    bytes = disk->load(key);
  if (!bytes)
    return std::nullopt;
  if (options.archive)
    options.archive->add(key.str(), *bytes);
  return deserializeCode(*bytes);
}

void CodeCache::add(const runtime::DiskCache::Key &key,
                    const Code &code) const {
  std::string bytes = serializeCode(code);
  if (options.archive)
    options.archive->add(key.str(), bytes);
  if (disk)
    consumeError(disk->store(key, bytes));
}

Expected<AssembledModule> CodeCache::load(StringRef ptx,
                                          const GPUTarget &target) {
  mlir::fuse::AssembleOptions assembleOptions;
  assembleOptions.lineInfo = options.lineInfo;
  if (!disk)
    return mlir::fuse::assemblePTX(ptx, target, assembleOptions);
  runtime::DiskCache::Key key(target.chip, assemblerVersion(),
                              {"cubin", ptx, options.lineInfo ? "lines" : ""});
  if (std::optional<std::string> bytes = disk->load(key))
    if (std::optional<AssembledModule> module = deserialize(*bytes))
      return std::move(*module);
  Expected<AssembledModule> module =
      mlir::fuse::assemblePTX(ptx, target, assembleOptions);
  if (module && isWhole(*module))
    consumeError(disk->store(key, serialize(*module)));
  return module;
}

Expected<AssembledModule> CodeCache::assemble(StringRef ptx,
                                              const GPUTarget &target) {
  CodeArchive *archive = options.archive.get();
  if (!archive)
    return load(ptx, target);
  // What one assembler has made does for another one.
  runtime::DiskCache::Key key(target.chip, "any assembler",
                              {"cubin", ptx, options.lineInfo ? "lines" : ""});
  if (std::optional<std::string> bytes = archive->find(key.str()))
    if (std::optional<AssembledModule> module = deserialize(*bytes))
      return std::move(*module);
  Expected<AssembledModule> module = load(ptx, target);
  if (module && isWhole(*module))
    archive->add(key.str(), serialize(*module));
  return module;
}

Expected<SmallVector<char, 0>>
CodeCache::compileForHost(mlir::gpu::GPUModuleOp module,
                          const mlir::fuse::HostOptions &hostOptions) {
  CodeArchive *archive = options.archive.get();
  if ((!disk && !archive) || hostOptions.observer)
    return mlir::fuse::compileHostObject(module, hostOptions);
  std::string text;
  raw_string_ostream(text) << *module;
  runtime::DiskCache::Key key(mlir::fuse::getHostFingerprint(),
                              LLVM_VERSION_STRING, {"object", text});
  std::optional<std::string> bytes;
  if (archive)
    bytes = archive->find(key.str());
  if (!bytes && disk)
    bytes = disk->load(key);
  if (!bytes) {
    Expected<SmallVector<char, 0>> object =
        mlir::fuse::compileHostObject(module, hostOptions);
    if (!object)
      return object.takeError();
    bytes.emplace(object->data(), object->size());
    if (disk)
      consumeError(disk->store(key, *bytes));
  }
  if (archive)
    archive->add(key.str(), *bytes);
  return SmallVector<char, 0>(bytes->begin(), bytes->end());
}

} // namespace fuse::jit
