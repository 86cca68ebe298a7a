//===- Program.cpp - A plan and its code, ready to run --------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Runtime/Program.h"
#include "ArenaPool.h"
#include "LaunchOperands.h"
#include "LaunchPlan.h"
#include "ProfilerRange.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>
#include <limits>

using namespace llvm;
using namespace fuse::runtime;

namespace {
struct LoadedKernel {
  KernelHandle handle = nullptr;
  /// The largest grid.
  int64_t mostBlocks = std::numeric_limits<int64_t>::max();
  /// Null for kernels that take none.
  std::shared_ptr<TensorMapCache> maps = nullptr;
};
} // namespace

struct Program::State : std::enable_shared_from_this<Program::State> {
  State(ProgramSpec spec, std::shared_ptr<Module> module)
      : spec(std::move(spec)), module(std::move(module)), plans(this->spec),
        arenas(*this->module) {
    for (const TensorSpec &input : this->spec.inputs)
      elementBytes.push_back(sizeInBytes(input.dtype));
  }

  Error lookupKernels();
  Error uploadConstants();
  Expected<std::unique_ptr<PreparedCall::State>>
  prepare(ArrayRef<TensorView> inputs, ArrayRef<TensorView> outputs);
  Error execute(const PreparedCall::State &call, ArrayRef<void *> addresses,
                Stream stream, SmallVectorImpl<KernelTiming> *timings);

  const ProgramSpec spec;
  const std::shared_ptr<Module> module;
  /// One for each step; null for copies.
  std::vector<LoadedKernel> kernels;
  /// One for each step: "softmax norm.mlir:4:8", "copy".
  std::vector<std::string> ranges;
  /// One for each input.
  std::vector<int64_t> elementBytes;
  std::vector<std::unique_ptr<Buffer>> constants;
  LaunchPlanCache plans;
  ArenaPool arenas;
};

struct PreparedCall::State {
  Program::State &program;
  CallLayout layout;
  std::shared_ptr<const LaunchPlan> plan;
  /// One for each step, if the module checks accesses.
  std::vector<SmallVector<LaunchOperand>> operands = {};
};

namespace {
/// The buffers of one call.
struct Buffers {
  ArrayRef<void *> inputs;
  ArrayRef<void *> outputs;
  ArrayRef<std::unique_ptr<Buffer>> constants;
  ArrayRef<int64_t> tempOffsets;
  char *arena;
  int32_t *counters;
  /// Of an element of each input.
  ArrayRef<int64_t> scalarBytes;

  void *resolve(BufferRef ref) const {
    switch (ref.kind) {
    case BufferRef::Kind::Input:
      return inputs[ref.index];
    case BufferRef::Kind::Output:
      return outputs[ref.index];
    case BufferRef::Kind::Temp:
      // Without bytes there is no arena to point into.
      return arena ? arena + tempOffsets[ref.index] : nullptr;
    case BufferRef::Kind::Constant:
      return constants[ref.index]->data();
    case BufferRef::Kind::Counter:
      return counters + ref.index;
    case BufferRef::Kind::Scalar:
      break;
    }
    llvm_unreachable("a scalar has no address");
  }
};

/// A kernel's argument as the kernel reads it, but for tensor maps.
union ParamValue {
  void *pointer;
  int64_t scalar;
};
} // namespace

/// The bits of a number of so many bytes. Little endian, as GPUs and their
/// hosts are.
static int64_t readBits(const void *number, int64_t bytes) {
  int64_t bits = 0;
  std::memcpy(&bits, number, bytes);
  return bits;
}

/// The kernel's tensor maps, in order.
static Expected<std::vector<TensorMap>>
encodeMaps(Module &module, const KernelSpec &spec, const LoadedKernel &kernel,
           const StepPlan &plan, const Buffers &buffers) {
  std::vector<TensorMap> maps;
  for (const KernelArg &arg : spec.args) {
    const auto *map = std::get_if<TensorMapSpec>(&arg);
    if (!map)
      continue;
    size_t index = maps.size();
    Expected<TensorMap> encoded =
        kernel.maps->get(index, buffers.resolve(map->buffer), plan.maps[index],
                         [&](void *data, const TensorMapShape &shape) {
                           return module.encode(data, shape);
                         });
    if (!encoded)
      return encoded.takeError();
    maps.push_back(*encoded);
  }
  return std::move(maps);
}

static Error launchKernel(Module &module, const KernelSpec &spec,
                          const LoadedKernel &kernel, const StepPlan &plan,
                          const Buffers &buffers,
                          ArrayRef<LaunchOperand> operands, Stream stream) {
  SmallVector<ParamValue, 16> values(spec.args.size());
  SmallVector<void *, 16> params(spec.args.size());
  auto maps = encodeMaps(module, spec, kernel, plan, buffers);
  if (!maps)
    return maps.takeError();
  size_t nextScalar = 0, nextMap = 0;
  for (auto [index, arg] : enumerate(spec.args)) {
    params[index] = &values[index];
    const auto *ref = std::get_if<BufferRef>(&arg);
    if (ref && ref->kind == BufferRef::Kind::Scalar)
      values[index].scalar =
          readBits(buffers.inputs[ref->index], buffers.scalarBytes[ref->index]);
    else if (ref)
      values[index].pointer = buffers.resolve(*ref);
    else if (std::holds_alternative<SizeExpr>(arg))
      values[index].scalar = plan.scalars[nextScalar++];
    else
      params[index] = &(*maps)[nextMap++];
  }
  Launch launch;
  launch.name = spec.name;
  launch.kernel = kernel.handle;
  launch.grid = std::min(plan.grid, kernel.mostBlocks);
  launch.threads = spec.threads;
  launch.sharedBytes = spec.sharedBytes;
  launch.cluster = spec.cluster;
  launch.cooperative = spec.cooperative;
  launch.waits = spec.waits;
  launch.traffic = SaturatingAdd<uint64_t>(plan.bytesRead, plan.bytesWritten) >
                           uint64_t(INT64_MAX)
                       ? INT64_MAX
                       : plan.bytesRead + plan.bytesWritten;
  launch.params = params.data();
  launch.numParams = params.size();
  launch.operands = operands;
  return module.launch(launch, stream);
}

/// Runs one step through `enqueue`, which may time it; skips it if it has
/// nothing to do.
static Error
runStep(Module &module, const StepSpec &step, const LoadedKernel &kernel,
        const StepPlan &plan, const Buffers &buffers,
        ArrayRef<LaunchOperand> operands, Stream stream,
        function_ref<Error(StringRef name, function_ref<Error()>)> enqueue) {
  if (const auto *spec = std::get_if<KernelSpec>(&step)) {
    if (plan.grid == 0)
      return Error::success();
    return enqueue(spec->name, [&] {
      return launchKernel(module, *spec, kernel, plan, buffers, operands,
                          stream);
    });
  }
  const auto &copy = std::get<CopySpec>(step);
  void *from = buffers.resolve(copy.from), *to = buffers.resolve(copy.to);
  if (from == to || plan.bytesRead == 0)
    return Error::success();
  return enqueue("copy",
                 [&] { return module.copy(to, from, plan.bytesRead, stream); });
}

Expected<std::unique_ptr<PreparedCall::State>>
Program::State::prepare(ArrayRef<TensorView> inputs,
                        ArrayRef<TensorView> outputs) {
  Expected<SymbolValues> symbols = bindSymbols(spec, inputs, outputs);
  if (!symbols)
    return symbols.takeError();
  if (Error error = checkOutputs(spec, outputs, *symbols))
    return std::move(error);
  Expected<CallLayout> layout =
      checkLayouts(spec, inputs, outputs, module->device());
  if (!layout)
    return layout.takeError();
  Expected<std::shared_ptr<const LaunchPlan>> plan = plans.get(*symbols);
  if (!plan)
    return plan.takeError();
  auto call = std::make_unique<PreparedCall::State>(
      PreparedCall::State{*this, std::move(*layout), std::move(*plan)});
  if (!module->checksAccesses())
    return std::move(call);
  for (const StepSpec &step : spec.steps) {
    call->operands.emplace_back();
    const auto *kernel = std::get_if<KernelSpec>(&step);
    if (!kernel)
      continue;
    auto described = describeOperands(spec, *kernel, inputs, outputs, *symbols);
    if (!described)
      return described.takeError();
    call->operands.back() = std::move(*described);
  }
  return std::move(call);
}

Error Program::State::execute(const PreparedCall::State &call,
                              ArrayRef<void *> addresses, Stream stream,
                              SmallVectorImpl<KernelTiming> *timings) {
  if (Error error = checkAddresses(spec, call.layout, addresses))
    return error;
  if (Error error = module->keepForCapture(shared_from_this(), stream))
    return error;
  const LaunchPlan &launchPlan = *call.plan;
  Expected<ArenaPool::Lease> arena =
      arenas.acquire(launchPlan.arena.bytes, spec.numCounters, stream);
  if (!arena)
    return arena.takeError();

  Buffers buffers{addresses.take_front(spec.inputs.size()),
                  addresses.drop_front(spec.inputs.size()),
                  constants,
                  launchPlan.arena.offsets,
                  arena->data(),
                  arena->counters(),
                  elementBytes};
  for (auto [index, step, kernel, stepPlan] :
       enumerate(spec.steps, kernels, launchPlan.steps)) {
    auto enqueue = [&, &step = step, &stepPlan = stepPlan](
                       StringRef name, function_ref<Error()> work) -> Error {
      if (!timings)
        return work();
      Expected<double> seconds = module->time(stream, work);
      if (!seconds)
        return seconds.takeError();
      const auto *spec = std::get_if<KernelSpec>(&step);
      timings->push_back({name.str(), *seconds, stepPlan.bytesRead,
                          stepPlan.bytesWritten, stepPlan.grid,
                          spec && spec->bytesAtMost});
      return Error::success();
    };
    ProfilerRange range(ranges[index]);
    ArrayRef<LaunchOperand> operands;
    if (!call.operands.empty())
      operands = call.operands[index];
    if (Error error = runStep(*module, step, kernel, stepPlan, buffers,
                              operands, stream, enqueue))
      return error;
  }
  return Error::success();
}

Error Program::State::lookupKernels() {
  for (const StepSpec &step : spec.steps) {
    const auto *kernel = std::get_if<KernelSpec>(&step);
    if (!kernel) {
      kernels.emplace_back();
      ranges.push_back("copy");
      continue;
    }
    Expected<KernelHandle> handle =
        module->lookup(kernel->symbol, kernel->sharedBytes, kernel->cluster);
    if (!handle)
      return handle.takeError();
    ranges.push_back(kernel->name + " " + kernel->source);
    kernels.push_back({*handle});
    if (size_t maps = count_if(kernel->args, [](const KernelArg &arg) {
          return std::holds_alternative<TensorMapSpec>(arg);
        }))
      kernels.back().maps = std::make_shared<TensorMapCache>(maps);
    if (!kernel->cooperative)
      continue;
    Expected<int64_t> most = module->mostConcurrentBlocks(
        *handle, kernel->threads, kernel->sharedBytes);
    if (!most)
      return most.takeError();
    kernels.back().mostBlocks = *most;
  }
  return Error::success();
}

Error Program::State::uploadConstants() {
  for (const ConstantSpec &constant : spec.constants) {
    int64_t bytes = constant.bytes.size();
    Expected<std::unique_ptr<Buffer>> buffer = module->allocate(bytes);
    if (!buffer)
      return buffer.takeError();
    if (bytes > 0)
      if (Error error =
              module->upload((*buffer)->data(), constant.bytes.data(), bytes))
        return error;
    constants.push_back(std::move(*buffer));
  }
  return Error::success();
}

Program::Program(std::shared_ptr<State> state) : state(std::move(state)) {}
Program::Program(Program &&) = default;
Program &Program::operator=(Program &&) = default;
Program::~Program() = default;

Expected<Program> Program::create(ProgramSpec spec,
                                  std::shared_ptr<Module> module) {
  if (Error error = spec.verify())
    return std::move(error);
  auto state = std::make_shared<State>(std::move(spec), std::move(module));
  if (Error error = state->lookupKernels())
    return std::move(error);
  if (Error error = state->uploadConstants())
    return std::move(error);
  return Program(std::move(state));
}

const ProgramSpec &Program::spec() const { return state->spec; }

Device Program::device() const { return state->module->device(); }

PreparedCall::PreparedCall(std::unique_ptr<State> state)
    : state(std::move(state)) {}
PreparedCall::PreparedCall(PreparedCall &&) = default;
PreparedCall &PreparedCall::operator=(PreparedCall &&) = default;
PreparedCall::~PreparedCall() = default;

Error PreparedCall::run(ArrayRef<void *> addresses, Stream stream) const {
  return state->program.execute(*state, addresses, stream, /*timings=*/nullptr);
}

Expected<PreparedCall> Program::prepare(ArrayRef<TensorView> inputs,
                                        ArrayRef<TensorView> outputs) const {
  auto call = state->prepare(inputs, outputs);
  if (!call)
    return call.takeError();
  return PreparedCall(std::move(*call));
}

static SmallVector<void *, 8> addressesOf(ArrayRef<TensorView> inputs,
                                          ArrayRef<TensorView> outputs) {
  SmallVector<void *, 8> addresses;
  for (const TensorView &view : concat<const TensorView>(inputs, outputs))
    addresses.push_back(view.data);
  return addresses;
}

Error Program::run(ArrayRef<TensorView> inputs, ArrayRef<TensorView> outputs,
                   Stream stream) const {
  auto call = state->prepare(inputs, outputs);
  if (!call)
    return call.takeError();
  return state->execute(**call, addressesOf(inputs, outputs), stream,
                        /*timings=*/nullptr);
}

Expected<SmallVector<KernelTiming>>
Program::runTimed(ArrayRef<TensorView> inputs, ArrayRef<TensorView> outputs,
                  Stream stream) const {
  auto call = state->prepare(inputs, outputs);
  if (!call)
    return call.takeError();
  SmallVector<KernelTiming> timings;
  if (Error error = state->execute(**call, addressesOf(inputs, outputs), stream,
                                   &timings))
    return std::move(error);
  return timings;
}

Expected<SymbolValues> Program::bind(ArrayRef<TensorView> inputs) const {
  return bindSymbols(state->spec, inputs);
}

Expected<SmallVector<Shape>>
Program::inferOutputShapes(ArrayRef<TensorView> inputs) const {
  Expected<SymbolValues> symbols = bind(inputs);
  if (!symbols)
    return symbols.takeError();
  SmallVector<Shape> shapes;
  for (const OutputSpec &output : state->spec.outputs) {
    Expected<Shape> shape = evaluateShape(state->spec, output, *symbols);
    if (!shape)
      return shape.takeError();
    shapes.push_back(std::move(*shape));
  }
  return shapes;
}

Expected<int64_t> Program::arenaBytes(ArrayRef<int64_t> symbols) const {
  Expected<std::shared_ptr<const LaunchPlan>> plan = state->plans.get(symbols);
  if (!plan)
    return plan.takeError();
  return (*plan)->arena.bytes;
}
