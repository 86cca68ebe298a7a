//===- DType.cpp - Element types of runtime tensors -----------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Runtime/DType.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/ErrorHandling.h"

using namespace fuse::runtime;

int64_t fuse::runtime::sizeInBytes(DType dtype) {
  switch (dtype) {
  case DType::I1:
  case DType::I8:
  case DType::UI8:
  case DType::F8E4M3FN:
  case DType::F8E5M2:
    return 1;
  case DType::F16:
  case DType::BF16:
  case DType::I16:
    return 2;
  case DType::F32:
  case DType::I32:
    return 4;
  case DType::F64:
  case DType::I64:
    return 8;
  }
  llvm_unreachable("covered switch");
}

llvm::StringRef fuse::runtime::name(DType dtype) {
  switch (dtype) {
  case DType::F32:
    return "f32";
  case DType::F16:
    return "f16";
  case DType::BF16:
    return "bf16";
  case DType::F64:
    return "f64";
  case DType::I1:
    return "i1";
  case DType::I32:
    return "i32";
  case DType::I64:
    return "i64";
  case DType::I8:
    return "i8";
  case DType::I16:
    return "i16";
  case DType::UI8:
    return "ui8";
  case DType::F8E4M3FN:
    return "f8E4M3FN";
  case DType::F8E5M2:
    return "f8E5M2";
  }
  llvm_unreachable("covered switch");
}

std::optional<DType> fuse::runtime::parseDType(llvm::StringRef text) {
  return llvm::StringSwitch<std::optional<DType>>(text)
      .Case("f32", DType::F32)
      .Case("f16", DType::F16)
      .Case("bf16", DType::BF16)
      .Case("f64", DType::F64)
      .Case("i1", DType::I1)
      .Case("i32", DType::I32)
      .Case("i64", DType::I64)
      .Case("i8", DType::I8)
      .Case("i16", DType::I16)
      .Case("ui8", DType::UI8)
      .Case("f8E4M3FN", DType::F8E4M3FN)
      .Case("f8E5M2", DType::F8E5M2)
      .Default(std::nullopt);
}
