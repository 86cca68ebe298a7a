//===- StridedImage.h - Arrays with gaps between elements -------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same values as they lie in a caller's memory when he passes a view. With
// strides [3, 1] the array [[1, 2], [4, 5]] becomes 1 2 . 4 5, where the gap is
// filled with bytes of 0xff: NaN in every float.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_FUSE_STRIDEDIMAGE_H
#define FUSE_TOOLS_FUSE_STRIDEDIMAGE_H

#include "Array.h"
#include "fuse/Runtime/ProgramSpec.h"

namespace fuse::driver {

/// The strides that `arguments` (NAME=S0,S1,...; in elements) give to each
/// input of `spec`, then to each output; none for one that is not named.
llvm::Expected<std::vector<runtime::Shape>>
parseStrides(const runtime::ProgramSpec &spec,
             llvm::ArrayRef<std::string> arguments);

/// The bytes of `array` laid out as `view`, which has its shape, says.
llvm::Expected<std::vector<char>> spread(const Array &array,
                                         const runtime::TensorView &view);

/// The inverse: takes the elements of `view` from `image`. Elements that share
/// a place (a stride of 0) get one value.
void gather(Array &array, const runtime::TensorView &view,
            llvm::ArrayRef<char> image);

/// As gather(), and checks that the gaps are as spread() has left them. `name`
/// is for the error.
llvm::Error gatherWritten(Array &array, const runtime::TensorView &view,
                          llvm::ArrayRef<char> image, llvm::StringRef name);

} // namespace fuse::driver

#endif // FUSE_TOOLS_FUSE_STRIDEDIMAGE_H
