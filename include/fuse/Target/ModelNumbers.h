//===- ModelNumbers.h - What models have from measurements ------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers that no data sheet has: fitted to times, found by sweeps, or counted
// in compiled kernels. Each is a line of data in Numbers/*.inc, with its unit
// (2^n for powers of two) and what it is; the first line of a file says from
// which times it has them and what writes them. Scripts of tools/tuning write
// the files. They are those of an H200; another board has its own where its
// file in lib/Target/Boards, or what follows a chip's name, says so:
// "sm_90a+time.edgeSeconds=3e-6".
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_TARGET_MODELNUMBERS_H
#define FUSE_TARGET_MODELNUMBERS_H

#include <cstdint>
#include <type_traits>

namespace mlir::fuse {

/// Counts are whole numbers.
template <typename T>
using ModelNumber = std::conditional_t<std::is_integral_v<T>, int64_t, double>;

#define FUSE_NUMBER(model, name, value, unit, text)                            \
  ModelNumber<decltype(value)> name = value;

/// By model.
struct ModelNumbers {
  /// How long a launch takes (TimeModel.h).
  struct {
#include "fuse/Target/Numbers/Time.inc"
  } time;
  /// What a block does under a schedule.
  struct {
#include "fuse/Target/Numbers/Work.inc"
  } work;
  /// Schedules of rows of any length, which are walked in loops.
  struct {
#include "fuse/Target/Numbers/Rows.inc"
  } rows;
  /// Schedules of reductions over other dimensions than the last.
  struct {
#include "fuse/Target/Numbers/Columns.inc"
  } columns;
  struct {
#include "fuse/Target/Numbers/Pointwise.inc"
  } pointwise;
  struct {
#include "fuse/Target/Numbers/Transpose.inc"
  } transpose;
  /// Scans and selections.
  struct {
#include "fuse/Target/Numbers/Ordered.inc"
  } ordered;
  /// How fast a multiprocessor runs tiles by wgmma. Bytes and clocks are of one
  /// multiprocessor unless said otherwise.
  struct {
#include "fuse/Target/Numbers/Wgmma.inc"
  } wgmma;
  /// The same by mma.sync.
  struct {
#include "fuse/Target/Numbers/MmaSync.inc"
  } mmaSync;
  /// A softmax between contractions.
  struct {
#include "fuse/Target/Numbers/Streamed.inc"
  } streamed;
  /// Contractions on ordinary cores.
  struct {
#include "fuse/Target/Numbers/Tiled.inc"
  } tiled;
  /// Among schedules that a model takes for alike.
  struct {
#include "fuse/Target/Numbers/Choice.inc"
  } choice;
  /// What fusion assumes of schedules that are not chosen yet.
  struct {
#include "fuse/Target/Numbers/Fusion.inc"
  } fusion;
};

inline constexpr ModelNumbers shippedNumbers;

/// Of a CPU. Fusion does not depend on the one that it runs on.
struct HostNumbers {
#include "fuse/Target/Numbers/Host.inc"
};
inline constexpr HostNumbers hostNumbers;

#undef FUSE_NUMBER

} // namespace mlir::fuse

#endif // FUSE_TARGET_MODELNUMBERS_H
