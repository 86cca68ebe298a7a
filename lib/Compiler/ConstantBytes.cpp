//===- ConstantBytes.cpp - A constant as the device stores it -------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConstantBytes.h"
#include "fuse/Explain/Diagnostics.h"

using llvm::Expected;
using namespace mlir;

namespace fuse::jit {

static void append(std::vector<uint8_t> &bytes, const APInt &value) {
  unsigned count = llvm::divideCeil(value.getBitWidth(), 8);
  uint64_t bits = value.getZExtValue();
  for (unsigned i = 0; i < count; ++i)
    bytes.push_back(bits >> (8 * i));
}

Expected<std::vector<uint8_t>> constantBytes(ElementsAttr value,
                                             Location location) {
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense)
    return makeError(location, "expected a constant written as dense<...>, "
                               "but got another form; spell out its elements "
                               "or pass it as an input");
  std::vector<uint8_t> bytes;
  if (isa<FloatType>(dense.getElementType()))
    for (const APFloat &element : dense.getValues<APFloat>())
      append(bytes, element.bitcastToAPInt());
  else
    for (const APInt &element : dense.getValues<APInt>())
      append(bytes, element);
  return bytes;
}

} // namespace fuse::jit
