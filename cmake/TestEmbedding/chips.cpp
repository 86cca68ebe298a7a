//===- chips.cpp - A program of a project that has Fuse as a part ---------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Target/GPUTarget.h"

int main() { return mlir::fuse::getGPUTargets().empty(); }
