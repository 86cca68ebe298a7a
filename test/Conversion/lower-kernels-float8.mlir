// RUN: fuse-opt %s -split-input-file -fuse-lower-kernels | FileCheck %s --check-prefixes=CHECK,SOFT
// RUN: fuse-opt %s -split-input-file -fuse-lower-kernels=float8 | FileCheck %s --check-prefixes=CHECK,HARD
// RUN: fuse-opt %s -split-input-file -fuse-lower=chip=sm_80 | FileCheck %s --check-prefix=SOFT
// RUN: fuse-opt %s -split-input-file -fuse-lower=chip=sm_89 | FileCheck %s --check-prefix=HARD

// The instruction rounds two numbers, the second into the lower byte.
// CHECK-LABEL: gpu.func @narrow
// CHECK:         llvm.load %{{.*}} : !llvm.ptr -> vector<4xf32>
// SOFT-NOT:      llvm.call_intrinsic
// HARD-COUNT-2:  llvm.call_intrinsic "llvm.nvvm.ff.to.e4m3x2.rn"(%{{.*}}, %{{.*}}) : (f32, f32) -> i16
// CHECK:         llvm.store %{{.*}} {alignment = 4 : i64} : vector<4xi8>
func.func @f(%x: tensor<5x8xf32>) -> tensor<5x8xf8E4M3FN> {
  %y = fuse.kernel "narrow" ins(%x : tensor<5x8xf32>) -> tensor<5x8xf8E4M3FN>
      schedule = #fuse.pointwise<threads = 128, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<5x8xf32>):
    %r = fuse.cast %a : tensor<5x8xf32> -> tensor<5x8xf8E4M3FN>
    fuse.yield %r : tensor<5x8xf8E4M3FN>
  }
  return %y : tensor<5x8xf8E4M3FN>
}

// -----

// CHECK-LABEL: gpu.func @widen
// CHECK:         llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<16xi8>
// SOFT-NOT:      llvm.call_intrinsic
// HARD-COUNT-8:  llvm.call_intrinsic "llvm.nvvm.e5m2x2.to.f16x2.rn"
// CHECK:         llvm.store %{{.*}} : vector<16xf32>
func.func @f(%x: tensor<5x16xf8E5M2>) -> tensor<5x16xf32> {
  %y = fuse.kernel "widen" ins(%x : tensor<5x16xf8E5M2>) -> tensor<5x16xf32>
      schedule = #fuse.pointwise<threads = 128, vector = 16, unroll = 1> {
  ^bb0(%a: tensor<5x16xf8E5M2>):
    %r = fuse.cast %a : tensor<5x16xf8E5M2> -> tensor<5x16xf32>
    fuse.yield %r : tensor<5x16xf32>
  }
  return %y : tensor<5x16xf32>
}

// -----

// Moving is not computing: the bytes stay as they are, 16 in an access. Padding
// is the number's byte.
// CHECK-LABEL: gpu.func @move
// CHECK:         llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<16xi8>
// CHECK-NOT:     arith.extf
// CHECK:         arith.constant 60 : i8
// CHECK-NOT:     arith.truncf
// CHECK:         llvm.store %{{.*}} {alignment = 16 : i64} : vector<16xi8>
func.func @f(%x: tensor<5x16xf8E4M3FN>) -> tensor<7x16xf8E4M3FN> {
  %y = fuse.kernel "move" ins(%x : tensor<5x16xf8E4M3FN>) -> tensor<7x16xf8E4M3FN>
      schedule = #fuse.pointwise<threads = 128, vector = 16, unroll = 1> {
  ^bb0(%a: tensor<5x16xf8E4M3FN>):
    %r = fuse.pad %a low = [1, 0] high = [1, 0] value = 1.5 : tensor<5x16xf8E4M3FN> -> tensor<7x16xf8E4M3FN>
    fuse.yield %r : tensor<7x16xf8E4M3FN>
  }
  return %y : tensor<7x16xf8E4M3FN>
}
