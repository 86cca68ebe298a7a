// RUN: fuse-opt %s -split-input-file -fuse-lower-kernels | FileCheck %s

// What streams leaves the L2 first, in whole steps and in what is left of them;
// what all elements share stays.
// CHECK-LABEL: gpu.func @columns
// CHECK:         scf.for
// CHECK:           llvm.inline_asm {{.*}}"createpolicy.fractional.L2::evict_first.b64 $0, 1.0;"
// CHECK:           llvm.inline_asm has_side_effects {{.*}}"ld.global.L1::evict_first.L2::cache_hint.v4.b32 {$0, $1, $2, $3}, [$4], $5;", "=r,=r,=r,=r,l,l,~{memory}"
// CHECK:           ld.global.L1::evict_first.L2::cache_hint.v4.b32
// CHECK-NOT:       ld.global
// CHECK:         scf.for
// CHECK:           ld.global.L1::evict_first.L2::cache_hint.v4.b32
// CHECK-NOT:     ld.global
// CHECK:         llvm.load {{.*}} : !llvm.ptr -> bf16
// CHECK:         gpu.return
func.func @columns(%x: tensor<?x512xbf16>, %w: tensor<512xbf16>) -> tensor<512xbf16> {
  %y = fuse.kernel "columns" ins(%x, %w : tensor<?x512xbf16>, tensor<512xbf16>) -> tensor<512xbf16>
      schedule = #fuse.columns<threads = 256, vector = 8, splits = 8, hold = loop<unroll = 2>, evict_first = true> {
  ^bb0(%a: tensor<?x512xbf16>, %b: tensor<512xbf16>):
    %s = fuse.reduce sum %a dims = [0] : tensor<?x512xbf16> -> tensor<512xbf16>
    %r = fuse.mul %s, %b : tensor<512xbf16>
    fuse.yield %r : tensor<512xbf16>
  }
  return %y : tensor<512xbf16>
}

// -----

// Places that a thread holds.
// CHECK-LABEL: gpu.func @held
// CHECK-COUNT-2: ld.global.L1::evict_first.L2::cache_hint.v4.b32
// CHECK-NOT:     ld.global
// CHECK:         gpu.return
func.func @held(%x: tensor<16x512xf32>) -> tensor<512xf32> {
  %y = fuse.kernel "held" ins(%x : tensor<16x512xf32>) -> tensor<512xf32>
      schedule = #fuse.columns<threads = 256, vector = 4, splits = 8, hold = registers, evict_first = true> {
  ^bb0(%a: tensor<16x512xf32>):
    %s = fuse.reduce sum %a dims = [0] : tensor<16x512xf32> -> tensor<512xf32>
    fuse.yield %s : tensor<512xf32>
  }
  return %y : tensor<512xf32>
}
