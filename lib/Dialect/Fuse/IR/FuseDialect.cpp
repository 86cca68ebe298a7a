//===- FuseDialect.cpp - Registration and function attributes -------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Dialect/Fuse/IR/Fuse.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fuse;

#include "fuse/Dialect/Fuse/IR/FuseDialect.cpp.inc"
#include "fuse/Dialect/Fuse/IR/FuseEnums.cpp.inc"
#include "fuse/Dialect/Fuse/IR/FuseInterfaces.cpp.inc"
#include "fuse/Dialect/Fuse/IR/RotaryInterfaces.cpp.inc"
#include "fuse/Dialect/Fuse/IR/SchedulePartInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "fuse/Dialect/Fuse/IR/FuseAttrs.cpp.inc"

/// Consumers of mma_sync that share no columns have tiles of their own: in one
/// they would. No contraction alone has as many columns or consumers as may be
/// here, so that its verifier is not asked; only here its storage is known.
MmaScheduleAttr StreamedScheduleAttr::resultTile() const {
  bool areApart = getIsa() == MmaIsa::mma_sync && columnGroups() == 1;
  int64_t consumers = areApart ? 1 : getConsumers();
  int64_t rows = MmaScheduleAttr::kRows * consumers / columnGroups();
  int64_t tileK = MmaScheduleAttr::kRowElements;
  return mlir::detail::AttributeUniquer::get<MmaScheduleAttr>(
      getContext(), getIsa(), rows, getTileN(), tileK, /*stages=*/int64_t(2),
      consumers, /*raster=*/int64_t(1), getStore(), /*persistent=*/int64_t(1),
      /*split_k=*/int64_t(1), /*swap=*/false, /*operand_bits=*/int64_t(16),
      /*cluster_m=*/int64_t(1), /*cluster_n=*/int64_t(1),
      /*row_bits=*/int64_t(0), /*column_bits=*/int64_t(0));
}

void FuseDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "fuse/Dialect/Fuse/IR/FuseAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "fuse/Dialect/Fuse/IR/FuseOps.cpp.inc"
      >();
}

Operation *FuseDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                            Type type, Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, elements);
}

/// Begins an error of a function's argument or result.
using EmitError = function_ref<InFlightDiagnostic(const Twine &)>;

static LogicalResult verifyName(EmitError emitError, NamedAttribute attribute) {
  auto name = dyn_cast<StringAttr>(attribute.getValue());
  if (!name || name.empty())
    return emitError("expected ")
           << attribute.getName().strref() << " to be a name, but got "
           << attribute.getValue() << "; write it as "
           << attribute.getName().strref() << " = \"x\"";
  if (name.getValue().contains('='))
    return emitError("expected ")
           << attribute.getName().strref() << " without '=', but got " << name
           << "; choose a name that --input NAME=FILE can set";
  return success();
}

static LogicalResult verifyDims(EmitError emitError, NamedAttribute attribute,
                                RankedTensorType tensor) {
  auto dims = dyn_cast<ArrayAttr>(attribute.getValue());
  if (!dims || !llvm::all_of(dims, llvm::IsaPred<StringAttr>))
    return emitError("expected fuse.dims to be an array of names, but "
                     "got ")
           << attribute.getValue() << "; write it as fuse.dims = [\"T\"]";
  if (dims.size() != static_cast<size_t>(tensor.getNumDynamicDims()))
    return emitError("expected fuse.dims to name the ")
           << tensor.getNumDynamicDims() << " dynamic dimensions of " << tensor
           << ", but got " << dims.size()
           << " names; name each '?' once, in order";
  for (StringRef name : dims.getAsValueRange<StringAttr>())
    if (name.contains('='))
      return emitError("expected fuse.dims without '=', but got \"")
             << name << "\"; choose a name that --dim NAME=SIZE can set";
  return success();
}

static LogicalResult verifyStddev(EmitError emitError,
                                  NamedAttribute attribute) {
  auto number = dyn_cast<FloatAttr>(attribute.getValue());
  if (number && number.getValueAsDouble() > 0.0 && number.getValue().isFinite())
    return success();
  return emitError("expected fuse.stddev to be a positive number, but "
                   "got ")
         << attribute.getValue() << "; write it as fuse.stddev = 0.02";
}

static LogicalResult verifyStrided(EmitError emitError,
                                   NamedAttribute attribute) {
  auto name = dyn_cast<StringAttr>(attribute.getValue());
  auto kind = name ? symbolizeStrideKind(name.getValue()) : std::nullopt;
  if (kind && *kind != StrideKind::dense)
    return success();
  return emitError("expected fuse.strided to be \"aligned_rows\", "
                   "\"rows\" or \"any\", but got ")
         << attribute.getValue() << "; remove it from a dense tensor";
}

static LogicalResult verifyScalar(EmitError emitError, NamedAttribute attribute,
                                  RankedTensorType tensor) {
  if (tensor.getRank() == 0 && isa<UnitAttr>(attribute.getValue()))
    return success();
  if (tensor.getRank() != 0)
    return emitError("expected fuse.scalar on a tensor of rank 0, but "
                     "got ")
           << tensor << "; pass several numbers as a tensor";
  return emitError("expected fuse.scalar without a value, but got ")
         << attribute.getValue() << "; write it as {fuse.scalar}";
}

/// The attributes say how a program is called, so they sit on functions, on
/// values that are tensors whose sizes can be computed.
static FailureOr<RankedTensorType> verifyCarrier(EmitError emitError, Type type,
                                                 NamedAttribute attribute) {
  auto tensor = dyn_cast_or_null<RankedTensorType>(type);
  if (!tensor || !tensor.getElementType().isIntOrFloat())
    return emitError("expected ")
           << attribute.getName().strref() << " on a ranked tensor, but got "
           << type << "; remove the attribute";
  if (!getStaticBytes(tensor))
    return emitError("expected a tensor of at most 2^63 - 1 bytes, but "
                     "got ")
           << tensor << "; split it, or make a dimension smaller";
  return tensor;
}

LogicalResult FuseDialect::verifyRegionArgAttribute(Operation *op,
                                                    unsigned regionIndex,
                                                    unsigned argIndex,
                                                    NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return op->emitOpError("expected ")
           << attribute.getName().strref()
           << " on a function, but got another op; remove the attribute";
  // Errors are located at the argument, if there is one to locate.
  auto emitError = [&](const Twine &message) {
    if (function.isExternal())
      return op->emitOpError(message);
    return mlir::emitError(function.getArgument(argIndex).getLoc())
           << "'" << op->getName() << "' op " << message;
  };
  auto tensor = verifyCarrier(emitError, function.getArgumentTypes()[argIndex],
                              attribute);
  if (failed(tensor))
    return failure();
  if (attribute.getName() == kNameAttr)
    return verifyName(emitError, attribute);
  if (attribute.getName() == kDimsAttr)
    return verifyDims(emitError, attribute, *tensor);
  if (attribute.getName() == kStddevAttr)
    return verifyStddev(emitError, attribute);
  if (attribute.getName() == kStridedAttr)
    return verifyStrided(emitError, attribute);
  if (attribute.getName() == kScalarAttr)
    return verifyScalar(emitError, attribute, *tensor);
  return emitError("expected fuse.name, fuse.dims, fuse.stddev, "
                   "fuse.scalar or fuse.strided on argument #")
         << argIndex << ", but got " << attribute.getName().strref()
         << "; remove the attribute";
}

LogicalResult
FuseDialect::verifyRegionResultAttribute(Operation *op, unsigned regionIndex,
                                         unsigned resultIndex,
                                         NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return op->emitOpError("expected ")
           << attribute.getName().strref()
           << " on a function, but got another op; remove the attribute";
  Type type = function.getResultTypes()[resultIndex];
  auto emitError = [&](const Twine &message) {
    return op->emitOpError(message);
  };
  if (failed(verifyCarrier(emitError, type, attribute)))
    return failure();
  if (attribute.getName() == kNameAttr)
    return verifyName(emitError, attribute);
  if (attribute.getName() == kStridedAttr)
    return verifyStrided(emitError, attribute);
  if (attribute.getName() != kInPlaceAttr)
    return op->emitOpError("expected fuse.name, fuse.strided or fuse.in_place "
                           "on result #")
           << resultIndex << ", but got " << attribute.getName().strref()
           << "; remove the attribute";
  if (failed(verifyName(emitError, attribute)))
    return failure();
  for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i)
    if (function.getArgAttr(i, kNameAttr) == attribute.getValue() &&
        function.getArgAttr(i, kScalarAttr))
      return op->emitOpError(
                 "expected fuse.in_place to name a tensor, but got ")
             << attribute.getValue()
             << ", which is passed by value; remove fuse.in_place";
  for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i)
    if (function.getArgAttr(i, kNameAttr) == attribute.getValue() &&
        function.getArgumentTypes()[i] != type)
      return op->emitOpError("expected fuse.in_place to name an argument of "
                             "type ")
             << type << ", but got " << attribute.getValue() << " of type "
             << function.getArgumentTypes()[i]
             << "; name an argument of the result's type";
  return success();
}
