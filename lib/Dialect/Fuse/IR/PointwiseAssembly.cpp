//===- PointwiseAssembly.cpp - Types of pointwise ops as text -------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PointwiseAssembly.h"

using namespace mlir;
using namespace mlir::fuse;

/// The type that follows from the operands' types, or none.
static Type inferType(ArrayRef<Type> operands, fuse::detail::PointwiseKind kind,
                      std::optional<Location> location) {
  SmallVector<Type, 1> inferred;
  if (failed(fuse::detail::inferPointwise(operands, kind, location, inferred)))
    return Type();
  return inferred.front();
}

ParseResult fuse::parseTypesOfPointwise(OpAsmParser &parser,
                                        ArrayRef<Type *> operands, Type &result,
                                        fuse::detail::PointwiseKind kind) {
  SMLoc start = parser.getCurrentLocation();
  SmallVector<Type, 3> types;
  if (parser.parseTypeList(types))
    return failure();
  if (types.size() == 1)
    types.resize(operands.size(), types.front());
  if (types.size() != operands.size())
    return parser.emitError(start, "expected ")
           << operands.size() << " operand types, but got " << types.size()
           << "; give one for each operand, or one for all";
  for (auto [operand, type] : llvm::zip(operands, types))
    *operand = type;
  if (succeeded(parser.parseOptionalArrow()))
    return parser.parseType(result);
  for (Type type : types)
    if (!isa<RankedTensorType>(type))
      return parser.emitError(start, "expected ranked tensors, but got ")
             << type << "; give the tensor a rank";
  result = inferType(types, kind, parser.getEncodedSourceLoc(start));
  return success(result != nullptr);
}

void fuse::printTypesOfPointwise(OpAsmPrinter &printer, ArrayRef<Type> operands,
                                 Type result,
                                 fuse::detail::PointwiseKind kind) {
  if (llvm::all_equal(operands))
    printer << operands.front();
  else
    llvm::interleaveComma(operands, printer);
  if (result != inferType(operands, kind, std::nullopt))
    printer << " -> " << result;
}

ParseResult fuse::parseIotaTypes(OpAsmParser &parser, Type &like,
                                 Type &result) {
  if (parser.parseType(result))
    return failure();
  if (failed(parser.parseOptionalArrow()))
    return success();
  like = result;
  return parser.parseType(result);
}

void fuse::printIotaTypes(OpAsmPrinter &printer, Operation *, Type like,
                          Type result) {
  if (like)
    printer << like << " -> ";
  printer << result;
}
