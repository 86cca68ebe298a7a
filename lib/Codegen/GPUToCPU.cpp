//===- GPUToCPU.cpp - Lower the kernels of a gpu.module to the host -------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In three steps, each on IR that verifies:
//   1. gpu.func @k(args)        -> func.func @k__block(args, i64 block), in
//                                  which no gpu op is left;
//   2. func.func @k__block      -> llvm.func internal, always_inline;
//   3. an llvm.func @k that unpacks the arguments and loops over the blocks.
//
// A kernel that needs more memory than the stack should give names it by an
// external global of its size. Blocks that follow each other on a thread get
// the same memory: it becomes an argument of k__block, which @k asks the
// function of kScratchFunction for.
//
//===----------------------------------------------------------------------===//

#include "HostScratch.h"
#include "LowerBody.h"
#include "fuse/Codegen/Passes.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/GPUCommon/GPUCommonPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEGPUTOCPU
#include "fuse/Codegen/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

/// A cache line, and the widest vector register.
static constexpr int64_t stackAlignment = 64;

/// Ids and sizes as one thread sees them; null if `op` has no such value.
static Value createSingleThreadValue(OpBuilder &builder, Operation *op,
                                     Value block) {
  Location loc = op->getLoc();
  if (auto blockId = dyn_cast<gpu::BlockIdOp>(op)) {
    if (blockId.getDimension() == gpu::Dimension::x)
      return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                        block);
    return nullptr;
  }
  if (isa<gpu::ThreadIdOp, gpu::LaneIdOp, gpu::SubgroupIdOp>(op))
    return arith::ConstantIndexOp::create(builder, loc, 0);
  if (isa<gpu::BlockDimOp, gpu::NumSubgroupsOp>(op))
    return arith::ConstantIndexOp::create(builder, loc, 1);
  return nullptr;
}

/// Rewrites one gpu op of a kernel's body.
static LogicalResult lowerForSingleThread(Operation *op, Value block) {
  OpBuilder builder(op);
  if (auto ret = dyn_cast<gpu::ReturnOp>(op))
    func::ReturnOp::create(builder, ret.getLoc());
  else if (Value value = createSingleThreadValue(builder, op, block))
    op->getResult(0).replaceAllUsesWith(value);
  else if (!isa<gpu::BarrierOp>(op))
    return op->emitOpError("expected an op that a block of one thread on a "
                           "one-dimensional grid can run, but got one that "
                           "it cannot; choose a CPU schedule for this kernel");
  op->erase();
  return success();
}

/// Turns attributed memory into buffers on the stack.
static void lowerAttributions(gpu::GPUFuncOp kernel, func::FuncOp func) {
  OpBuilder builder = OpBuilder::atBlockBegin(&func.front());
  unsigned numArgs = kernel.getNumArguments();
  Block &entry = func.front();
  while (entry.getNumArguments() > numArgs) {
    BlockArgument memory = entry.getArgument(numArgs);
    Value buffer = memref::AllocaOp::create(
        builder, memory.getLoc(), cast<MemRefType>(memory.getType()),
        builder.getI64IntegerAttr(stackAlignment));
    memory.replaceAllUsesWith(buffer);
    entry.eraseArgument(numArgs);
  }
}

/// Memory that `func` names by an external global, which it then gets as its
/// last argument; null if it needs none.
static LLVM::GlobalOp takeScratch(func::FuncOp func) {
  auto module = func->getParentOfType<gpu::GPUModuleOp>();
  LLVM::GlobalOp scratch;
  Value argument;
  func.walk([&](LLVM::AddressOfOp address) {
    auto global =
        module.lookupSymbol<LLVM::GlobalOp>(address.getGlobalNameAttr());
    if (!global || global.getLinkage() != LLVM::Linkage::External)
      return;
    if (!scratch) {
      scratch = global;
      // It fails for an index out of bounds only.
      (void)func.insertArgument(func.getNumArguments(), address.getType(), {},
                                func.getLoc());
      argument = func.getArguments().back();
      func.setArgAttr(func.getNumArguments() - 1,
                      LLVM::LLVMDialect::getNoAliasAttrName(),
                      UnitAttr::get(func.getContext()));
    }
    address.replaceAllUsesWith(argument);
    address.erase();
  });
  return scratch;
}

namespace {
/// What a kernel has become in step 1.
struct BlockFunction {
  func::FuncOp function;
  /// Null if it needs no memory but the stack.
  LLVM::GlobalOp scratch;
};
} // namespace

/// The size of the memory, whose global is erased; 0 if there is none.
static int64_t takeBytes(LLVM::GlobalOp scratch) {
  if (!scratch)
    return 0;
  auto array = cast<LLVM::LLVMArrayType>(scratch.getType());
  scratch.erase();
  return array.getNumElements();
}

/// Step 1 of the file comment. Erases `kernel`.
static FailureOr<BlockFunction> makeBlockFunction(gpu::GPUFuncOp kernel) {
  OpBuilder builder(kernel);
  Location loc = kernel.getLoc();
  SmallVector<Type> inputs(kernel.getArgumentTypes());
  inputs.push_back(builder.getI64Type());
  auto func =
      func::FuncOp::create(builder, loc, (kernel.getName() + "__block").str(),
                           builder.getFunctionType(inputs, {}));
  func.setPrivate();
  for (unsigned i = 0, e = kernel.getNumArguments(); i < e; ++i)
    func.setArgAttrs(i, kernel.getArgAttrDict(i));
  func.getBody().takeBody(kernel.getBody());
  lowerAttributions(kernel, func);
  Value block = func.front().addArgument(builder.getI64Type(), loc);

  WalkResult result = func.walk([&](Operation *op) {
    if (!isa_and_present<gpu::GPUDialect>(op->getDialect()))
      return WalkResult::advance();
    return WalkResult(lowerForSingleThread(op, block));
  });
  kernel.erase();
  if (result.wasInterrupted())
    return failure();
  return BlockFunction{func, takeScratch(func)};
}

/// Step 2 of the file comment, for all functions of `module`.
static LogicalResult lowerToLLVM(gpu::GPUModuleOp module) {
  MLIRContext *context = module.getContext();
  RewritePatternSet expansion(context);
  arith::populateExpandBFloat16Patterns(expansion);
  if (failed(applyPatternsGreedily(module, std::move(expansion))))
    return failure();

  LowerToLLVMOptions options(context);
  options.overrideIndexBitwidth(64);
  LLVMTypeConverter converter(context, options);
  // The host has one address space.
  populateGpuMemorySpaceAttributeConversions(
      converter, [](gpu::AddressSpace) { return 0; });
  RewritePatternSet patterns(context);
  populateBodyToLLVMPatterns(converter, patterns);
  populateFuncToLLVMConversionPatterns(converter, patterns);
  LLVMConversionTarget target(*context);
  target.addLegalOp<gpu::GPUModuleOp>();
  return applyFullConversion(module, target, std::move(patterns));
}

/// Loads argument `index` of a kernel from the array `params`.
static Value loadArgument(OpBuilder &builder, Location loc, Value params,
                          unsigned index, Type type) {
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Value slot = LLVM::GEPOp::create(builder, loc, pointer, pointer, params,
                                   LLVM::GEPArg(index));
  Value address = LLVM::LoadOp::create(builder, loc, pointer, slot);
  return LLVM::LoadOp::create(builder, loc, type, address);
}

/// The memory of this thread, of at least so many bytes.
static Value createScratch(OpBuilder &builder, LLVM::LLVMFuncOp entry,
                           int64_t bytes) {
  Location loc = entry.getLoc();
  auto module = entry->getParentOfType<gpu::GPUModuleOp>();
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(kScratchFunction);
  if (!function) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    function = LLVM::LLVMFuncOp::create(
        builder, loc, kScratchFunction,
        LLVM::LLVMFunctionType::get(pointer, {builder.getI64Type()}));
  }
  Value size =
      LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), bytes);
  return LLVM::CallOp::create(builder, loc, function, ValueRange{size})
      .getResult();
}

/// Step 3 of the file comment: for (b = first; b < end; ++b) blockFn(..., b).
static void makeEntry(LLVM::LLVMFuncOp blockFn, StringRef name,
                      int64_t scratchBytes) {
  OpBuilder builder(blockFn);
  builder.setInsertionPointAfter(blockFn);
  Location loc = blockFn.getLoc();
  Type i64 = builder.getI64Type();
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Type none = LLVM::LLVMVoidType::get(builder.getContext());
  auto type = LLVM::LLVMFunctionType::get(none, {pointer, i64, i64});
  auto entry = LLVM::LLVMFuncOp::create(builder, loc, name, type);
  Block *start = entry.addEntryBlock(builder);
  Region &region = entry.getBody();
  Block *header = builder.createBlock(&region, region.end(), {i64}, {loc});
  Block *body = builder.createBlock(&region, region.end());
  Block *exit = builder.createBlock(&region, region.end());

  builder.setInsertionPointToEnd(start);
  SmallVector<Value> args;
  ArrayRef<Type> argTypes =
      blockFn.getFunctionType().getParams().drop_back(scratchBytes ? 2 : 1);
  for (auto [index, argType] : llvm::enumerate(argTypes))
    args.push_back(
        loadArgument(builder, loc, start->getArgument(0), index, argType));
  Value one = LLVM::ConstantOp::create(builder, loc, i64, 1);
  Value scratch =
      scratchBytes ? createScratch(builder, entry, scratchBytes) : Value();
  LLVM::BrOp::create(builder, loc, start->getArgument(1), header);

  builder.setInsertionPointToEnd(header);
  Value block = header->getArgument(0);
  Value more = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::slt,
                                    block, start->getArgument(2));
  LLVM::CondBrOp::create(builder, loc, more, body, exit);

  builder.setInsertionPointToEnd(body);
  args.push_back(block);
  if (scratch)
    args.push_back(scratch);
  LLVM::CallOp::create(builder, loc, blockFn, args);
  Value next = LLVM::AddOp::create(builder, loc, block, one);
  LLVM::BrOp::create(builder, loc, next, header);

  builder.setInsertionPointToEnd(exit);
  LLVM::ReturnOp::create(builder, loc, ValueRange());
}

/// A block runs as one thread: with a schedule of several, the others' part of
/// the result would be missing.
static LogicalResult verifyOneThread(gpu::GPUFuncOp kernel) {
  std::optional<ArrayRef<int32_t>> size = kernel.getKnownBlockSize();
  int64_t threads = 1;
  for (int32_t dim : size.value_or(ArrayRef<int32_t>()))
    threads *= dim;
  if (threads == 1)
    return success();
  return kernel.emitError()
         << "expected a schedule of threads = 1 for the CPU, but got "
         << threads << "; schedule for chip=cpu";
}

/// Schedules that keep rows in a GPU's caches or shared memory are lowered to
/// instructions that only a GPU has.
static LogicalResult verifyPortable(gpu::GPUFuncOp kernel) {
  WalkResult result = kernel.walk([](Operation *op) {
    if (!isa<LLVM::InlineAsmOp>(op) &&
        !isa<NVVM::NVVMDialect>(op->getDialect()))
      return WalkResult::advance();
    op->emitError() << "expected a schedule whose instructions the CPU has, "
                       "but got one with instructions of a GPU; use hold = "
                       "registers or hold = loop, or schedule for chip=cpu";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct FuseGPUToCPU : fuse::impl::FuseGPUToCPUBase<FuseGPUToCPU> {
  using Base::Base;

  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    if (failed(verifyMathIsExpanded(module)))
      return signalPassFailure();
    /// Kernels, what they have become, and the bytes of memory they need.
    SmallVector<std::tuple<std::string, std::string, int64_t>> names;
    auto kernels = llvm::to_vector(module.getOps<gpu::GPUFuncOp>());
    for (gpu::GPUFuncOp kernel : kernels) {
      if (failed(verifyOneThread(kernel)) || failed(verifyPortable(kernel)))
        return signalPassFailure();
      std::string name = kernel.getName().str();
      FailureOr<BlockFunction> block = makeBlockFunction(kernel);
      if (failed(block))
        return signalPassFailure();
      names.emplace_back(name, block->function.getName().str(),
                         takeBytes(block->scratch));
    }
    if (failed(lowerStructuredControlFlow(module)) ||
        failed(lowerToLLVM(module)))
      return signalPassFailure();
    for (const auto &[name, blockName, scratchBytes] : names) {
      auto blockFn = module.lookupSymbol<LLVM::LLVMFuncOp>(blockName);
      blockFn.setLinkage(LLVM::Linkage::Internal);
      blockFn.setAlwaysInline(true);
      makeEntry(blockFn, name, scratchBytes);
    }
  }
};
} // namespace
