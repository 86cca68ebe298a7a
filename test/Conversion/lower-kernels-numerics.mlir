// RUN: fuse-opt %s -split-input-file -fuse-lower-kernels | FileCheck %s
// RUN: fuse-opt %s -split-input-file -fuse-lower-kernels=strict | FileCheck %s --check-prefix=STRICT

// 16-bit values are computed in f32 and rounded where they leave; strict rounds
// after every op and contracts nothing.
// CHECK-LABEL: gpu.func @chain
// CHECK:         arith.extf %{{.*}} : vector<2xbf16> to vector<2xf32>
// CHECK:         arith.mulf %{{.*}} fastmath<contract>
// CHECK-NOT:     arith.truncf
// CHECK:         arith.addf
// CHECK:         arith.truncf %{{.*}} : vector<2xf32> to vector<2xbf16>
// STRICT-LABEL: gpu.func @chain
// STRICT:        %[[P:.*]] = arith.mulf %{{.*}}, %{{.*}} : vector<2xf32>
// STRICT:        %[[R:.*]] = arith.truncf %[[P]] : vector<2xf32> to vector<2xbf16>
// STRICT:        arith.extf %[[R]]
// STRICT:        arith.addf %{{.*}}, %{{.*}} : vector<2xf32>
func.func @chain(%x: tensor<64xbf16>) -> tensor<64xbf16> {
  %y = fuse.kernel "chain" ins(%x : tensor<64xbf16>) -> tensor<64xbf16>
      schedule = #fuse.pointwise<threads = 32, vector = 2, unroll = 1> {
  ^bb0(%a: tensor<64xbf16>):
    %p = fuse.mul %a, %a : tensor<64xbf16>
    %s = fuse.add %p, %a : tensor<64xbf16>
    fuse.yield %s : tensor<64xbf16>
  }
  return %y : tensor<64xbf16>
}

// -----

// An explicit cast rounds, though its value never leaves as bf16.
// CHECK-LABEL: gpu.func @cast
// CHECK:         %[[N:.*]] = arith.truncf %{{.*}} : vector<2xf32> to vector<2xbf16>
// CHECK:         arith.extf %[[N]] : vector<2xbf16> to vector<2xf32>
func.func @cast(%x: tensor<64xf32>) -> tensor<64xf32> {
  %y = fuse.kernel "cast" ins(%x : tensor<64xf32>) -> tensor<64xf32>
      schedule = #fuse.pointwise<threads = 32, vector = 2, unroll = 1> {
  ^bb0(%a: tensor<64xf32>):
    %n = fuse.cast %a : tensor<64xf32> -> tensor<64xbf16>
    %w = fuse.cast %n : tensor<64xbf16> -> tensor<64xf32>
    fuse.yield %w : tensor<64xf32>
  }
  return %y : tensor<64xf32>
}

// -----

// A written division is that of IEEE 754, whatever its type; the exponential
// may be approximated to the last place of bf16.
// CHECK-LABEL: gpu.func @divide
// CHECK:         math.exp %{{.*}} fastmath<arcp,contract,afn> {fuse.bf16}
// CHECK:         arith.divf %{{.*}}, %{{.*}} fastmath<contract>
func.func @divide(%x: tensor<64xbf16>) -> tensor<64xbf16> {
  %y = fuse.kernel "divide" ins(%x : tensor<64xbf16>) -> tensor<64xbf16>
      schedule = #fuse.pointwise<threads = 32, vector = 2, unroll = 1> {
  ^bb0(%a: tensor<64xbf16>):
    %e = fuse.exp %a : tensor<64xbf16>
    %q = fuse.div %a, %e : tensor<64xbf16>
    fuse.yield %q : tensor<64xbf16>
  }
  return %y : tensor<64xbf16>
}

// -----

// The cast at the end of a composite is not the program's: rounded once, where
// the value leaves.
// CHECK-LABEL: gpu.func @implicit
// CHECK-COUNT-1: arith.truncf
// CHECK-NOT:     arith.truncf
// STRICT-LABEL: gpu.func @implicit
// STRICT-COUNT-2: arith.truncf
func.func @implicit(%x: tensor<64xf32>, %r: tensor<64xbf16>) -> tensor<64xbf16> {
  %y = fuse.kernel "implicit" ins(%x, %r : tensor<64xf32>, tensor<64xbf16>) -> tensor<64xbf16>
      schedule = #fuse.pointwise<threads = 32, vector = 2, unroll = 1> {
  ^bb0(%a: tensor<64xf32>, %b: tensor<64xbf16>):
    %n = fuse.cast %a {fuse.implicit} : tensor<64xf32> -> tensor<64xbf16>
    %s = fuse.add %n, %b : tensor<64xbf16>
    fuse.yield %s : tensor<64xbf16>
  }
  return %y : tensor<64xbf16>
}

// What is compared with its own maximum is computed in each walk, to the same bits:
// nothing of it is contracted, but what else follows from its parts is.
// CHECK-LABEL: gpu.func @argmax
// CHECK:         arith.mulf %{{.*}} : f32
// CHECK:         arith.addf %{{.*}} : f32
// CHECK-NOT:     arith.{{mulf|addf}} {{.*}}contract
// CHECK:         gpu.func @repeats
// CHECK:         arith.mulf %{{.*}} fastmath<contract>
func.func @argmax(%x: tensor<4x64xf32>, %w: tensor<64xf32>) -> (tensor<4x64xi1>, tensor<4x64xf32>) {
  %y = fuse.kernel "argmax" ins(%x, %w : tensor<4x64xf32>, tensor<64xf32>) -> tensor<4x64xi1>
      schedule = #fuse.rows<threads = 64, vector = 1, rows_per_block = 1, hold = loop> {
  ^bb0(%a: tensor<4x64xf32>, %b: tensor<64xf32>):
    %p = fuse.mul %a, %b : tensor<4x64xf32>, tensor<64xf32>
    %s = fuse.add %p, %a : tensor<4x64xf32>
    %m = fuse.reduce max %s dims = [1] keep : tensor<4x64xf32> -> tensor<4x1xf32>
    %e = fuse.compare eq %s, %m : tensor<4x64xf32>, tensor<4x1xf32>
    fuse.yield %e : tensor<4x64xi1>
  }
  %z = fuse.kernel "repeats" ins(%x, %w : tensor<4x64xf32>, tensor<64xf32>) -> tensor<4x64xf32>
      schedule = #fuse.rows<threads = 64, vector = 1, rows_per_block = 1, hold = loop> {
  ^bb0(%a: tensor<4x64xf32>, %b: tensor<64xf32>):
    %p = fuse.mul %a, %b : tensor<4x64xf32>, tensor<64xf32>
    %s = fuse.add %p, %a : tensor<4x64xf32>
    %m = fuse.reduce max %s dims = [1] keep : tensor<4x64xf32> -> tensor<4x1xf32>
    %e = fuse.sub %s, %m : tensor<4x64xf32>, tensor<4x1xf32>
    fuse.yield %e : tensor<4x64xf32>
  }
  return %y, %z : tensor<4x64xi1>, tensor<4x64xf32>
}
