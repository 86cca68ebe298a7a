// RUN: fuse-opt %s -fuse-lower-kernels | FileCheck %s
// RUN: fuse-opt %s -fuse-lower-kernels=in-place=false | FileCheck %s --check-prefix=APART

// Heads and features that are copied cost no angle, and where the result may lie
// where the input does, they are neither read nor written if it does.

// CHECK-LABEL: gpu.func @packed
// CHECK:         arith.cmpi slt, %{{.*}}, %c4
// CHECK:         scf.if
// CHECK:           vector<4xi64>
// CHECK:         } else {
// CHECK-NOT:       vector<4xi64>
// CHECK:           %[[DIFFER:.*]] = llvm.icmp "ne" %{{.*}}, %{{.*}} : !llvm.ptr
// CHECK-NEXT:      scf.if %[[DIFFER]] {
// CHECK-COUNT-4:     llvm.load
// CHECK-COUNT-4:     llvm.store

// APART-LABEL: gpu.func @packed
// APART-NOT:     llvm.icmp
func.func @packed(%x: tensor<?x6x64xf32>) -> tensor<?x6x64xf32> {
  %y = fuse.kernel "packed" ins(%x : tensor<?x6x64xf32>) -> tensor<?x6x64xf32>
      schedule = #fuse.pointwise<threads = 128, vector = 4, unroll = 1, heads = 2> {
  ^bb0(%a: tensor<?x6x64xf32>):
    %r = fuse.rotary half tokens_heads %a base = 1.0e4 heads = 4 : tensor<?x6x64xf32>
    fuse.yield %r : tensor<?x6x64xf32>
  }
  return %y : tensor<?x6x64xf32>
}

// CHECK-LABEL: gpu.func @part
// CHECK:         arith.cmpi slt, %{{.*}}, %c32
// CHECK:         scf.if
// CHECK:           vector<2xi64>
// CHECK:         } else {
// CHECK-NOT:       vector<2xi64>
// CHECK:           %[[DIFFER:.*]] = llvm.icmp "ne"
// CHECK-NEXT:      scf.if %[[DIFFER]] {
// CHECK-COUNT-1:     llvm.store
// APART-LABEL: gpu.func @part
// APART-NOT:     llvm.icmp
func.func @part(%x: tensor<?x6x64xf32>) -> tensor<?x6x64xf32> {
  %y = fuse.kernel "part" ins(%x : tensor<?x6x64xf32>) -> tensor<?x6x64xf32>
      schedule = #fuse.pointwise<threads = 128, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<?x6x64xf32>):
    %r = fuse.rotary interleaved tokens_heads %a base = 1.0e4 dims = 32 : tensor<?x6x64xf32>
    fuse.yield %r : tensor<?x6x64xf32>
  }
  return %y : tensor<?x6x64xf32>
}

// What is computed from a rotation is written everywhere.
// CHECK-LABEL: gpu.func @scaled
// CHECK-NOT:     llvm.icmp
func.func @scaled(%x: tensor<?x6x64xf32>) -> tensor<?x6x64xf32> {
  %y = fuse.kernel "scaled" ins(%x : tensor<?x6x64xf32>) -> tensor<?x6x64xf32>
      schedule = #fuse.pointwise<threads = 128, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<?x6x64xf32>):
    %r = fuse.rotary half tokens_heads %a base = 1.0e4 dims = 32 : tensor<?x6x64xf32>
    %s = fuse.mul %r, %r : tensor<?x6x64xf32>, tensor<?x6x64xf32> -> tensor<?x6x64xf32>
    fuse.yield %s : tensor<?x6x64xf32>
  }
  return %y : tensor<?x6x64xf32>
}
