// RUN: fuse-opt %s -split-input-file -fuse-lower-kernels=float8=true | FileCheck %s
// RUN: fuse-opt %s -split-input-file -fuse-lower-kernels | FileCheck %s --check-prefix=NONE

// A product and its correction; the reciprocal of what all lanes share is taken
// once. The division is carried out where the result is not a number.
// CHECK-LABEL: gpu.func @quotient
// CHECK:         %[[S:.*]] = llvm.load %{{.*}} -> f32
// CHECK:         %[[R:.*]] = arith.divf %{{.*}}, %[[S]] fastmath<afn> : f32
// CHECK:         %[[E:.*]] = math.fma %{{.*}}, %[[R]], %{{.*}} : f32
// CHECK:         %[[Z:.*]] = math.fma %[[E]], %[[R]], %[[R]] : f32
// CHECK:         %[[LANES:.*]] = vector.broadcast %[[Z]] : f32 to vector<4xf32>
// CHECK:         %[[Q:.*]] = arith.mulf %[[X:.*]], %[[LANES]] : vector<4xf32>
// CHECK:         %[[EXCESS:.*]] = math.fma %[[Q]], %{{.*}}, %{{.*}} : vector<4xf32>
// CHECK:         math.fma %{{.*}}, %[[LANES]], %[[Q]] : vector<4xf32>
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.ff.to.e4m3x2.rn"
// CHECK-NOT:     llvm.call_intrinsic
// CHECK:         arith.cmpf oge, %[[S]], %{{.*}} : f32
// CHECK:         arith.cmpf ole, %[[S]], %{{.*}} : f32
// CHECK:         scf.if
// CHECK-NEXT:      scf.yield %{{.*}} : vector<4xi8>
// CHECK-NEXT:    } else {
// CHECK-NEXT:      arith.divf %[[X]], %{{.*}} : vector<4xf32>
// NONE-LABEL:  gpu.func @quotient
// NONE:          arith.divf
// NONE-NOT:      scf.if {{.*}} -> (vector<4xi8>)
func.func @quotient(%x: tensor<?x256xf32>, %s: tensor<?x1xf32>) -> tensor<?x256xf8E4M3FN> {
  %y = fuse.kernel "quotient" ins(%x, %s : tensor<?x256xf32>, tensor<?x1xf32>) -> tensor<?x256xf8E4M3FN>
      schedule = #fuse.pointwise<threads = 64, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<?x256xf32>, %b: tensor<?x1xf32>):
    %q = fuse.div %a, %b : tensor<?x256xf32>, tensor<?x1xf32> -> tensor<?x256xf32>
    %c = fuse.cast %q : tensor<?x256xf32> -> tensor<?x256xf8E4M3FN>
    fuse.yield %c : tensor<?x256xf8E4M3FN>
  }
  return %y : tensor<?x256xf8E4M3FN>
}

// -----

// What is rounded to 16 bits is divided.
// CHECK-LABEL: gpu.func @half
// CHECK:         arith.divf
// CHECK-NOT:     scf.if {{.*}} ->
func.func @half(%x: tensor<?x256xf32>, %s: tensor<?x1xf32>) -> tensor<?x256xf16> {
  %y = fuse.kernel "half" ins(%x, %s : tensor<?x256xf32>, tensor<?x1xf32>) -> tensor<?x256xf16>
      schedule = #fuse.pointwise<threads = 64, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<?x256xf32>, %b: tensor<?x1xf32>):
    %q = fuse.div %a, %b : tensor<?x256xf32>, tensor<?x1xf32> -> tensor<?x256xf32>
    %c = fuse.cast %q : tensor<?x256xf32> -> tensor<?x256xf16>
    fuse.yield %c : tensor<?x256xf16>
  }
  return %y : tensor<?x256xf16>
}
