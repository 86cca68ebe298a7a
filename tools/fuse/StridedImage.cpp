//===- StridedImage.cpp - Arrays with gaps between elements ---------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StridedImage.h"
#include "Inputs.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cstring>

using namespace llvm;
using namespace fuse::runtime;

namespace fuse::driver {

static Expected<Shape> parseNumbers(StringRef name, StringRef text,
                                    size_t rank) {
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  Shape strides;
  for (StringRef part : parts) {
    int64_t stride;
    if (part.getAsInteger(10, stride) || stride < 0)
      return createStringError(
          inconvertibleErrorCode(),
          formatv("expected the strides of '{0}' to be numbers of 0 or more, "
                  "but got '{1}'; write them as {0}=8192,1",
                  name, part));
    strides.push_back(stride);
  }
  if (strides.size() == rank)
    return strides;
  return createStringError(
      inconvertibleErrorCode(),
      formatv("expected a stride for each of the {0} dims of '{1}', but got "
              "{2}; separate them by commas",
              rank, name, strides.size()));
}

Expected<std::vector<Shape>> parseStrides(const ProgramSpec &spec,
                                          ArrayRef<std::string> arguments) {
  std::vector<const TensorSpec *> tensors;
  for (const TensorSpec &input : spec.inputs)
    tensors.push_back(&input);
  for (const TensorSpec &output : spec.outputs)
    tensors.push_back(&output);
  std::vector<std::string> names;
  for (const TensorSpec *tensor : tensors)
    names.push_back(tensor->name);
  auto given = parseAssignments(arguments, "strides", names);
  if (!given)
    return given.takeError();
  std::vector<Shape> result;
  for (const TensorSpec *tensor : tensors) {
    result.emplace_back();
    auto it = given->find(tensor->name);
    if (it == given->end())
      continue;
    Expected<Shape> strides =
        parseNumbers(tensor->name, it->second, tensor->shape.size());
    if (!strides)
      return strides.takeError();
    result.back() = std::move(*strides);
  }
  return std::move(result);
}

/// Calls `visit` with the place of each element of the view, in row-major
/// order.
static void forEachPlace(const TensorView &view,
                         function_ref<void(int64_t)> visit) {
  if (is_contained(view.shape, 0))
    return;
  Shape index(view.shape.size(), 0);
  int64_t place = 0;
  while (true) {
    visit(place);
    size_t dim = index.size();
    while (dim > 0 && ++index[dim - 1] == view.shape[dim - 1]) {
      place -= (view.shape[dim - 1] - 1) * view.strides[dim - 1];
      index[--dim] = 0;
    }
    if (dim == 0)
      return;
    place += view.strides[dim - 1];
  }
}

Expected<std::vector<char>> spread(const Array &array, const TensorView &view) {
  Expected<int64_t> span = view.span();
  if (!span)
    return span.takeError();
  int64_t size = sizeInBytes(array.dtype);
  std::vector<char> image(*span * size, char(0xff));
  const auto *from = static_cast<const char *>(array.buffer->data());
  forEachPlace(view, [&](int64_t place) {
    std::memcpy(&image[place * size], from, size);
    from += size;
  });
  return std::move(image);
}

void gather(Array &array, const TensorView &view, ArrayRef<char> image) {
  int64_t size = sizeInBytes(array.dtype);
  auto *to = static_cast<char *>(array.buffer->data());
  forEachPlace(view, [&](int64_t place) {
    std::memcpy(to, &image[place * size], size);
    to += size;
  });
}

Error gatherWritten(Array &array, const TensorView &view, ArrayRef<char> image,
                    StringRef name) {
  gather(array, view, image);
  Expected<std::vector<char>> wanted = spread(array, view);
  if (!wanted)
    return wanted.takeError();
  auto [written, untouched] =
      std::mismatch(image.begin(), image.end(), wanted->begin(), wanted->end());
  if (written == image.end())
    return Error::success();
  return createStringError(
      inconvertibleErrorCode(),
      formatv("expected nothing to be written between the elements of '{0}', "
              "but got a write to byte {1}; report this program",
              name, written - image.begin()));
}

} // namespace fuse::driver
