//===- LowerKernels.cpp - fuse.kernel to gpu.func and fuse.launch ---------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeName.h"
#include "KernelFrame.h"
#include "Launch/EarlyInputs.h"
#include "Launch/HostSizes.h"
#include "Launch/HostStrides.h"
#include "Launch/LaunchAttributes.h"
#include "Launch/TensorMaps.h"
#include "ObeySchedule.h"
#include "Points/OpEmitters.h"
#include "Reductions/CombineParts.h"
#include "Reductions/GridExchange.h"
#include "Reductions/PartStates.h"

#include "fuse/Analysis/InPlace.h"
#include "fuse/Analysis/Strides.h"
#include "fuse/Conversion/Passes.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_LOWERKERNELS
#include "fuse/Conversion/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// Lowers one kernel.
class KernelLowering {
  /// The launch that is made: the only one, or one of two, see PartStates.h.
  /// Its pointers are inputs, the states to combine, the results that it
  /// writes, the states that it leaves.
  struct Launch {
    enum Step { only, leave, combine } step = only;
    /// Numbers of the kernel's inputs that it needs and results that it writes.
    SmallVector<unsigned> inputs, results;
    /// The types of the states' tensors and the sizes of their dynamic dims.
    SmallVector<Type> types;
    SmallVector<Value> dims;
    /// The tensors, once they are left.
    SmallVector<Value> tensors;
    /// On the host the number of parts, and of groups of these that a block
    /// walks together: blocks for each vector of columns. Null where parts have
    /// no blocks of their own.
    Value parts, partGroups;
  };

public:
  KernelLowering(KernelOp kernel, const DimClasses &dims, EmitOptions options,
                 bool mayBeInPlace, bool overlaps, SymbolTable &symbols)
      : kernel(kernel), dims(dims), options(options),
        mayBeInPlace(mayBeInPlace), overlaps(overlaps), symbols(symbols),
        inPlace(inPlacePairs(kernel, dims)), sizes(kernel, dims) {}

  LogicalResult run();

private:
  void collectStrides();
  void collectScalars();
  gpu::GPUFuncOp createFunction();
  SmallVector<InPlacePair> launchPairs();
  void setPointerAttributes(gpu::GPUFuncOp function);
  KernelAbi bindArguments(OpBuilder &builder, gpu::GPUFuncOp function);
  PartStates bindStates(OpBuilder &builder, gpu::GPUFuncOp function);
  LogicalResult fillAndLaunch();
  void planStates(const PartLayout &layout);
  LogicalResult runInParts(const PartLayout &layout);
  void launch(gpu::GPUFuncOp function, const Grid &grid);
  SmallVector<Value> hostResultDims(OpBuilder &builder);
  ArrayAttr hostTensorMaps(OpBuilder &builder, SmallVectorImpl<Value> &mapDims);

  /// Of the launch that is made.
  unsigned numInputs() {
    bool combines = current.step == Launch::combine;
    return current.inputs.size() + (combines ? current.types.size() : 0);
  }
  /// Tensors for states among the results.
  unsigned numLeft() {
    return current.step == Launch::combine ? 0 : current.types.size();
  }
  unsigned numResults() { return current.results.size() + numLeft(); }
  /// Whether the blocks meet, for which they have a counter.
  bool sharesGrid() { return current.step == Launch::only && numLeft() > 0; }
  unsigned numPointers() { return numInputs() + numResults() + sharesGrid(); }
  int64_t numThreads() {
    return current.step == Launch::combine
               ? combiningThreads(kernel)
               : kernel.getScheduleAttr().getThreads();
  }
  /// Blocks of a cluster.
  int64_t numClustered() {
    return llvm::TypeSwitch<Attribute, int64_t>(kernel.getScheduleAttr())
        .Case([](RowsScheduleAttr rows) { return rows.clusterSize(); })
        .Case([](ColumnsScheduleAttr columns) { return columns.clusterSize(); })
        .Case([&](MmaScheduleAttr mma) {
          return current.step == Launch::combine ? 1 : mma.clusterSize();
        })
        .Default(int64_t(1));
  }
  bool hasPartsArgument() {
    return current.parts && !getConstantIntValue(current.parts);
  }

  KernelOp kernel;
  const DimClasses &dims;
  EmitOptions options;
  /// Whether callers make use of the in-place pairs.
  bool mayBeInPlace;
  /// Whether launches may start before those before them have ended.
  bool overlaps;
  SymbolTable &symbols;
  SmallVector<InPlacePair> inPlace;
  HostSizes sizes;
  /// What the host knows of a tensor's strides; none for a dense one. Inputs
  /// come first, then results.
  struct HostLayout {
    StrideKind kind;
    SmallVector<OpFoldResult> strides;
  };
  SmallVector<HostLayout> layouts;
  /// The strides that the kernel is passed.
  SmallVector<Value> strideValues;
  /// Inputs that the kernel is passed by value, and their bits.
  llvm::MapVector<unsigned, Value> scalars;
  Launch current;
  /// Dynamic shared memory of a block.
  int64_t sharedBytes = 0;
  SmallVector<TensorMapUse, 0> tensorMaps;
};
} // namespace

void KernelLowering::collectScalars() {
  OpBuilder builder(kernel);
  for (auto [number, input] : llvm::enumerate(kernel.getInputs()))
    if (BlockArgument scalar = scalarOf(input))
      scalars[number] = ScalarOp::create(builder, kernel.getLoc(),
                                         builder.getIndexType(), scalar);
}

void KernelLowering::collectStrides() {
  OpBuilder builder(kernel);
  auto add = [&](Value tensor, HostLayout layout) {
    auto shape = cast<RankedTensorType>(tensor.getType()).getShape();
    for (auto [size, stride] : llvm::zip(shape, layout.strides)) {
      // The only index of a dimension of size 1 is 0.
      if (size == 1)
        stride = builder.getIndexAttr(0);
      if (auto value = dyn_cast<Value>(stride))
        strideValues.push_back(value);
    }
    layouts.push_back(std::move(layout));
  };
  for (Value input : kernel.getInputs()) {
    HostLayout layout{strideKind(input), {}};
    if (layout.kind != StrideKind::dense)
      layout.strides = hostStrides(builder, input, layout.kind);
    add(input, std::move(layout));
  }
  for (auto [number, yielded] :
       llvm::enumerate(kernel.getYield().getValues())) {
    HostLayout layout{resultKind(kernel, number), {}};
    SmallVector<Extent> extents = dims.extents(yielded);
    if (layout.kind != StrideKind::dense)
      layout.strides =
          hostResultStrides(builder, kernel.getResult(number), layout.kind,
                            [&](int64_t dim) -> OpFoldResult {
                              return sizes.of(builder, extents[dim]);
                            });
    add(yielded, std::move(layout));
  }
}

gpu::GPUFuncOp KernelLowering::createFunction() {
  MLIRContext *context = kernel.getContext();
  OpBuilder builder(context);
  std::string name = codeName(kernel.getKernelName());
  if (current.step == Launch::combine)
    name += "_combine";
  auto module = gpu::GPUModuleOp::create(builder, kernel.getLoc(), name);
  symbols.insert(module);

  SmallVector<Type> arguments(numPointers(),
                              LLVM::LLVMPointerType::get(context));
  arguments.append(sizes.count() + strideValues.size() + scalars.size() +
                       hasPartsArgument(),
                   builder.getI64Type());
  builder.setInsertionPointToStart(module.getBody());
  // The module's name may have been changed to be unique; PTX, profilers and
  // people see the kernel's.
  auto function = gpu::GPUFuncOp::create(
      builder, kernel.getLoc(), name, builder.getFunctionType(arguments, {}));
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                    builder.getUnitAttr());
  int64_t threads = numThreads();
  function.setKnownBlockSizeAttr(
      builder.getDenseI32ArrayAttr({static_cast<int32_t>(threads), 1, 1}));
  if (auto blocks = static_cast<int32_t>(numClustered()); blocks > 1)
    function.setKnownClusterSizeAttr(
        builder.getDenseI32ArrayAttr({blocks, 1, 1}));
  auto rows = dyn_cast_or_null<RowsScheduleAttr>(kernel.getScheduleAttr());
  if (rows && rows.getLeastBlocks() > 0)
    function->setAttr(
        NVVM::NVVMDialect::getMinctasmAttrName(),
        builder.getI32IntegerAttr(static_cast<int32_t>(rows.getLeastBlocks())));
  setPointerAttributes(function);
  if (overlaps && current.step != Launch::combine)
    if (SmallVector<int64_t> early = earlyInputsOf(kernel); !early.empty())
      function->setAttr(kEarlyInputsAttr, builder.getDenseI64ArrayAttr(early));
  return function;
}

/// The in-place pairs by the launch's own numbers.
SmallVector<InPlacePair> KernelLowering::launchPairs() {
  auto numbersOf = [](ArrayRef<unsigned> tensors) {
    DenseMap<unsigned, unsigned> numbers;
    for (auto [number, tensor] : llvm::enumerate(tensors))
      numbers[tensor] = number;
    return numbers;
  };
  DenseMap<unsigned, unsigned> results = numbersOf(current.results),
                               inputs = numbersOf(current.inputs);
  SmallVector<InPlacePair> pairs;
  for (InPlacePair pair : inPlace)
    if (results.contains(pair.result) && inputs.contains(pair.input))
      pairs.push_back({results[pair.result], inputs[pair.input]});
  return pairs;
}

/// The entry of a program refuses buffers that overlap, except for in-place
/// pairs: all other pointers are alone.
void KernelLowering::setPointerAttributes(gpu::GPUFuncOp function) {
  Builder builder(function.getContext());
  unsigned inputs = numInputs();
  // One value may be an input twice. What lies densely is no view with strides.
  auto isDense = [&](unsigned tensor) {
    return layouts[tensor].kind == StrideKind::dense;
  };
  auto tensorOf = [&](unsigned argument) -> std::optional<unsigned> {
    if (argument < current.inputs.size())
      return current.inputs[argument];
    if (argument >= inputs && argument - inputs < current.results.size())
      return kernel.getInputs().size() + current.results[argument - inputs];
    return std::nullopt;
  };
  // Rows that may start anywhere may do so from the first on, and an only
  // element may be anywhere.
  auto isAligned = [&](unsigned argument) {
    std::optional<unsigned> tensor = tensorOf(argument);
    if (!tensor || !options.aligned)
      return options.aligned;
    StrideKind kind = layouts[*tensor].kind;
    auto types = llvm::concat<const Type>(kernel.getInputs().getTypes(),
                                          kernel.getResultTypes());
    auto type = cast<RankedTensorType>(*std::next(types.begin(), *tensor));
    return type.getRank() > 0 &&
           (kind == StrideKind::dense || kind == StrideKind::aligned_rows);
  };
  llvm::SmallDenseSet<unsigned> shared;
  for (InPlacePair pair : launchPairs())
    if (mayBeInPlace &&
        isDense(current.inputs[pair.input]) ==
            isDense(kernel.getInputs().size() + current.results[pair.result]))
      for (unsigned argument : {pair.input, inputs + pair.result})
        shared.insert(argument);
  for (unsigned i = 0; i < inputs + numResults(); ++i) {
    function.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                        builder.getI64IntegerAttr(isAligned(i) ? 16 : 1));
    function.setArgAttr(i, LLVM::LLVMDialect::getNoUndefAttrName(),
                        builder.getUnitAttr());
    // What other blocks write is read.
    bool isLeft = sharesGrid() && i >= inputs + current.results.size();
    if (shared.contains(i) || isLeft)
      continue;
    function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                        builder.getUnitAttr());
    if (i < inputs)
      function.setArgAttr(i, LLVM::LLVMDialect::getReadonlyAttrName(),
                          builder.getUnitAttr());
    else
      function.setArgAttr(i, LLVM::LLVMDialect::getWriteOnlyAttrName(),
                          builder.getUnitAttr());
  }
}

/// A value of `type` whose bits are the last of an i64.
static Value fromBits(OpBuilder &builder, Location loc, Value bits, Type type) {
  Type integer = builder.getIntegerType(type.getIntOrFloatBitWidth());
  if (integer != bits.getType())
    bits = arith::TruncIOp::create(builder, loc, integer, bits);
  return integer == type ? bits
                         : arith::BitcastOp::create(builder, loc, type, bits);
}

KernelAbi KernelLowering::bindArguments(OpBuilder &builder,
                                        gpu::GPUFuncOp function) {
  KernelAbi abi;
  auto arguments = function.getArguments();
  unsigned next = 0;
  abi.inputs.resize(kernel.getInputs().size());
  for (unsigned input : current.inputs)
    abi.inputs[input] = arguments[next++];
  next = numInputs();
  abi.results.resize(kernel.getNumResults());
  for (unsigned result : current.results)
    abi.results[result] = arguments[next++];
  next = numPointers();
  auto takeIndex = [&]() -> Value {
    return arith::IndexCastOp::create(
        builder, kernel.getLoc(), builder.getIndexType(), arguments[next++]);
  };
  for (int cls : sizes.classes())
    abi.sizes[cls] = takeIndex();
  for (const HostLayout &layout : layouts) {
    abi.layouts.push_back({layout.kind, {}});
    for (OpFoldResult stride : layout.strides) {
      auto known = dyn_cast<Attribute>(stride);
      abi.layouts.back().strides.push_back(
          known ? Index::constant(cast<IntegerAttr>(known).getInt())
                : Index{takeIndex()});
    }
  }
  for (auto [input, bits] : scalars)
    abi.scalars[input] =
        fromBits(builder, kernel.getLoc(), arguments[next++],
                 PointEmitter::storageType(
                     getElementTypeOrSelf(kernel.getInputs()[input])));
  return abi;
}

/// Where the states lie, for both steps of a kernel with parts.
PartStates KernelLowering::bindStates(OpBuilder &builder,
                                      gpu::GPUFuncOp function) {
  PartStates states;
  bool combines = current.step == Launch::combine;
  auto *first = function.getArguments().begin() + current.inputs.size() +
                (combines ? 0 : current.results.size());
  states.pointers.assign(first, first + current.types.size());
  if (sharesGrid())
    states.counter = first[current.types.size()];
  else if (std::optional<int64_t> parts = getConstantIntValue(current.parts))
    states.parts = Index::constant(*parts);
  else
    states.parts = {arith::IndexCastOp::create(builder, kernel.getLoc(),
                                               builder.getIndexType(),
                                               function.getArguments().back())};
  return states;
}

LogicalResult KernelLowering::fillAndLaunch() {
  gpu::GPUFuncOp function = createFunction();
  OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
  KernelAbi abi = bindArguments(builder, function);
  PointEmitter emitter(builder, kernel, dims, std::move(abi), options);
  KernelFrame frame{kernel, function, dims, builder, emitter};
  if (!current.types.empty())
    frame.partStates = bindStates(builder, function);
  FailureOr<Grid> grid = current.step == Launch::combine ? combineParts(frame)
                                                         : obeySchedule(frame);
  gpu::ReturnOp::create(builder, kernel.getLoc());
  if (failed(grid))
    return failure();
  int64_t bytes = frame.staticSharedBytes();
  if (bytes > mostStaticShared)
    return kernel.emitError()
           << "expected a schedule with at most " << mostStaticShared
           << " bytes of static shared memory, but got " << bytes
           << "; use fewer threads or narrower vectors";
  sharedBytes = frame.sharedBytes;
  tensorMaps = std::move(frame.tensorMaps);
  launch(function, *grid);
  return success();
}

/// The types and sizes of what is left between the two launches.
void KernelLowering::planStates(const PartLayout &layout) {
  OpBuilder builder(kernel);
  Location loc = kernel.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value steps;
  for (ArrayRef<Extent> places : layout.places) {
    Value own = builder.createOrFold<arith::CeilDivUIOp>(
        loc, sizes.product(builder, places),
        constant(layout.step * layout.fold));
    steps = steps ? builder.createOrFold<arith::MaxUIOp>(loc, steps, own) : own;
  }
  // What is not split has one part.
  if (!steps)
    steps = constant(1);
  if (layout.haveBlocks) {
    auto least = [&](Value value) {
      return builder.createOrFold<arith::MaxUIOp>(loc, value, constant(1));
    };
    Value most = constant(layout.most);
    if (layout.blocksOfPart)
      most = least(builder.createOrFold<arith::DivUIOp>(
          loc, most, least(sizes.blocks(builder, {*layout.blocksOfPart}))));
    current.partGroups =
        builder.createOrFold<arith::MinUIOp>(loc, least(steps), most);
    current.parts = builder.createOrFold<arith::MulIOp>(loc, current.partGroups,
                                                        constant(layout.fold));
  } else {
    current.parts = steps;
  }
  SmallVector<Value> results;
  for (ArrayRef<Extent> extents : layout.results)
    results.push_back(sizes.product(builder, extents));
  for (const PartComponent &component : layout.components) {
    Value all = builder.createOrFold<arith::MulIOp>(
        loc, results[component.segment], constant(component.width));
    SmallVector<int64_t> shape;
    for (Value size : {current.parts, all}) {
      shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
      if (ShapedType::isDynamic(shape.back()))
        current.dims.push_back(size);
    }
    current.types.push_back(RankedTensorType::get(shape, component.type));
  }
}

LogicalResult KernelLowering::runInParts(const PartLayout &layout) {
  planStates(layout);
  current.step = Launch::leave;
  current.results = layout.early;
  if (failed(fillAndLaunch()))
    return failure();
  current.step = Launch::combine;
  current.inputs = layout.lateInputs;
  llvm::erase_if(current.inputs,
                 [&](unsigned input) { return scalars.contains(input); });
  current.results = layout.late;
  return fillAndLaunch();
}

//===----------------------------------------------------------------------===//
// Host side
//===----------------------------------------------------------------------===//

SmallVector<Value> KernelLowering::hostResultDims(OpBuilder &builder) {
  SmallVector<Value> result;
  for (unsigned number : current.results) {
    Value value = kernel.getYield().getValues()[number];
    auto type = cast<RankedTensorType>(kernel.getResultTypes()[number]);
    for (auto [axis, size] : llvm::enumerate(type.getShape()))
      if (ShapedType::isDynamic(size))
        result.push_back(sizes.of(builder, dims.extent(value, axis)));
  }
  if (current.step == Launch::leave)
    llvm::append_range(result, current.dims);
  return result;
}

/// Null if there are none.
ArrayAttr KernelLowering::hostTensorMaps(OpBuilder &builder,
                                         SmallVectorImpl<Value> &mapDims) {
  SmallVector<Attribute> maps;
  for (const TensorMapUse &use : tensorMaps) {
    Value tensor = use.isResult
                       ? kernel.getYield().getValues()[use.number]
                       : Value(kernel.getBody().getArgument(use.number));
    unsigned first = use.isResult ? kernel.getInputs().size() : 0;
    ArrayRef<OpFoldResult> strides = layouts[first + use.number].strides;
    llvm::append_range(mapDims,
                       hostMapDims(builder, kernel.getLoc(), use.dims,
                                   dims.extents(use.shape ? use.shape : tensor),
                                   strides, [&](const Extent &extent) {
                                     return sizes.of(builder, extent);
                                   }));
    ArrayRef<unsigned> tensors =
        use.isResult ? current.results : current.inputs;
    unsigned pointer = (use.isResult ? numInputs() : 0) +
                       (llvm::find(tensors, use.number) - tensors.begin());
    maps.push_back(TensorMapAttr::get(builder.getContext(), pointer, use.box));
  }
  return maps.empty() ? ArrayAttr() : builder.getArrayAttr(maps);
}

void KernelLowering::launch(gpu::GPUFuncOp function, const Grid &grid) {
  OpBuilder builder(kernel);
  auto module = function->getParentOfType<gpu::GPUModuleOp>();
  bool combines = current.step == Launch::combine;
  Value blocks = sizes.blocks(builder, grid);
  SmallVector<Value> sizeValues;
  for (int cls : sizes.classes())
    sizeValues.push_back(sizes.of(builder, {ShapedType::kDynamic, cls}));
  llvm::append_range(sizeValues, strideValues);
  for (auto [input, bits] : scalars)
    sizeValues.push_back(bits);
  if (hasPartsArgument())
    sizeValues.push_back(current.parts);
  if (current.step == Launch::leave && current.partGroups)
    blocks = builder.createOrFold<arith::MulIOp>(kernel.getLoc(), blocks,
                                                 current.partGroups);
  SmallVector<Attribute> pairs;
  for (InPlacePair pair : launchPairs())
    pairs.push_back(builder.getI64ArrayAttr({pair.result, pair.input}));
  auto symbol = SymbolRefAttr::get(
      builder.getContext(), module.getName(),
      {FlatSymbolRefAttr::get(builder.getContext(), function.getName())});
  SmallVector<Value> inputs;
  for (unsigned input : current.inputs)
    inputs.push_back(kernel.getInputs()[input]);
  llvm::append_range(inputs, current.tensors);
  SmallVector<Type> types;
  for (unsigned result : current.results)
    types.push_back(kernel.getResultTypes()[result]);
  if (!combines)
    llvm::append_range(types, current.types);
  SmallVector<Value> mapDims;
  ArrayAttr maps = hostTensorMaps(builder, mapDims);
  Touched touched = touchedOf(
      kernel, dims, current.inputs, current.results, numInputs(), builder,
      [&](const Extent &extent) { return sizes.of(builder, extent); });
  auto launchOp = LaunchOp::create(
      builder, kernel.getLoc(), types, symbol, blocks,
      builder.getI64IntegerAttr(numThreads()), inputs, sizeValues,
      hostResultDims(builder), mapDims, touched.elements,
      combines ? builder.getStrArrayAttr({"combine"}) : opNamesOf(kernel),
      // It says nothing about how parts are combined.
      combines ? ScheduleAttrInterface() : kernel.getScheduleAttr(),
      pairs.empty() ? ArrayAttr() : builder.getArrayAttr(pairs),
      copiesOf(kernel, current.inputs, current.results),
      gatheredOf(kernel, current.inputs), touched.pointers, touched.atMost,
      sharedBytes ? builder.getI64IntegerAttr(sharedBytes) : IntegerAttr(),
      numClustered() > 1 ? builder.getI64IntegerAttr(numClustered())
                         : IntegerAttr(),
      sharesGrid() ? builder.getUnitAttr() : UnitAttr(), maps);
  if (!combines)
    nameMoved(launchOp, kernel, dims, current.inputs, current.results);
  ValueRange made = launchOp.getResults();
  for (auto [number, result] : llvm::enumerate(current.results))
    kernel.getResult(result).replaceAllUsesWith(made[number]);
  if (!combines)
    current.tensors = made.drop_front(current.results.size());
}

LogicalResult KernelLowering::run() {
  if (!kernel.getScheduleAttr())
    return kernel.emitError() << "expected a kernel with a schedule, but got "
                                 "none; run fuse-assign-schedules";
  if (failed(sizes.collect()) || failed(verifyScatters(kernel)) ||
      failed(verifyWideIntegers(kernel)))
    return failure();
  collectStrides();
  collectScalars();
  FailureOr<std::optional<PartLayout>> parts = planParts(kernel, dims, options);
  if (failed(parts))
    return failure();
  for (unsigned input : llvm::seq<unsigned>(kernel.getInputs().size()))
    if (!scalars.contains(input))
      current.inputs.push_back(input);
  current.results =
      llvm::to_vector(llvm::seq<unsigned>(kernel.getNumResults()));
  current.types = gridStateTypes(kernel, dims);
  if (failed(*parts ? runInParts(**parts) : fillAndLaunch()))
    return failure();
  kernel.erase();
  return success();
}

namespace {
struct LowerKernelsPass
    : public mlir::fuse::impl::LowerKernelsBase<LowerKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    EmitOptions options{strict,         aligned,      divisible, float8,
                        packedExtremes, inPlace,      cluster,   wgmma,
                        sharedBytes,    float64Places};
    bool lowered = false;
    for (auto function : module.getOps<func::FuncOp>()) {
      DimClasses dims(function);
      SmallVector<KernelOp> kernels(function.getOps<KernelOp>());
      for (KernelOp kernel : kernels) {
        lowered = true;
        if (failed(
                KernelLowering(kernel, dims, options, inPlace, overlap, symbols)
                    .run()))
          return signalPassFailure();
      }
    }
    if (lowered)
      module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                      UnitAttr::get(&getContext()));
  }
};
} // namespace
