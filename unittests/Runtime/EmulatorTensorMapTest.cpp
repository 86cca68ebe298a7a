//===- EmulatorTensorMapTest.cpp - Boxes, swizzles, matrices --------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorTensorMap.h"
#include "EmulatorMatrices.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <set>

using namespace llvm;
using namespace fuse::runtime;
using testing::HasSubstr;

namespace {

alignas(16) char buffer[64];

/// 37 rows of 100 elements of 2 bytes, 256 bytes apart; boxes of 16 rows of 64.
TensorMapShape rowsOf100() {
  TensorMapShape shape;
  shape.rank = 2;
  shape.elementBytes = 2;
  shape.sizes = {100, 37};
  shape.strides = {0, 256};
  shape.box = {64, 16};
  return shape;
}

std::string errorOf(const TensorMapShape &shape, void *base = buffer,
                    TensorSwizzle swizzle = TensorSwizzle::Bytes128) {
  return toString(EmulatorTensorMap::make(base, shape, swizzle).takeError());
}

std::vector<TensorRow> rowsAt(const TensorMapShape &shape,
                              ArrayRef<int32_t> origin) {
  return cantFail(
             EmulatorTensorMap::make(buffer, shape, TensorSwizzle::Bytes128))
      .rows(origin);
}

} // namespace

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

TEST(EmulatorTensorMapTest, ClipsAtEveryEdge) {
  std::vector<TensorRow> inside = rowsAt(rowsOf100(), {0, 0});
  ASSERT_EQ(inside.size(), 16u);
  EXPECT_EQ(inside[15].global, 15 * 256);
  EXPECT_EQ(inside[15].shared, 15 * 128);
  EXPECT_EQ(inside[15].bytes, 128);

  std::vector<TensorRow> corner = rowsAt(rowsOf100(), {64, 32});
  ASSERT_EQ(corner.size(), 5u);
  EXPECT_EQ(corner[4].global, 36 * 256 + 128);
  EXPECT_EQ(corner[4].shared, 4 * 128);
  EXPECT_EQ(corner[4].bytes, 72);

  std::vector<TensorRow> before = rowsAt(rowsOf100(), {-8, -15});
  ASSERT_EQ(before.size(), 1u);
  EXPECT_EQ(before[0].global, 0);
  EXPECT_EQ(before[0].shared, 15 * 128 + 16);
  EXPECT_EQ(before[0].bytes, 112);

  EXPECT_TRUE(rowsAt(rowsOf100(), {128, 0}).empty());
  EXPECT_TRUE(rowsAt(rowsOf100(), {0, 37}).empty());
  EXPECT_TRUE(rowsAt(rowsOf100(), {-64, 0}).empty());
}

TEST(EmulatorTensorMapTest, WalksOuterDimensions) {
  TensorMapShape shape = rowsOf100();
  shape.rank = 3;
  shape.sizes[2] = 4;
  shape.strides[2] = 37 * 256;
  shape.box = {64, 2, 3};
  std::vector<TensorRow> rows = rowsAt(shape, {0, 36, 2});
  // Rows 36 of planes 2 and 3: the second row and the third plane are outside.
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].global, 36 * 256 + 3 * 37 * 256);
  EXPECT_EQ(rows[1].shared, 2 * 128);
}

TEST(EmulatorTensorMapTest, RefusesWhatADriverWould) {
  EXPECT_EQ(errorOf(rowsOf100()), "");
  EXPECT_THAT(errorOf(rowsOf100(), buffer + 8),
              HasSubstr("to be aligned to 16 bytes, but got 8 bytes past"));
  TensorMapShape shape = rowsOf100();
  shape.strides[1] = 200;
  EXPECT_THAT(errorOf(shape), HasSubstr("multiples of 16 bytes below 2^40, but "
                                        "got 200 in dimension 1"));
  shape = rowsOf100();
  shape.box[1] = 257;
  EXPECT_THAT(errorOf(shape),
              HasSubstr("boxes of 1 to 256 elements, but got 37 "
                        "and 257 in dimension 1"));
  shape = rowsOf100();
  shape.sizes[0] = 0;
  EXPECT_THAT(errorOf(shape), HasSubstr("sizes from 1"));
  shape = rowsOf100();
  shape.box[0] = 32;
  EXPECT_THAT(errorOf(shape),
              HasSubstr("a swizzle of 128 bytes to have rows of 128 bytes, but "
                        "got 64"));
  EXPECT_EQ(errorOf(shape, buffer, TensorSwizzle::Bytes64), "");
  EXPECT_EQ(errorOf(shape, buffer, TensorSwizzle::None), "");
  shape.rank = 6;
  EXPECT_THAT(errorOf(shape), HasSubstr("1 to 5 dimensions, but got 6"));
}

TEST(EmulatorTensorMapTest, IsKnownAmongArguments) {
  EmulatorTensorMap map = cantFail(
      EmulatorTensorMap::make(buffer, rowsOf100(), TensorSwizzle::Bytes128));
  TensorMap argument = map.asArgument();
  const EmulatorTensorMap *found = EmulatorTensorMap::of(&argument);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->base(), buffer);
  EXPECT_TRUE(found->shape() == map.shape());
  EXPECT_EQ(found->boxBytes(), 16 * 128);
  TensorMap other;
  EXPECT_FALSE(EmulatorTensorMap::of(&other));
}

TEST(EmulatorTensorMapTest, SwizzlesChangeChunksWithinRows) {
  // Row r of a pattern of 8 rows: chunk c lies at c ^ r.
  EXPECT_EQ(swizzled(3 * 128 + 5 * 16 + 7, TensorSwizzle::Bytes128),
            3u * 128 + (5 ^ 3) * 16 + 7);
  // Rows of 64 bytes, two of which are 128: chunks by pairs of rows.
  EXPECT_EQ(swizzled(5 * 64 + 1 * 16, TensorSwizzle::Bytes64),
            5u * 64 + (1 ^ 2) * 16);
  EXPECT_EQ(swizzled(5 * 32 + 16, TensorSwizzle::Bytes32), 5u * 32);
  EXPECT_EQ(swizzled(1000, TensorSwizzle::None), 1000u);
  for (auto swizzle : {TensorSwizzle::Bytes32, TensorSwizzle::Bytes64,
                       TensorSwizzle::Bytes128}) {
    std::set<uint64_t> places;
    for (uint64_t address = 0; address < 2048; ++address) {
      places.insert(swizzled(address, swizzle));
      EXPECT_EQ(swizzled(swizzled(address, swizzle), swizzle), address);
    }
    EXPECT_EQ(places.size(), 2048u);
    EXPECT_EQ(*places.rbegin(), 2047u);
  }
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

namespace {
/// A descriptor, with its fields in units of 16 bytes.
uint64_t descriptor(uint64_t start, uint64_t leading, uint64_t stride,
                    uint64_t swizzle) {
  return start | leading << 16 | stride << 32 | swizzle << 62;
}

/// Where element {row, k} lies.
uint32_t placeOf(uint64_t bits, unsigned rows, bool isTransposed, unsigned row,
                 unsigned k) {
  auto chunks =
      chunksOf(MatrixDescriptor::decode(bits), rows, isTransposed).value();
  for (const MatrixChunk &chunk : chunks) {
    unsigned inRow = row - chunk.row, inK = k - chunk.k;
    if (isTransposed ? inRow < 8 && inK == 0 : inRow == 0 && inK < 8)
      return chunk.address + 2 * (inRow + inK);
  }
  return ~0u;
}
} // namespace

TEST(EmulatorMatricesTest, ContiguousK) {
  // At 4096, 8 rows are 1024 bytes.
  uint64_t bits = descriptor(256, 1, 64, 1);
  EXPECT_EQ(placeOf(bits, 64, false, 0, 0), 4096u);
  EXPECT_EQ(placeOf(bits, 64, false, 0, 9), 4096u + 18);
  EXPECT_EQ(placeOf(bits, 64, false, 3, 0), 4096u + 3 * 128 + 3 * 16);
  EXPECT_EQ(placeOf(bits, 64, false, 21, 9),
            4096u + 2 * 1024 + 5 * 128 + (1 ^ 5) * 16 + 2);
  // The next 16 of K are 32 bytes on.
  EXPECT_EQ(placeOf(bits + 2, 64, false, 21, 9),
            4096u + 2 * 1024 + 5 * 128 + (3 ^ 5) * 16 + 2);
  // Without a swizzle: 8 x 8 elements in 128 bytes, 8 of K 256 bytes apart.
  bits = descriptor(256, 16, 32, 0);
  EXPECT_EQ(placeOf(bits, 64, false, 21, 9),
            4096u + 2 * 512 + 256 + 5 * 16 + 2);
  // Rows of 64 and of 32 bytes.
  EXPECT_EQ(placeOf(descriptor(0, 1, 32, 2), 64, false, 13, 9),
            512u + 5 * 64 + (1 ^ 2) * 16 + 2);
  EXPECT_EQ(placeOf(descriptor(0, 1, 16, 3), 64, false, 13, 9),
            256u + 5 * 32 + (1 ^ 1) * 16 + 2);
}

TEST(EmulatorMatricesTest, ContiguousRows) {
  // 64 rows of N in 128 bytes, 8 of K in 1024, the next 64 of N 16 KiB on.
  uint64_t bits = descriptor(0, 1024, 64, 1);
  EXPECT_EQ(placeOf(bits, 128, true, 10, 3), 3u * 128 + (1 ^ 3) * 16 + 4);
  EXPECT_EQ(placeOf(bits, 128, true, 64 + 10, 8 + 3),
            16384u + 1024 + 3 * 128 + (1 ^ 3) * 16 + 4);
  EXPECT_FALSE(
      chunksOf(MatrixDescriptor::decode(descriptor(0, 1, 64, 0)), 64, true));
}

TEST(EmulatorMatricesTest, FragmentsCoverEveryElementOnce) {
  std::set<std::pair<unsigned, unsigned>> sums, elements;
  for (unsigned warp = 0; warp < 4; ++warp)
    for (unsigned lane = 0; lane < 32; ++lane) {
      for (unsigned i = 0; i < 32; ++i) {
        SumPlace place = placeOfSum(warp, lane, i);
        sums.insert({place.row, place.column});
      }
      for (unsigned i = 0; i < 4; ++i) {
        SumPlace place = placeOfA(warp, lane, i);
        elements.insert({place.row, place.column});
        elements.insert({place.row, place.column + 1});
      }
    }
  EXPECT_EQ(sums.size(), 64u * 64);
  EXPECT_EQ(*sums.rbegin(), std::make_pair(63u, 63u));
  EXPECT_EQ(elements.size(), 64u * 16);
  EXPECT_EQ(*elements.rbegin(), std::make_pair(63u, 15u));
  // Figures of the PTX ISA, of m64nNk16: the sums of thread 37, and its A.
  EXPECT_EQ(placeOfSum(1, 5, 6).row, 16u + 1 + 8);
  EXPECT_EQ(placeOfSum(1, 5, 6).column, 8u + 2);
  EXPECT_EQ(placeOfA(1, 5, 1).row, 16u + 1 + 8);
  EXPECT_EQ(placeOfA(1, 5, 1).column, 2u);
  EXPECT_EQ(placeOfA(1, 5, 2).row, 16u + 1);
  EXPECT_EQ(placeOfA(1, 5, 2).column, 8u + 2);
}

/// 1 is a 13th bit behind 8192, and is lost behind 16384.
TEST(EmulatorMatricesTest, AddsProductsOf8BitsWithFewBits) {
  std::vector<float> a(64 * 32, 1), b(8 * 32), sums(64 * 8, 8192);
  b[7 * 32 + 3] = factorToFloat(0x38, EmulatorFactor::E4M3); // 1
  b[6 * 32 + 3] = factorToFloat(0x38, EmulatorFactor::E5M2); // 0.5
  sums[7] = 16384;
  multiplyAddShort(a, b, sums);
  EXPECT_EQ(sums[8 + 7], 8193);
  EXPECT_EQ(sums[8 + 6], 8192);
  EXPECT_EQ(sums[7], 16384);
}

/// 8 elements of 32 bits are a row of an instruction; 13 bits do not count.
TEST(EmulatorMatricesTest, ReadsTF32) {
  EXPECT_EQ(factorToFloat(0x3f801fff, EmulatorFactor::TF32), 1);
  EXPECT_EQ(factorToFloat(0xbf802000, EmulatorFactor::TF32), -1 - 0x1p-10f);
  EXPECT_EQ(depthOf(EmulatorFactor::TF32), 8u);
  auto chunks = chunksOf(MatrixDescriptor::decode(descriptor(0, 1, 64, 1)), 64,
                         /*isTransposed=*/false, /*elementBytes=*/4);
  ASSERT_TRUE(chunks);
  EXPECT_EQ((*chunks)[2 * 9 + 1].row, 9u);
  EXPECT_EQ((*chunks)[2 * 9 + 1].k, 4u);
  EXPECT_EQ((*chunks)[2 * 9 + 1].address, 1024u + 128 + (1 ^ 1) * 16);
  EXPECT_FALSE(chunksOf(MatrixDescriptor::decode(descriptor(0, 1024, 64, 1)),
                        64, /*isTransposed=*/true, /*elementBytes=*/4));
}

TEST(EmulatorMatricesTest, MultipliesAndAdds) {
  std::vector<float> a(64 * 16), b(8 * 16), sums(64 * 8, 1);
  a[5 * 16 + 3] = 2;
  b[7 * 16 + 3] = halfToFloat(0x4248, /*isBFloat=*/false); // 3.140625
  multiplyAdd(a, b, sums);
  EXPECT_EQ(sums[5 * 8 + 7], 7.28125f);
  EXPECT_EQ(sums[5 * 8 + 6], 1);
  EXPECT_EQ(halfToFloat(0xc049, /*isBFloat=*/true), -3.140625f);
}
