//===- PackedBytes.h - Integers of 8 and 4 bits -----------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A GPU computes with words, and converts integers at a fraction of the rate at
// which it adds floats. With b = x + 128 as the last byte of the f32 2^23,
//
//   0x4B0000bb = 2^23 + b        so that  x = that - (2^23 + 128)
//
// takes one permutation of bytes and one subtraction. Of four bits h = x + 8
// that lie in a word where they may be digits of a float no permutation is
// left:
//
//   0x47000h00 = 2^15 + h        so that  x = that - (2^15 + 8)
//
// So it is with pairs of 16-bit floats, whose digits have room for a byte, in
// bf16 without its sign:
//
//   0x64bb = 2^10 + b                             in f16
//   0x4300 | x & 0x7f = 2^7 + (x mod 2^7)         in bf16, less 2^7, or 2^8
//   0x4300 | x & 0x80                             where x is negative
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_PACKEDBYTES_H
#define FUSE_LIB_CONVERSION_PACKEDBYTES_H

#include "mlir/IR/Builders.h"

namespace mlir::fuse {

/// Whether a GPU has these bytes, a vector or a scalar of i8, as whole words.
bool areWords(Value bytes);

/// The numbers in f32, exactly, of signed bytes that are whole words. What
/// buildUnpacked() gave is taken from its halves.
Value buildFromWords(OpBuilder &builder, Location loc, Value bytes);

/// The same in bf16 or f16; with `inAnyOrder` by fewer instructions, and then a
/// shuffle, for those who need no order.
Value buildPairsFromWords(OpBuilder &builder, Location loc, Value bytes,
                          Type type, bool inAnyOrder = false);

/// The integers of four bits of each byte, the low half's before the high
/// half's, as bytes. On a GPU of whole words.
Value buildUnpacked(OpBuilder &builder, Location loc, Value bytes,
                    bool isUnsigned, bool onGPU);

/// Of one byte the integer of one half: that at the bit `shift`, an i8.
Value buildHalf(OpBuilder &builder, Location loc, Value byte, Value shift,
                bool isUnsigned);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_PACKEDBYTES_H
