//===- FuseOps.cpp - Generated definitions of the ops ---------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MovementAssembly.h"
#include "MovementTypes.h"
#include "PointwiseAssembly.h"
#include "RowOrderAssembly.h"

#include "fuse/Dialect/Fuse/IR/Fuse.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::fuse;

#define GET_OP_CLASSES
#include "fuse/Dialect/Fuse/IR/FuseOps.cpp.inc"
