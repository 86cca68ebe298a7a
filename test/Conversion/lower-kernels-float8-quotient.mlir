// RUN: fuse-opt %s -split-input-file -fuse-lower-kernels=float8=true | FileCheck %s
// RUN: fuse-opt %s -split-input-file -fuse-lower-kernels | FileCheck %s --check-prefix=NONE

// The divisor that all lanes share is scaled by a power of two and inverted once. In
// each lane there are a product with that power, which is cut off, one with the
// reciprocal, and its correction: no branch, whatever the data are.
// CHECK-LABEL: gpu.func @quotient
// CHECK:         %[[X:.*]] = llvm.load %{{.*}} -> vector<4xf32>
// CHECK:         %[[S:.*]] = llvm.load %{{.*}} -> f32
// CHECK:         %[[INVERTED:.*]] = arith.subi %c2139095040{{.*}}, %{{.*}} : i32
// CHECK:         %[[P:.*]] = arith.minui %[[INVERTED]], %{{.*}} : i32
// CHECK:         %[[SCALED:.*]] = arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK:         %[[USUAL:.*]] = arith.cmpf ogt, %[[SCALED]], %{{.*}} : f32
// CHECK:         %[[D:.*]] = arith.select %[[USUAL]], %[[SCALED]], %{{.*}} : f32
// CHECK:         %[[SPECIAL:.*]] = arith.divf %{{.*}}, %[[S]] fastmath<afn> : f32
// CHECK:         %[[POWER:.*]] = arith.select %[[USUAL]], %{{.*}}, %[[SPECIAL]] : f32
// CHECK:         %[[R:.*]] = arith.divf %{{.*}}, %[[D]] fastmath<afn> : f32
// CHECK:         %[[E:.*]] = math.fma %{{.*}}, %[[R]], %{{.*}} : f32
// CHECK:         %[[NEWTON:.*]] = math.fma %[[E]], %[[R]], %[[R]] : f32
// CHECK:         %[[Z:.*]] = arith.select %{{.*}}, %{{.*}}, %[[NEWTON]] : f32
// CHECK:         %[[POWERS:.*]] = vector.broadcast %[[POWER]] : f32 to vector<4xf32>
// CHECK:         arith.mulf %[[X]], %[[POWERS]] : vector<4xf32>
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.nvvm.fmin.nan.xorsign.abs.f"
// CHECK:         %[[N:.*]] = vector.from_elements
// CHECK:         %[[LANES:.*]] = vector.broadcast %[[Z]] : f32 to vector<4xf32>
// CHECK:         %[[Q:.*]] = arith.mulf %[[N]], %[[LANES]] : vector<4xf32>
// CHECK:         math.fma %[[Q]], %{{.*}}, %{{.*}} : vector<4xf32>
// CHECK:         math.fma %{{.*}}, %[[LANES]], %[[Q]] : vector<4xf32>
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.ff.to.e4m3x2.rn"
// CHECK-NOT:     scf.if
// CHECK:         llvm.store
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
