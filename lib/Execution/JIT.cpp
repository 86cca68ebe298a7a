//===- JIT.cpp - Text or file in, callable program out --------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Execution/JIT.h"
#include "LoadModule.h"
#include "Specializations.h"
#include "fuse/Compiler/CodeArchive.h"
#include "fuse/Compiler/Log.h"
#include "fuse/Compiler/Source.h"
#include "fuse/Explain/Passes.h"
#include "fuse/Runtime/CudaModule.h"
#include "llvm/Support/FormatVariadic.h"
#include <chrono>
#include <map>

using namespace llvm;
using namespace fuse::runtime;
using mlir::fuse::GPUTarget;

namespace fuse::jit {

namespace {
/// The program for one set of facts, loaded.
struct Variant {
  Code code;
  Program program;
};
} // namespace

/// Facts::key(), the layouts, what is copied, and the ranges of sizes.
using LongKey =
    std::tuple<unsigned, SmallVector<Layout, 0>, SmallVector<unsigned, 0>,
               SmallVector<std::string, 0>>;

/// Nothing where Facts::key() says it all.
static std::optional<LongKey> longKey(const Facts &facts) {
  if (facts.layouts.empty() && facts.sizes.empty())
    return std::nullopt;
  return LongKey{facts.key(), facts.layouts, facts.copied, facts.sizes};
}

struct CompiledProgram::State {
  Expected<const Variant &> variant(const Facts &facts);
  const Variant *find(const Facts &facts);
  void add(const Facts &facts, std::unique_ptr<Variant> variant);
  Expected<std::unique_ptr<Variant>> load(const Facts &facts);
  std::vector<Remark> copyRemarks();

  std::unique_ptr<Compilation> compilation;
  std::unique_ptr<Specializations> specializations;
  Device device;
  /// For dense inputs of usual sizes, by Facts::key(). Set once, under the
  /// mutex.
  std::array<std::atomic<Variant *>, Facts::numKeys> plainVariants{};
  /// The others, guarded by a lock of their own: calls do not wait for
  /// compilations that are not theirs.
  std::map<LongKey, Variant *> otherVariants;
  std::mutex othersMutex;
  std::mutex mutex;
  std::vector<std::unique_ptr<Variant>> owned;
};

Expected<std::unique_ptr<Variant>>
CompiledProgram::State::load(const Facts &facts) {
  auto start = std::chrono::steady_clock::now();
  Expected<Code> code = compilation->generate(facts);
  if (!code)
    return code.takeError();
  log([&]() -> std::string {
    std::chrono::duration<double, std::milli> took =
        std::chrono::steady_clock::now() - start;
    return formatv("compiled '{0}' for {1} ({2}): {3} kernels in {4:F0} ms",
                   code->plan.spec.name,
                   device.kind == Device::Kind::CPU
                       ? StringRef("cpu")
                       : StringRef(compilation->options().chip),
                   facts.str(), code->kernels.size(), took.count());
  });
  Expected<std::shared_ptr<runtime::Module>> module =
      loadModule(*code, compilation->options(), device);
  if (!module)
    return module.takeError();
  Expected<Program> program =
      Program::create(code->plan.spec, std::move(*module));
  if (!program)
    return program.takeError();
  return std::make_unique<Variant>(
      Variant{std::move(*code), std::move(*program)});
}

const Variant *CompiledProgram::State::find(const Facts &facts) {
  std::optional<LongKey> key = longKey(facts);
  if (!key)
    return plainVariants[facts.key()].load(std::memory_order_acquire);
  std::lock_guard<std::mutex> lock(othersMutex);
  auto it = otherVariants.find(*key);
  return it == otherVariants.end() ? nullptr : it->second;
}

void CompiledProgram::State::add(const Facts &facts,
                                 std::unique_ptr<Variant> variant) {
  owned.push_back(std::move(variant));
  Variant *added = owned.back().get();
  std::optional<LongKey> key = longKey(facts);
  if (!key) {
    plainVariants[facts.key()].store(added, std::memory_order_release);
    return;
  }
  std::lock_guard<std::mutex> lock(othersMutex);
  otherVariants[std::move(*key)] = added;
}

Expected<const Variant &> CompiledProgram::State::variant(const Facts &facts) {
  if (const Variant *found = find(facts))
    return *found;
  std::lock_guard<std::mutex> lock(mutex);
  if (const Variant *found = find(facts))
    return *found;
  Expected<std::unique_ptr<Variant>> made = load(facts);
  if (!made)
    return made.takeError();
  add(facts, std::move(*made));
  return *owned.back();
}

CompiledProgram::CompiledProgram(std::unique_ptr<State> state)
    : state(std::move(state)) {}
CompiledProgram::~CompiledProgram() = default;

/// The usual variant is there from compile() on, and all variants take the same
/// arguments.
static const Variant &usual(Expected<const Variant &> variant) {
  return cantFail(std::move(variant));
}

const ProgramSpec &CompiledProgram::spec() const {
  return usual(state->variant(Facts::usual())).code.plan.spec;
}

ArrayRef<double> CompiledProgram::stddev() const {
  return usual(state->variant(Facts::usual())).code.plan.stddev;
}

ArrayRef<std::optional<unsigned>> CompiledProgram::inPlace() const {
  return usual(state->variant(Facts::usual())).code.plan.inPlace;
}

Device CompiledProgram::device() const { return state->device; }

StringRef CompiledProgram::chip() const {
  return state->compilation->options().target == Target::CPU
             ? StringRef("cpu")
             : StringRef(state->compilation->options().chip);
}

unsigned CompiledProgram::numVariants() const {
  std::lock_guard<std::mutex> lock(state->mutex);
  return state->owned.size();
}

std::vector<Remark> CompiledProgram::State::copyRemarks() {
  std::vector<Remark> result = specializations->copyRemarks();
  std::lock_guard<std::mutex> lock(mutex);
  for (const std::unique_ptr<Variant> &variant : owned)
    for (const Remark &remark : variant->code.remarks)
      if (remark.category == mlir::fuse::kCopyCategory)
        result.push_back(remark);
  return result;
}

std::vector<Remark> CompiledProgram::remarks() const {
  std::vector<Remark> result =
      usual(state->variant(Facts::usual())).code.remarks;
  auto isKnown = [&](const Remark &remark) {
    return llvm::any_of(result, [&](const Remark &other) {
      return other.message == remark.message && other.reason == remark.reason;
    });
  };
  for (Remark &remark : state->copyRemarks())
    if (!isKnown(remark))
      result.push_back(std::move(remark));
  return result;
}

StringRef CompiledProgram::text() const {
  return state->specializations->text();
}

StringRef CompiledProgram::fileName() const {
  return state->specializations->fileName();
}

const CompileOptions &CompiledProgram::options() const {
  return state->compilation->options();
}

Expected<CompiledProgram &>
CompiledProgram::specialized(ArrayRef<TensorView> inputs) {
  Expected<CompiledProgram *> program =
      state->specializations->get(spec(), inputs);
  if (!program)
    return program.takeError();
  return *program ? **program : *this;
}

/// What is wrong with the inputs is said by others, and any length is served.
static CompiledProgram &specializedOr(CompiledProgram &program,
                                      ArrayRef<TensorView> inputs) {
  Expected<CompiledProgram &> fixed = program.specialized(inputs);
  if (fixed)
    return *fixed;
  consumeError(fixed.takeError());
  return program;
}

Expected<const Program &>
CompiledProgram::programFor(ArrayRef<TensorView> inputs,
                            ArrayRef<TensorView> outputs) {
  Expected<Facts> facts = factsOf(inputs, outputs);
  if (!facts)
    return facts.takeError();
  Expected<const Variant &> variant = state->variant(*facts);
  if (!variant)
    return variant.takeError();
  return variant->program;
}

Expected<Facts> CompiledProgram::factsOf(ArrayRef<TensorView> inputs,
                                         ArrayRef<TensorView> outputs) {
  Expected<Facts> facts = computeFacts(spec(), inputs, outputs);
  // Each round takes a fact away, or is the last.
  while (facts) {
    Expected<const Variant &> variant = state->variant(*facts);
    if (!variant)
      return variant.takeError();
    Facts narrowed = *facts;
    if (Error error = narrowByTemporaries(variant->code.plan.spec, inputs,
                                          outputs, narrowed))
      return std::move(error);
    if (narrowed == *facts)
      break;
    facts = std::move(narrowed);
  }
  return facts;
}

Error CompiledProgram::run(ArrayRef<TensorView> inputs,
                           ArrayRef<TensorView> outputs, Stream stream) {
  Expected<const Program &> program =
      specializedOr(*this, inputs).programFor(inputs, outputs);
  if (!program)
    return program.takeError();
  return program->run(inputs, outputs, stream);
}

Expected<SmallVector<KernelTiming>>
CompiledProgram::runTimed(ArrayRef<TensorView> inputs,
                          ArrayRef<TensorView> outputs, Stream stream) {
  Expected<const Program &> program =
      specializedOr(*this, inputs).programFor(inputs, outputs);
  if (!program)
    return program.takeError();
  return program->runTimed(inputs, outputs, stream);
}

Expected<SmallVector<Shape>>
CompiledProgram::inferOutputShapes(ArrayRef<TensorView> inputs) const {
  return usual(state->variant(Facts::usual()))
      .program.inferOutputShapes(inputs);
}

PreparedCall::PreparedCall(CompiledProgram &program,
                           ArrayRef<TensorView> inputs,
                           ArrayRef<TensorView> outputs)
    : program(program), arguments(inputs), results(outputs) {}
PreparedCall::~PreparedCall() = default;

/// Whether no output is where an input is.
bool PreparedCall::isSeparate(ArrayRef<void *> addresses) const {
  ArrayRef<void *> inputs = addresses.take_front(arguments.size());
  return none_of(addresses.drop_front(arguments.size()), [&](void *output) {
    return output && is_contained(inputs, output);
  });
}

/// By addresses of which the lowest four bits decide.
Expected<const runtime::PreparedCall &>
PreparedCall::variant(ArrayRef<void *> addresses) {
  uintptr_t bits = 0;
  for (void *address : addresses)
    bits |= reinterpret_cast<uintptr_t>(address);
  bool isApart = isSeparate(addresses);
  if (bits % 16 == 0)
    return variant(addresses, aligned[isApart]);
  std::vector<bool> key = {isApart};
  for (void *address : addresses)
    key.push_back(reinterpret_cast<uintptr_t>(address) % 16 != 0);
  std::unique_lock<std::mutex> lock(mutex);
  Slot &slot = unaligned[key];
  lock.unlock();
  return variant(addresses, slot);
}

Expected<const runtime::PreparedCall &>
PreparedCall::variant(ArrayRef<void *> addresses, Slot &slot) {
  if (const runtime::PreparedCall *found = slot.load(std::memory_order_acquire))
    return *found;
  std::lock_guard<std::mutex> lock(mutex);
  if (const runtime::PreparedCall *found = slot.load())
    return *found;
  for (auto [view, address] :
       zip_equal(concat<TensorView>(arguments, results), addresses))
    view.data = address;
  Expected<const Program &> chosen = program.programFor(arguments, results);
  if (!chosen)
    return chosen.takeError();
  auto call = chosen->prepare(arguments, results);
  if (!call)
    return call.takeError();
  owned.push_back(std::make_unique<runtime::PreparedCall>(std::move(*call)));
  slot.store(owned.back().get(), std::memory_order_release);
  return *owned.back();
}

Error PreparedCall::run(ArrayRef<void *> addresses, Stream stream) {
  Expected<const runtime::PreparedCall &> call = variant(addresses);
  if (!call)
    return call.takeError();
  return call->run(addresses, stream);
}

/// One for each tensor: where it is, or if some have no address, stand-ins.
static SmallVector<void *, 8>
addressesOf(ArrayRef<TensorView> inputs, ArrayRef<TensorView> outputs,
            ArrayRef<std::optional<unsigned>> inPlace) {
  SmallVector<void *, 8> addresses;
  for (const TensorView &view : concat<const TensorView>(inputs, outputs))
    addresses.push_back(view.data);
  if (!is_contained(addresses, nullptr))
    return addresses;
  for (auto [number, address] : enumerate(addresses))
    address = reinterpret_cast<void *>((number + 1) * 256);
  // Their numbers are checked later.
  for (auto [number, input] : enumerate(inPlace.take_front(outputs.size())))
    if (input && *input < inputs.size())
      addresses[inputs.size() + number] = addresses[*input];
  return addresses;
}

Expected<std::unique_ptr<PreparedCall>>
CompiledProgram::prepare(ArrayRef<TensorView> inputs,
                         std::optional<ArrayRef<TensorView>> outputs) {
  SmallVector<TensorView, 4> results(outputs.value_or(ArrayRef<TensorView>()));
  if (!outputs) {
    Expected<SmallVector<Shape>> shapes = inferOutputShapes(inputs);
    if (!shapes)
      return shapes.takeError();
    for (auto [output, shape, input] :
         zip_equal(spec().outputs, *shapes, inPlace()))
      results.push_back({nullptr, output.dtype, shape,
                         input ? inputs[*input].strides : Shape(), device()});
  }
  std::unique_ptr<PreparedCall> call(
      new PreparedCall(specializedOr(*this, inputs), inputs, results));
  Expected<const runtime::PreparedCall &> first =
      call->variant(addressesOf(inputs, results, inPlace()));
  if (!first)
    return first.takeError();
  return std::move(call);
}

Expected<const Code &> CompiledProgram::code(const Facts &facts) {
  Expected<const Variant &> variant = state->variant(facts);
  if (!variant)
    return variant.takeError();
  return variant->code;
}

Expected<std::vector<TuningKey>>
CompiledProgram::tuningKeys(const Facts &facts) {
  return state->compilation->tuningKeys(facts);
}

Expected<std::string> CompiledProgram::print(Stage stage, const Facts &facts) {
  return state->compilation->print(stage, facts);
}

Expected<std::string> chipOf(const CudaDeviceInfo &device) {
  int best = 0;
  for (const GPUTarget &target : mlir::fuse::getGPUTargets()) {
    int sm;
    bool isPlain = !target.chip.drop_front(3).getAsInteger(10, sm);
    if (isPlain && sm / 10 == device.sm / 10 && sm <= device.sm)
      best = std::max(best, sm);
  }
  if (best) {
    std::string chip = formatv("sm_{0}", best);
    // Only the very chip runs code for its variant, which has wgmma.
    auto variant = mlir::fuse::lookupGPUTarget(chip + "a");
    bool has = variant && variant->hasWgmma && best == device.sm;
    consumeError(variant.takeError());
    mlir::fuse::DeviceNumbers numbers;
    numbers.name = device.name;
    numbers.multiprocessors = device.multiprocessors;
    numbers.l2Bytes = device.l2Bytes;
    numbers.memoryBytesPerSecond = device.memoryBytesPerSecond;
    numbers.clockHertz = device.clockHertz;
    return mlir::fuse::chipOfDevice(has ? chip + "a" : chip, numbers);
  }
  return createStringError(
      inconvertibleErrorCode(),
      formatv(
          "expected a GPU of compute capability 8.0 or newer, but got {0}.{1} "
          "({2}); use the target cpu",
          device.sm / 10, device.sm % 10, device.name));
}

/// Checks that the device is usable, and fills in its chip.
static Error resolveCuda(CompileOptions &options) {
  Expected<CudaDevice &> device = CudaDevice::get(options.device);
  if (!device)
    return device.takeError();
  Expected<std::string> chip = chipOf(device->info());
  if (!chip)
    return chip.takeError();
  options.target = Target::CUDA;
  if (options.chip.empty())
    options.chip = std::move(*chip);
  return Error::success();
}

/// Replaces Target::Auto and an empty chip by what is there.
static Error resolveTarget(CompileOptions &options) {
  if (options.target == Target::Emulator && options.chip.empty())
    options.chip = "sm_90";
  if (options.target == Target::CPU || options.target == Target::Emulator)
    return Error::success();
  Error error = resolveCuda(options);
  if (!error || options.target == Target::CUDA)
    return error;
  consumeError(std::move(error));
  options.target = Target::CPU;
  return Error::success();
}

Expected<std::unique_ptr<CompiledProgram>>
compile(StringRef text, StringRef fileName, const CompileOptions &options) {
  CompileOptions resolved = options;
  if (Error error = resolveTarget(resolved))
    return std::move(error);
  if (!resolved.archive)
    resolved.archive = std::make_shared<CodeArchive>();
  Expected<std::unique_ptr<Compilation>> compilation =
      Compilation::create(text, fileName, resolved);
  if (!compilation)
    return compilation.takeError();
  auto state = std::make_unique<CompiledProgram::State>();
  state->compilation = std::move(*compilation);
  state->specializations =
      std::make_unique<Specializations>(text, fileName, resolved);
  state->device = resolved.target == Target::CUDA
                      ? Device::cuda(resolved.device)
                      : Device::cpu();
  Expected<const Variant &> first = state->variant(Facts::usual());
  if (!first)
    return first.takeError();
  return std::unique_ptr<CompiledProgram>(
      new CompiledProgram(std::move(state)));
}

Expected<std::unique_ptr<CompiledProgram>>
compileFile(StringRef path, const CompileOptions &options) {
  Expected<std::unique_ptr<MemoryBuffer>> source = readSource(path);
  if (!source)
    return source.takeError();
  return compile((*source)->getBuffer(), path, options);
}

} // namespace fuse::jit
