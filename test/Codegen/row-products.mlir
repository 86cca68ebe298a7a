// RUN: fuse inspect %s --target cuda --chip sm_90 --emit=ptx --no-cache | FileCheck %s

// Two rows of each thread: of each 32-bit word of a row four pairs of 16-bit floats, with
// three shifts and no other moves, and an instruction of tensor cores for four words of
// both rows. What is scaled are sums. The matrix leaves the row that all share in the L1.
// CHECK-LABEL:    .entry product(
// CHECK-COUNT-32: lop3.b32 {{.*}}, 983055, {{.*}}, 106;
// CHECK-NOT:      mul.{{.*}}bf16x2
// CHECK:          ret;

// RUN: fuse inspect %s --target cuda --chip sm_90 --emit=ptx --no-cache | FileCheck %s --check-prefix=MMA
// MMA-LABEL:   .entry product(
// MMA-COUNT-2: ld.global.L1::evict_first.L2::cache_hint.v4.b32
// MMA-NOT:     evict_first
// MMA-COUNT-8: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// MMA-NOT:     mma.sync
func.func @product(%x: tensor<1x1x1024xbf16>, %w: tensor<64x512xi8>, %s: tensor<64x8x1xbf16>) -> tensor<1x64xf32> {
  %0 = fuse.kernel "product" ins(%w, %s, %x : tensor<64x512xi8>, tensor<64x8x1xbf16>, tensor<1x1x1024xbf16>) -> tensor<1x64xf32>
      schedule = #fuse.rows<threads = 64, vector = 32, rows_per_block = 4, hold = registers<rows_per_thread = 2>> {
  ^bb0(%a: tensor<64x512xi8>, %b: tensor<64x8x1xbf16>, %c: tensor<1x1x1024xbf16>):
    %q = fuse.unpack %a : tensor<64x512xi8> -> tensor<64x1024xi8>
    %g = tensor.expand_shape %q [[0], [1, 2]] output_shape [64, 8, 128] : tensor<64x1024xi8> into tensor<64x8x128xi8>
    %f = fuse.cast %g : tensor<64x8x128xi8> -> tensor<64x8x128xbf16>
    %d = fuse.mul %f, %b : tensor<64x8x128xbf16>, tensor<64x8x1xbf16> -> tensor<64x8x128xbf16>
    %r = tensor.collapse_shape %d [[0], [1, 2]] : tensor<64x8x128xbf16> into tensor<64x1024xbf16>
    %e = tensor.expand_shape %r [[0, 1], [2]] output_shape [1, 64, 1024] : tensor<64x1024xbf16> into tensor<1x64x1024xbf16>
    %h = fuse.cast %e : tensor<1x64x1024xbf16> -> tensor<1x64x1024xf32>
    %i = fuse.cast %c : tensor<1x1x1024xbf16> -> tensor<1x1x1024xf32>
    %p = fuse.mul %h, %i : tensor<1x64x1024xf32>, tensor<1x1x1024xf32>
    %y = fuse.reduce sum %p dims = [2] : tensor<1x64x1024xf32> -> tensor<1x64xf32>
    fuse.yield %y : tensor<1x64xf32>
  }
  return %0 : tensor<1x64xf32>
}
