// RUN: fuse-opt %s -split-input-file -fuse-lower-kernels | FileCheck %s

// A vector holds whole pairs; the partner is a shuffle. One load, one store.
// CHECK-LABEL: gpu.func @interleaved
// CHECK:         llvm.load %{{.*}} : !llvm.ptr -> vector<8xf16>
// CHECK-COUNT-2: llvm.load %{{.*}} : !llvm.ptr -> vector<4xf32>
// CHECK:         vector.shuffle %{{.*}} [1, 0, 3, 2, 5, 4, 7, 6]
// CHECK-NOT:     llvm.load
// CHECK:         llvm.store %{{.*}} : vector<8xf16>
func.func @interleaved(%x: tensor<?x2x64xf16>, %c: tensor<?x32xf32>, %s: tensor<?x32xf32>) -> tensor<?x2x64xf16> {
  %y = fuse.kernel "interleaved" ins(%x, %c, %s : tensor<?x2x64xf16>, tensor<?x32xf32>, tensor<?x32xf32>) -> tensor<?x2x64xf16>
      schedule = #fuse.pointwise<threads = 128, vector = 8, unroll = 1> {
  ^bb0(%a: tensor<?x2x64xf16>, %b: tensor<?x32xf32>, %d: tensor<?x32xf32>):
    %r = fuse.rotary interleaved tokens_heads %a tables(%b, %d) : tensor<?x2x64xf16>, tensor<?x32xf32>
    fuse.yield %r : tensor<?x2x64xf16>
  }
  return %y : tensor<?x2x64xf16>
}

// -----

// A thread walks both halves of a pair: each element is loaded once, and both
// loads come before both stores, so that it works in place.
// CHECK-LABEL: func.func @half
// CHECK:         in_place = {{\[}}[0, 0]]
// CHECK-LABEL: gpu.func @half
// CHECK-COUNT-2: llvm.load %{{.*}} : !llvm.ptr -> vector<4xf32>
// CHECK-NOT:     llvm.load %{{.*}} : !llvm.ptr -> vector<4xf32>
// CHECK-COUNT-2: llvm.store %{{.*}} : vector<4xf32>
// CHECK-NOT:     llvm.store
func.func @half(%x: tensor<?x2x64xf32>) -> tensor<?x2x64xf32> {
  %y = fuse.kernel "half" ins(%x : tensor<?x2x64xf32>) -> tensor<?x2x64xf32>
      schedule = #fuse.pointwise<threads = 128, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<?x2x64xf32>):
    %r = fuse.rotary half tokens_heads %a base = 1.0e4 : tensor<?x2x64xf32>
    fuse.yield %r : tensor<?x2x64xf32>
  }
  return %y : tensor<?x2x64xf32>
}

// -----

// Partial: pairs, or a vector that is copied.
// CHECK-LABEL: gpu.func @partial
// CHECK:         scf.if
// CHECK:         scf.if
// CHECK-COUNT-2:   llvm.store
// CHECK:         } else {
// CHECK-NOT:       arith.mulf
// CHECK:           llvm.store
func.func @partial(%x: tensor<?x2x64xf32>) -> tensor<?x2x64xf32> {
  %y = fuse.kernel "partial" ins(%x : tensor<?x2x64xf32>) -> tensor<?x2x64xf32>
      schedule = #fuse.pointwise<threads = 128, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<?x2x64xf32>):
    %r = fuse.rotary half tokens_heads %a base = 1.0e4 dims = 32 : tensor<?x2x64xf32>
    fuse.yield %r : tensor<?x2x64xf32>
  }
  return %y : tensor<?x2x64xf32>
}

// -----

// Ragged: the sequence is searched once for both halves and all heads, while the
// first head's features are under way.
// CHECK-LABEL: gpu.func @ragged
// CHECK-SAME:    nvvm.minctasm = 8 : i32
// CHECK-COUNT-2: llvm.load %{{.*}} : !llvm.ptr -> vector<4xf32>
// CHECK:         scf.while
// CHECK:           llvm.load %{{.*}} : !llvm.ptr -> i32
// CHECK-NOT:     scf.while
// CHECK:         llvm.load %{{.*}} : !llvm.ptr -> vector<4xi64>
// CHECK-COUNT-2: llvm.load %{{.*}} : !llvm.ptr -> vector<4xf32>
// CHECK-COUNT-4: llvm.store %{{.*}} : vector<4xf32>
// CHECK-NOT:     llvm.store
func.func @ragged(%x: tensor<?x2x64xf32>, %cu: tensor<?xi32>, %past: tensor<?xi32>) -> tensor<?x2x64xf32> {
  %y = fuse.kernel "ragged" ins(%x, %cu, %past : tensor<?x2x64xf32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x2x64xf32>
      schedule = #fuse.pointwise<threads = 128, vector = 4, unroll = 1, heads = 4> {
  ^bb0(%a: tensor<?x2x64xf32>, %c: tensor<?xi32>, %o: tensor<?xi32>):
    %r = fuse.rotary half tokens_heads %a sequences(%c) offset(%o) base = 1.0e4 : tensor<?x2x64xf32>, tensor<?xi32>, tensor<?xi32>
    fuse.yield %r : tensor<?x2x64xf32>
  }
  return %y : tensor<?x2x64xf32>
}

// -----

// A static number of sequences: as many steps as halves, no loop.
// CHECK-LABEL: gpu.func @static_sequences
// CHECK-NOT:     nvvm.minctasm
// CHECK-NOT:     scf.while
// CHECK-COUNT-3: llvm.load %{{.*}} : !llvm.ptr -> i32
// CHECK-NOT:     llvm.load %{{.*}} : !llvm.ptr -> i32
func.func @static_sequences(%x: tensor<?x2x64xf32>, %cu: tensor<5xi32>) -> tensor<?x2x64xf32> {
  %y = fuse.kernel "static_sequences" ins(%x, %cu : tensor<?x2x64xf32>, tensor<5xi32>) -> tensor<?x2x64xf32>
      schedule = #fuse.pointwise<threads = 128, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<?x2x64xf32>, %c: tensor<5xi32>):
    %r = fuse.rotary half tokens_heads %a sequences(%c) base = 1.0e4 : tensor<?x2x64xf32>, tensor<5xi32>
    fuse.yield %r : tensor<?x2x64xf32>
  }
  return %y : tensor<?x2x64xf32>
}

// -----

// LongRoPE's two sets of frequencies are one table; the length says where a kernel
// starts to read. sin and cos are multiplied by sqrt(1 + ln(2^11) / ln(2^33)).
// CHECK-LABEL: gpu.func @long
// CHECK:         %[[LIMIT:.*]] = arith.constant 8589934592 : i64
// CHECK:         %[[LONG:.*]] = arith.cmpi sgt, %{{.*}}, %[[LIMIT]] : i64
// CHECK:         arith.select %[[LONG]], %c2{{.*}}, %c0
// CHECK:         %[[FACTOR:.*]] = arith.constant 1.15470052 : f32
// CHECK:         vector.broadcast %[[FACTOR]]
// CHECK-COUNT-2: arith.mulf
// CHECK-LABEL: gpu.func @plain
// CHECK-NOT:     arith.cmpi sgt
func.func @long(%x: tensor<?x2x4xf32>, %n: tensor<i32>) -> tensor<?x2x4xf32> {
  %y = fuse.kernel "long" ins(%x, %n : tensor<?x2x4xf32>, tensor<i32>) -> tensor<?x2x4xf32>
      schedule = #fuse.pointwise<threads = 128, vector = 2, unroll = 1> {
  ^bb0(%a: tensor<?x2x4xf32>, %m: tensor<i32>):
    %r = fuse.rotary half tokens_heads %a length(%m) base = 1.0e4
        scaling(#fuse.rope_longrope<factor = 2048.0, original_max_position = 8589934592, short_factors = [1.0, 1.0], long_factors = [1.0, 2.0]>)
        : tensor<?x2x4xf32>, tensor<i32>
    fuse.yield %r : tensor<?x2x4xf32>
  }
  return %y : tensor<?x2x4xf32>
}

func.func @plain(%x: tensor<?x2x4xf32>) -> tensor<?x2x4xf32> {
  %y = fuse.kernel "plain" ins(%x : tensor<?x2x4xf32>) -> tensor<?x2x4xf32>
      schedule = #fuse.pointwise<threads = 128, vector = 2, unroll = 1> {
  ^bb0(%a: tensor<?x2x4xf32>):
    %r = fuse.rotary half tokens_heads %a base = 1.0e4 : tensor<?x2x4xf32>
    fuse.yield %r : tensor<?x2x4xf32>
  }
  return %y : tensor<?x2x4xf32>
}
