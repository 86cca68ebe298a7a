//===- CodeFields.h - What compiled code consists of ------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One list of fields for each struct in a Code, for reading and for writing. A
// struct is taken apart as a whole, so that a field that a list lacks is an
// error of the C++ compiler.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_COMPILER_CODEFIELDS_H
#define FUSE_LIB_COMPILER_CODEFIELDS_H

#include "fuse/Compiler/Compilation.h"
#include <type_traits>

namespace fuse::jit {

template <typename Given, typename Wanted>
using EnableFor =
    std::enable_if_t<std::is_same_v<std::remove_const_t<Given>, Wanted>>;

#define FUSE_FIELDS(type, ...)                                                 \
  template <typename Archive, typename Struct>                                 \
  EnableFor<Struct, type> fields(Archive &archive, Struct &of) {               \
    auto &[__VA_ARGS__] = of;                                                  \
    archive(__VA_ARGS__);                                                      \
  }

FUSE_FIELDS(runtime::TensorSpec, name, dtype, shape, requiredAlignment, layout,
            joined, isScalar)
FUSE_FIELDS(runtime::StrideSpec, tensor, dim, isOutput)
FUSE_FIELDS(runtime::CheckSpec, lhs, kind, rhs, message)
FUSE_FIELDS(runtime::TempSpec, name, dtype, numElements, firstStep, lastStep)
FUSE_FIELDS(runtime::ConstantSpec, name, dtype, bytes)
FUSE_FIELDS(runtime::BufferRef, kind, index)
FUSE_FIELDS(runtime::TensorMapSpec, buffer, dtype, sizes, strides, box)
FUSE_FIELDS(runtime::KernelSpec, name, symbol, args, numInputs, partialResults,
            scratchResults, grid, threads, sharedBytes, cluster, cooperative,
            waits, ops, source, bytesRead, bytesWritten, bytesAtMost)
FUSE_FIELDS(runtime::CopySpec, from, to, bytes)
FUSE_FIELDS(runtime::InnermostSpec, size, dtype)
FUSE_FIELDS(runtime::SizeRanges, symbols, bounds)
FUSE_FIELDS(runtime::SizeExpr::Node, op, value)
FUSE_FIELDS(runtime::ProgramSpec, name, symbols, strides, inputs, outputs,
            temps, constants, numCounters, steps, innermost, smallBytes,
            briefBytes, fewBytes, lengths, ranges, checks)
FUSE_FIELDS(Plan, spec, inPlace, stddev)
FUSE_FIELDS(KernelOperand, name, dtype, elements, isResult, isStreamed,
            isGathered, isTaken, isShifted, lastDim, origin)
FUSE_FIELDS(KernelInfo, name, symbol, ops, schedule, vector, operands,
            bytesRead, bytesWritten, bytesAtMost)
FUSE_FIELDS(MissedFusion, producer, consumer, reason)
FUSE_FIELDS(Remark, kind, category, file, line, column, message, reason,
            suggestion, facts)
FUSE_FIELDS(mlir::fuse::KernelResources, name, registers, spillStoreBytes,
            spillLoadBytes, stackBytes, sharedBytes, leastBlocks, losesBound)
FUSE_FIELDS(mlir::fuse::SerializedMma, kernel, message)
FUSE_FIELDS(mlir::fuse::AssembledModule, assembler, assemblerName, cubin,
            kernels, serialized)
FUSE_FIELDS(Code, plan, kernels, missed, remarks, ptx, assembled, object)

#undef FUSE_FIELDS

/// A struct with a base cannot be taken apart.
template <typename Archive, typename Struct>
EnableFor<Struct, runtime::OutputSpec> fields(Archive &archive, Struct &of) {
  using Base =
      std::conditional_t<std::is_const_v<Struct>, const runtime::TensorSpec,
                         runtime::TensorSpec>;
  static_assert(sizeof(of) == sizeof(Base) + sizeof(of.mayAlias),
                "the list has all fields");
  archive(static_cast<Base &>(of), of.mayAlias);
}

} // namespace fuse::jit

#endif // FUSE_LIB_COMPILER_CODEFIELDS_H
