//===- main.cpp - The executable of the driver ----------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"

int main(int argc, char **argv) { return fuse::driver::runDriver(argc, argv); }
