//===- RowStaging.cpp - Rows that stay near the multiprocessor ------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowStaging.h"
#include "fuse/Analysis/KernelEdge.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fuse;

/// The widest copy and access.
static constexpr int64_t widestBytes = 16;
/// The narrowest asynchronous copy, and the narrowest access with a hint.
static constexpr int64_t narrowestBytes = 4;

/// What copies of a warp fill at a time: where vectors of a warp lie across two
/// of these, a row of 1 MiB takes a fifth longer.
static constexpr int64_t lineBytes = 128;

static constexpr unsigned globalSpace = 1, sharedSpace = 3;

static int64_t storageBits(BlockArgument input) {
  return PointEmitter::storageType(getElementTypeOrSelf(input.getType()))
      .getIntOrFloatBitWidth();
}

/// The bytes of one access to a vector of `lanes`; 0 if there is none.
static int64_t accessBytes(BlockArgument input, int64_t lanes) {
  int64_t bytes = storageBits(input) * lanes / 8;
  return bytes < narrowestBytes ? 0 : std::min(bytes, widestBytes);
}

/// Whether a vector at the point can be accessed `width` bytes at a time.
static bool isAccessible(const PointEmitter &emitter, BlockArgument input,
                         const Point &point) {
  int64_t width = accessBytes(input, point.lanes);
  return width != 0 && !point.guard &&
         emitter.inputAlignment(input, point) >= width;
}

/// The parts, of one power-of-two number of lanes each, behind one another.
static Value concatenate(OpBuilder &builder, Location loc,
                         ArrayRef<Value> parts) {
  if (parts.size() == 1)
    return parts.front();
  size_t half = parts.size() / 2;
  Value low = concatenate(builder, loc, parts.take_front(half));
  Value high = concatenate(builder, loc, parts.drop_front(half));
  int64_t lanes = cast<VectorType>(low.getType()).getDimSize(0);
  return vector::ShuffleOp::create(
      builder, loc, low, high,
      llvm::to_vector(llvm::seq<int64_t>(0, 2 * lanes)));
}

static bool readsElsewhere(Operation *user) {
  return user->hasTrait<mlir::fuse::OpTrait::Movement>() ||
         isa<RotaryOp>(user) || isa<tensor::TensorDialect>(user->getDialect());
}

SmallVector<BlockArgument>
mlir::fuse::copyableInputs(KernelFrame &frame, ArrayRef<BlockArgument> inputs,
                           const Point &point) {
  auto isCopyable = [&](BlockArgument input) {
    return !llvm::all_of(input.getUsers(), readsElsewhere) &&
           isAccessible(frame.emitter, input, point);
  };
  return llvm::filter_to_vector(inputs, isCopyable);
}

SmallVector<BlockArgument>
mlir::fuse::stageableInputs(KernelFrame &frame, const ReductionSegment &segment,
                            const Point &point) {
  auto isStageable = [&](BlockArgument input) {
    return llvm::none_of(input.getUsers(), readsElsewhere) &&
           isAccessible(frame.emitter, input, point);
  };
  return llvm::filter_to_vector(
      streamedInputs(frame.kernel, frame.dims, segment), isStageable);
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// Named after the kernel, since the modules of a program are merged.
Value mlir::fuse::dynamicSharedMemory(KernelFrame &frame) {
  std::string name = ("__dynamic_" + frame.function.getName()).str();
  auto module = frame.function->getParentOfType<gpu::GPUModuleOp>();
  OpBuilder &builder = frame.builder;
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext(), sharedSpace);
  // Rows of several shapes, of which a block has one, all use it.
  if (!module.lookupSymbol(name)) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), 0);
    LLVM::GlobalOp::create(builder, frame.loc(), type, /*isConstant=*/false,
                           LLVM::Linkage::External, name, Attribute(),
                           /*alignment=*/lineBytes, sharedSpace);
  }
  return LLVM::AddressOfOp::create(builder, frame.loc(), pointer, name);
}

RowStaging::RowStaging(KernelFrame &frame, ArrayRef<BlockArgument> arguments,
                       int64_t threads, Index thread, int64_t slots,
                       int64_t lanes)
    : frame(frame), emitter(frame.emitter), threads(threads), thread(thread),
      slots(slots), lanes(lanes) {
  for (BlockArgument argument : arguments) {
    int64_t width = accessBytes(argument, lanes);
    int64_t planes = storageBits(argument) * lanes / 8 / width;
    inputs.push_back({argument, total, width, planes});
    total += planes * slots * threads * width;
  }
  base = dynamicSharedMemory(frame);
}

Value RowStaging::place(const Input &input, const Index &slot, int64_t plane) {
  OpBuilder &builder = frame.builder;
  Index number =
      emitter.add(emitter.mul(slot, Index::constant(threads)), thread);
  Index byte = emitter.add(
      emitter.mul(number, Index::constant(input.width)),
      Index::constant(input.offset + plane * slots * threads * input.width));
  Value offset = arith::IndexCastOp::create(
      builder, frame.loc(), builder.getI32Type(), emitter.materialize(byte));
  return LLVM::GEPOp::create(
      builder, frame.loc(), base.getType(), builder.getI8Type(), base,
      ArrayRef<LLVM::GEPArg>{offset}, LLVM::GEPNoWrapFlags::inbounds);
}

void RowStaging::copy(const Point &point, const Index &slot) {
  OpBuilder &builder = frame.builder;
  auto global = LLVM::LLVMPointerType::get(builder.getContext(), globalSpace);
  for (const Input &input : inputs) {
    Value from = LLVM::AddrSpaceCastOp::create(
        builder, frame.loc(), global,
        emitter.inputAddress(input.argument, point));
    // Only copies of 16 bytes can pass by the L1.
    auto through = input.width == widestBytes ? NVVM::LoadCacheModifierKind::CG
                                              : NVVM::LoadCacheModifierKind::CA;
    for (int64_t plane = 0; plane < input.planes; ++plane) {
      Value source = from;
      if (plane > 0)
        source = LLVM::GEPOp::create(
            builder, frame.loc(), global, builder.getI8Type(), from,
            ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(plane * input.width)},
            LLVM::GEPNoWrapFlags::inbounds);
      NVVM::CpAsyncOp::create(builder, frame.loc(), place(input, slot, plane),
                              source, input.width, through,
                              /*cpSize=*/Value());
    }
  }
}

void RowStaging::commit() {
  NVVM::CpAsyncCommitGroupOp::create(frame.builder, frame.loc());
}

void RowStaging::wait(int64_t pending) {
  NVVM::CpAsyncWaitGroupOp::create(frame.builder, frame.loc(), pending);
}

Value RowStaging::read(const Input &input, const Index &slot) {
  OpBuilder &builder = frame.builder;
  Type storage =
      PointEmitter::storageType(getElementTypeOrSelf(input.argument.getType()));
  int64_t perPlane = lanes / input.planes;
  Type part = PointEmitter::lanesOf(storage, perPlane);
  SmallVector<Value> parts;
  for (int64_t plane = 0; plane < input.planes; ++plane)
    parts.push_back(LLVM::LoadOp::create(
        builder, frame.loc(), part, place(input, slot, plane), input.width));
  return concatenate(builder, frame.loc(), parts);
}

static bool isSamePlace(const Point &a, const Point &b) {
  return a.lanes == b.lanes &&
         llvm::equal(a.dims, b.dims, [](const Index &x, const Index &y) {
           return x.key() == y.key();
         });
}

PointEmitter::Loader RowStaging::loader(ArrayRef<Point> points,
                                        const Index &first) {
  return [this, points = SmallVector<Point>(points),
          first](BlockArgument argument, const Point &point) -> Value {
    auto *input = llvm::find_if(
        inputs, [&](const Input &i) { return i.argument == argument; });
    const auto *place = llvm::find_if(
        points, [&](const Point &p) { return isSamePlace(p, point); });
    if (input == inputs.end() || place == points.end())
      return {};
    return read(*input,
                emitter.add(first, Index::constant(place - points.begin())));
  };
}

//===----------------------------------------------------------------------===//
// The caches
//===----------------------------------------------------------------------===//

static Value inlinePTX(OpBuilder &builder, Location loc, Type result,
                       ValueRange operands, const Twine &text,
                       StringRef constraints, bool touchesMemory) {
  return LLVM::InlineAsmOp::create(
             builder, loc, result, operands, text.str(), constraints,
             /*has_side_effects=*/touchesMemory,
             /*is_align_stack=*/false, LLVM::TailCallKind::None,
             LLVM::AsmDialectAttr(), ArrayAttr())
      .getResult(0);
}

/// `words` of 32 bits from `address`, as a vector of them. The text is what the
/// emulator knows the instruction by.
static Value hintedWords(OpBuilder &builder, Location loc, Value address,
                         int64_t words, CacheUse use) {
  StringRef priority = use == CacheUse::again ? "evict_last" : "evict_first";
  Type word = builder.getI32Type();
  Value policy = inlinePTX(
      builder, loc, builder.getI64Type(), {},
      "createpolicy.fractional.L2::" + priority + ".b64 $0, 1.0;", "=l",
      /*touchesMemory=*/false);
  std::string registers, constraints;
  for (int64_t i = 0; i < words; ++i) {
    registers += (i ? ", $" : "$") + std::to_string(i);
    constraints += "=r,";
  }
  if (words > 1)
    registers = "{" + registers + "}";
  std::string width = words == 1 ? "" : ".v" + std::to_string(words);
  SmallVector<Type> types(words, word);
  Type result =
      words == 1
          ? word
          : Type(LLVM::LLVMStructType::getLiteral(builder.getContext(), types));
  Value loaded = inlinePTX(
      builder, loc, result, {address, policy},
      "ld.global.L1::" + priority + ".L2::cache_hint" + width + ".b32 " +
          registers + ", [$" + Twine(words) + "], $" + Twine(words + 1) + ";",
      constraints + "l,l,~{memory}", /*touchesMemory=*/true);
  if (words == 1)
    return vector::BroadcastOp::create(builder, loc, VectorType::get({1}, word),
                                       loaded);
  SmallVector<Value> parts;
  for (int64_t i = 0; i < words; ++i)
    parts.push_back(LLVM::ExtractValueOp::create(builder, loc, loaded, i));
  return vector::FromElementsOp::create(builder, loc,
                                        VectorType::get({words}, word), parts);
}

PointEmitter::Loader mlir::fuse::cacheLoader(PointEmitter &emitter,
                                             ArrayRef<BlockArgument> inputs,
                                             CacheUse use) {
  return [&emitter, inputs = SmallVector<BlockArgument>(inputs),
          use](BlockArgument input, const Point &point) -> Value {
    if (!llvm::is_contained(inputs, input) ||
        !isAccessible(emitter, input, point))
      return {};
    OpBuilder &builder = emitter.getBuilder();
    Location loc = input.getLoc();
    Type storage =
        PointEmitter::storageType(getElementTypeOrSelf(input.getType()));
    int64_t width = accessBytes(input, point.lanes);
    int64_t bytes = storageBits(input) * point.lanes / 8;
    Value address = emitter.inputAddress(input, point);
    SmallVector<Value> words;
    for (int64_t from = 0; from < bytes; from += width) {
      Value at = LLVM::GEPOp::create(
          builder, loc, address.getType(), builder.getI8Type(), address,
          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(from)},
          LLVM::GEPNoWrapFlags::inbounds);
      words.push_back(
          hintedWords(builder, loc, at, width / narrowestBytes, use));
    }
    Value lanes = vector::BitCastOp::create(
        builder, loc, VectorType::get({point.lanes}, storage),
        concatenate(builder, loc, words));
    if (point.lanes > 1)
      return lanes;
    return vector::ExtractOp::create(builder, loc, lanes, int64_t{0});
  };
}
