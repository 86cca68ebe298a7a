//===- Boards.h - Boards, as files of data ----------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A chip, such as sm_89, is built into several boards: an L4 has 58
// multiprocessors and reads 300 GB/s, an RTX 4090 has 128 and reads 1008. Only
// the choice of schedules depends on that. Boards/*.json describe those that
// Fuse knows, and users can bring such a file of their own:
//
//   {"name": "l4", "title": "L4", "chip": "sm_89", "measured": false,
//    "multiprocessors": 58, "memory_bytes_per_second": 300e9, ...}
//
// What a board does not say is that of its chip's default board.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_TARGET_BOARDS_H
#define FUSE_LIB_TARGET_BOARDS_H

#include "fuse/Target/GPUTarget.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::fuse {

/// Finds a chip on its default board.
using ChipLookup =
    llvm::function_ref<llvm::Expected<GPUTarget>(llvm::StringRef chip)>;

/// The chip on the board that is its default; every chip has one.
GPUTarget onDefaultBoard(GPUTarget chip);

bool isBoard(llvm::StringRef name);
llvm::SmallVector<llvm::StringRef> boardNames();

/// The chip of a known board, on it.
llvm::Expected<GPUTarget> onBoard(llvm::StringRef name, ChipLookup ofChip);

/// The chip of the board that a file describes, on it. Fails where the file
/// cannot be read, or has a key or a value that no board has.
llvm::Expected<GPUTarget> onBoardOfFile(llvm::StringRef path,
                                        ChipLookup ofChip);

/// The target with numbers of its board replaced: "multiprocessors=76" and
/// others, joined by '+'.
llvm::Expected<GPUTarget> withSettings(GPUTarget target,
                                       llvm::StringRef settings);

} // namespace mlir::fuse

#endif // FUSE_LIB_TARGET_BOARDS_H
