//===- RowEdges.h - Vectors of rows that start anywhere ---------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows that no vector divides start anywhere between two aligned places. Their
// whole vectors begin at the first one, and what is before and behind these,
// the edges, goes to the threads an element each. A vector that only some
// threads have costs all of them a step, so that where edges have room for what
// it would hold, there is none.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_ROWEDGES_H
#define FUSE_ANALYSIS_ROWEDGES_H

#include <cstdint>

namespace mlir::fuse {

struct RowEdges {
  /// The first whole vector starts at a multiple of so many elements: a line of
  /// the caches, so that a warp's accesses touch no more lines than they fill,
  /// or less where a line leaves more edges than threads, or a vector that only
  /// some of them have.
  int64_t unit;
  /// Vectors that every row has, wherever it starts.
  int64_t least;
  /// Vectors of each row if all threads have as many, at least one; else 0, and
  /// a row has as many as fit.
  int64_t even;
};

/// Of rows of `length` elements of so many bytes, in vectors of `vector`,
/// shared by `threads`, at least twice as many as these. Vectors of 16 bytes
/// start at whole sectors of 32: where they do not, a warp touches one more for
/// each row, which costs more than vectors that some threads have not.
RowEdges rowEdges(int64_t length, int64_t vector, int64_t threads,
                  int64_t elementBytes);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_ROWEDGES_H
