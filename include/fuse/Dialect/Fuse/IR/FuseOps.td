//===- FuseOps.td - Table of contents ----------------------*- tablegen -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_DIALECT_FUSE_IR_FUSEOPS
#define FUSE_DIALECT_FUSE_IR_FUSEOPS

include "fuse/Dialect/Fuse/IR/FuseBase.td"
include "fuse/Dialect/Fuse/IR/FuseEnums.td"
include "fuse/Dialect/Fuse/IR/FuseSchedule.td"
include "fuse/Dialect/Fuse/IR/Elementwise.td"
include "fuse/Dialect/Fuse/IR/Movement.td"
include "fuse/Dialect/Fuse/IR/Random.td"
include "fuse/Dialect/Fuse/IR/Rotary.td"
include "fuse/Dialect/Fuse/IR/Reduction.td"
include "fuse/Dialect/Fuse/IR/RowOrder.td"
include "fuse/Dialect/Fuse/IR/Contraction.td"
include "fuse/Dialect/Fuse/IR/Kernel.td"

#endif // FUSE_DIALECT_FUSE_IR_FUSEOPS
