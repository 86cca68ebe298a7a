//===- ScoreMasks.h - Which scores a mask hides -----------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A softmax of scores, see StreamedSpace.h, may be masked:
//
//   %visible = fuse.compare le %key, %query        places along n and along m
//   %x = fuse.select %visible, %s, -inf
//
// Where both sides of a comparison are affine in the places, the keys that a
// row sees are a range, and so are, of all rows of a tile, those that some of
// them see and those that all do. Tiles of keys that no row sees need not be
// read, and in tiles that all rows see the mask is true.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_SCOREMASKS_H
#define FUSE_ANALYSIS_SCOREMASKS_H

#include "fuse/Analysis/StreamedSpace.h"

namespace mlir::fuse {

/// keys * n + queries * m + constant + terms, with n and m a score's places.
struct AffinePlace {
  /// `factor` times a size, the place along an outer axis of the scores, or an
  /// integer that is the same for all keys; one of the three. `ofRows`: that
  /// differs along the queries.
  struct Term {
    int64_t factor;
    std::optional<Extent> size = std::nullopt;
    std::optional<unsigned> axis = std::nullopt;
    Value value = {};
    bool ofRows = false;
  };
  int64_t keys = 0, queries = 0, constant = 0;
  SmallVector<Term, 2> terms;

  void add(const AffinePlace &other, int64_t factor);
};

/// A condition of i1 elements: both or one of two others, an affine value that
/// is not positive, always or never; or nothing that is known.
struct ScoreCondition {
  enum Kind { Unknown, Both, Either, NotPositive, Always, Never };
  Kind kind = Unknown;
  AffinePlace place;
  std::vector<ScoreCondition> parts;

  /// Whether it says anything about the keys.
  bool boundsKeys() const;
};

/// A mask: the scores count where `value` is `wanted`.
struct ScoreMask {
  Value value;
  bool wanted;
  ScoreCondition condition;
  /// Whether the others are -inf, so that their exponentials are 0.
  bool hides;
};

/// The masks that lie on the way from the scores to the softmax, of which
/// something is known.
SmallVector<ScoreMask> scoreMasksOf(const StreamedSpace &space,
                                    const DimClasses &dims);

/// Whether whole tiles of keys are left out.
bool hidesTiles(ArrayRef<ScoreMask> masks);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_SCOREMASKS_H
