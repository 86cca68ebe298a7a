// RUN: fuse inspect %s --target cuda --chip sm_90 --emit=ptx --no-cache | FileCheck %s

// Each four bits become an f32 by one instruction that keeps them and sets its
// other bits, and one subtraction; those of the upper half are shifted first.
// CHECK-LABEL:   .entry product(
// CHECK-NOT:     prmt
// CHECK-DAG:     lop3.b32 {{.*}}, 15, 1258291208, 106;
// CHECK-DAG:     lop3.b32 {{.*}}, 61440, 1157660672, 106;
// CHECK-DAG:     shr.u32 {{.*}}, 16;
// CHECK:         ret;

// The scale of a group is multiplied with sums of four lanes, not with each
// element.
// RUN: fuse inspect %s --target cuda --chip sm_90 --emit=ptx --no-cache | FileCheck %s --check-prefix=FACTOR
// FACTOR-LABEL:   .entry product(
// FACTOR-COUNT-4:  mul.f32
// FACTOR-COUNT-28: fma.rn.f32
// FACTOR-COUNT-2:  mul.f32
// FACTOR-COUNT-2:  fma.rn.f32
// FACTOR-NOT:      {{mul.f32|fma}}
func.func @product(%x: tensor<1x1024xbf16>, %w: tensor<64x512xi8>, %s: tensor<64x8x1xbf16>) -> tensor<1x64xbf16> {
  %q = fuse.unpack %w : tensor<64x512xi8> -> tensor<64x1024xi8>
  %g = tensor.expand_shape %q [[0], [1, 2]] output_shape [64, 8, 128] : tensor<64x1024xi8> into tensor<64x8x128xi8>
  %f = fuse.cast %g : tensor<64x8x128xi8> -> tensor<64x8x128xbf16>
  %d = fuse.mul %f, %s : tensor<64x8x128xbf16>, tensor<64x8x1xbf16> -> tensor<64x8x128xbf16>
  %r = tensor.collapse_shape %d [[0], [1, 2]] : tensor<64x8x128xbf16> into tensor<64x1024xbf16>
  %y = fuse.matmul %x, %r transpose_rhs : tensor<1x1024xbf16>, tensor<64x1024xbf16> -> tensor<1x64xbf16>
  return %y : tensor<1x64xbf16>
}
