// RUN: fuse-opt %s -split-input-file -fuse-lower-kernels | FileCheck %s

// In the caches: the first pass asks them to keep the row, the last to drop it,
// and loads all before it stores. The weights, which all rows share, are loaded
// as always.
// CHECK-LABEL: gpu.func @cached
// CHECK:         llvm.inline_asm {{.*}}"createpolicy.fractional.L2::evict_last.b64 $0, 1.0;"
// CHECK:         llvm.inline_asm has_side_effects {{.*}}"ld.global.L1::evict_last.L2::cache_hint.v4.b32 {$0, $1, $2, $3}, [$4], $5;", "=r,=r,=r,=r,l,l,~{memory}"
// CHECK:         llvm.inline_asm has_side_effects {{.*}}"ld.global.L1::evict_last
// CHECK:         gpu.barrier
// CHECK:         llvm.inline_asm has_side_effects {{.*}}"ld.global.L1::evict_first.L2::cache_hint.v4.b32
// CHECK-NOT:     llvm.store
// CHECK:         llvm.inline_asm has_side_effects {{.*}}"ld.global.L1::evict_first
// CHECK:         llvm.load {{.*}} -> vector<4xf32>
// CHECK-COUNT-2: llvm.store
// CHECK:         gpu.return
func.func @cached(%x: tensor<?x1024xf32>, %w: tensor<1024xf32>) -> tensor<?x1024xf32> {
  %y = fuse.kernel "cached" ins(%x, %w : tensor<?x1024xf32>, tensor<1024xf32>) -> tensor<?x1024xf32>
      schedule = #fuse.rows<threads = 128, vector = 4, rows_per_block = 1, hold = cache> {
  ^bb0(%a: tensor<?x1024xf32>, %b: tensor<1024xf32>):
    %s = fuse.reduce sum %a dims = [1] keep : tensor<?x1024xf32> -> tensor<?x1xf32>
    %q = fuse.mul %a, %s : tensor<?x1024xf32>, tensor<?x1xf32> -> tensor<?x1024xf32>
    %r = fuse.mul %q, %b : tensor<?x1024xf32>, tensor<1024xf32> -> tensor<?x1024xf32>
    fuse.yield %r : tensor<?x1024xf32>
  }
  return %y : tensor<?x1024xf32>
}

// -----

// In shared memory, 8 vectors a thread, in two groups of copies; the ninth, of
// which some threads have none, is in a register. The first pass waits for one
// group after the other, the second for nothing.
// CHECK-LABEL: func.func @shared
// CHECK:         fuse.launch @shared{{.*}}::@shared {{.*}}shared_bytes = 16384 : i64
// CHECK:         llvm.mlir.global external @__dynamic_shared() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<0 x i8>
// CHECK-LABEL: gpu.func @shared
// CHECK:         scf.for
// CHECK:           nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg
// CHECK:         nvvm.cp.async.commit.group
// CHECK:         nvvm.cp.async.shared.global
// CHECK:         nvvm.cp.async.commit.group
// CHECK:         llvm.load {{.*}} : !llvm.ptr -> vector<4xf32>
// CHECK:         nvvm.cp.async.wait.group 1
// CHECK:         scf.for
// CHECK-COUNT-4:   llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xf32>
// CHECK:         nvvm.cp.async.wait.group 0
// CHECK:         scf.for
// CHECK:         gpu.barrier
// CHECK-NOT:     nvvm.cp.async.wait.group
// CHECK:         scf.for
// CHECK:           llvm.store
// CHECK:         gpu.return
func.func @shared(%x: tensor<?x4160xf32>) -> tensor<?x4160xf32> {
  %y = fuse.kernel "shared" ins(%x : tensor<?x4160xf32>) -> tensor<?x4160xf32>
      schedule = #fuse.rows<threads = 128, vector = 4, rows_per_block = 1, hold = shared<in_registers = 1>> {
  ^bb0(%a: tensor<?x4160xf32>):
    %s = fuse.reduce sum %a dims = [1] keep : tensor<?x4160xf32> -> tensor<?x1xf32>
    %q = fuse.mul %a, %s : tensor<?x4160xf32>, tensor<?x1xf32> -> tensor<?x4160xf32>
    fuse.yield %q : tensor<?x4160xf32>
  }
  return %y : tensor<?x4160xf32>
}

// -----

// A wider vector is copied in planes of 16 bytes.
// CHECK-LABEL: func.func @planes
// CHECK:         shared_bytes = 16384 : i64
// CHECK-LABEL: gpu.func @planes
// CHECK-COUNT-2: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg
// CHECK-NOT:     nvvm.cp.async.shared.global
// CHECK:         nvvm.cp.async.commit.group
func.func @planes(%x: tensor<?x4096xf32>) -> tensor<?x4096xf32> {
  %y = fuse.kernel "planes" ins(%x : tensor<?x4096xf32>) -> tensor<?x4096xf32>
      schedule = #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = shared> {
  ^bb0(%a: tensor<?x4096xf32>):
    %s = fuse.reduce sum %a dims = [1] keep : tensor<?x4096xf32> -> tensor<?x1xf32>
    %q = fuse.mul %a, %s : tensor<?x4096xf32>, tensor<?x1xf32> -> tensor<?x4096xf32>
    fuse.yield %q : tensor<?x4096xf32>
  }
  return %y : tensor<?x4096xf32>
}

// -----

// The lanes of a row share one maximum: one rescaling a step, not one a lane.
// CHECK-LABEL: gpu.func @online
// CHECK:         scf.for {{.*}} iter_args(%[[M:[^ ]+]] = %{{.*}}, %[[S:[^ ]+]] = %{{.*}}) -> (f32, vector<4xf32>)
// CHECK:           math.exp %{{.*}} : f32
// CHECK-COUNT-4:   math.exp %{{.*}} : vector<4xf32>
// CHECK-NOT:       math.exp
// CHECK:           scf.yield
func.func @online(%x: tensor<?x65536xf32>) -> tensor<?x1xf32> {
  %y = fuse.kernel "online" ins(%x : tensor<?x65536xf32>) -> tensor<?x1xf32>
      schedule = #fuse.rows<threads = 128, vector = 4, rows_per_block = 1, hold = loop> {
  ^bb0(%a: tensor<?x65536xf32>):
    %m, %s = fuse.softmax_stats %a dims = [1] : tensor<?x65536xf32> -> tensor<?x1xf32>, tensor<?x1xf32>
    fuse.yield %s : tensor<?x1xf32>
  }
  return %y : tensor<?x1xf32>
}

// -----

// With preload the weights are read before the threads exchange their sums, and
// what does not follow from these is stored.
// CHECK-LABEL: gpu.func @scale
// CHECK-COUNT-2: llvm.load
// CHECK:         llvm.store
// CHECK-NOT:     llvm.store
// CHECK:         gpu.barrier
// CHECK-NOT:     llvm.load
// CHECK:         llvm.store
// CHECK-NOT:     llvm.store
// CHECK:         gpu.return
func.func @scale(%x: tensor<8x512xf32>, %w: tensor<512xf32>) -> (tensor<8x512xf32>, tensor<8x512xf32>) {
  %0:2 = fuse.kernel "scale" ins(%x, %w : tensor<8x512xf32>, tensor<512xf32>) -> tensor<8x512xf32>, tensor<8x512xf32>
      schedule = #fuse.rows<threads = 128, vector = 4, rows_per_block = 1, hold = registers<preload = true>> {
  ^bb0(%a: tensor<8x512xf32>, %b: tensor<512xf32>):
    %sum = fuse.reduce sum %a dims = [1] keep : tensor<8x512xf32> -> tensor<8x1xf32>
    %s = fuse.mul %a, %sum : tensor<8x512xf32>, tensor<8x1xf32>
    %y = fuse.mul %s, %b : tensor<8x512xf32>, tensor<512xf32>
    %t = fuse.add %a, %b : tensor<8x512xf32>, tensor<512xf32>
    fuse.yield %y, %t : tensor<8x512xf32>, tensor<8x512xf32>
  }
  return %0#0, %0#1 : tensor<8x512xf32>, tensor<8x512xf32>
}

// -----

// Whole vectors of a row that starts anywhere begin at a line of 128 bytes. A group
// with fewer threads than that leaves elements before and after them has less of
// a line, down to a vector.
// CHECK-LABEL: gpu.func @lines
// CHECK:         %[[START:.*]] = arith.muli %block_id_x, %c2049
// CHECK:         %[[PAST:.*]] = arith.remui %[[START]], %c64
// CHECK:         %[[LEFT:.*]] = arith.subi %c64, %[[PAST]]
// CHECK:         %[[HEAD:.*]] = arith.remui %[[LEFT]], %c64
// CHECK:         arith.minsi %[[HEAD]], %c2049
// CHECK-LABEL: gpu.func @sectors
// CHECK:         arith.remui %{{.*}}, %c32
// CHECK:         arith.minsi
// CHECK-LABEL: gpu.func @vectors
// CHECK:         arith.remui %{{.*}}, %c16
// CHECK:         arith.remui %{{.*}}, %c8
// CHECK:         arith.minsi
// CHECK-LABEL: gpu.func @walked
// CHECK:         arith.remui %{{.*}}, %c64
// CHECK:         arith.minsi
func.func @lines(%x: tensor<?x2049xbf16>) -> tensor<?x2049xbf16> {
  %y = fuse.kernel "lines" ins(%x : tensor<?x2049xbf16>) -> tensor<?x2049xbf16>
      schedule = #fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = registers> {
  ^bb0(%a: tensor<?x2049xbf16>):
    %s = fuse.reduce max %a dims = [1] keep : tensor<?x2049xbf16> -> tensor<?x1xbf16>
    %r = fuse.sub %a, %s : tensor<?x2049xbf16>, tensor<?x1xbf16> -> tensor<?x2049xbf16>
    fuse.yield %r : tensor<?x2049xbf16>
  }
  return %y : tensor<?x2049xbf16>
}
func.func @sectors(%x: tensor<?x2049xbf16>) -> tensor<?x2049xbf16> {
  %y = fuse.kernel "sectors" ins(%x : tensor<?x2049xbf16>) -> tensor<?x2049xbf16>
      schedule = #fuse.rows<threads = 64, vector = 8, rows_per_block = 1, hold = registers> {
  ^bb0(%a: tensor<?x2049xbf16>):
    %s = fuse.reduce max %a dims = [1] keep : tensor<?x2049xbf16> -> tensor<?x1xbf16>
    %r = fuse.sub %a, %s : tensor<?x2049xbf16>, tensor<?x1xbf16> -> tensor<?x2049xbf16>
    fuse.yield %r : tensor<?x2049xbf16>
  }
  return %y : tensor<?x2049xbf16>
}
func.func @vectors(%x: tensor<?x129xbf16>) -> tensor<?x129xbf16> {
  %y = fuse.kernel "vectors" ins(%x : tensor<?x129xbf16>) -> tensor<?x129xbf16>
      schedule = #fuse.rows<threads = 128, vector = 8, rows_per_block = 8, hold = registers> {
  ^bb0(%a: tensor<?x129xbf16>):
    %s = fuse.reduce max %a dims = [1] keep : tensor<?x129xbf16> -> tensor<?x1xbf16>
    %r = fuse.sub %a, %s : tensor<?x129xbf16>, tensor<?x1xbf16> -> tensor<?x129xbf16>
    fuse.yield %r : tensor<?x129xbf16>
  }
  return %y : tensor<?x129xbf16>
}
func.func @walked(%x: tensor<?x2049xbf16>) -> tensor<?x2049xbf16> {
  %y = fuse.kernel "walked" ins(%x : tensor<?x2049xbf16>) -> tensor<?x2049xbf16>
      schedule = #fuse.rows<threads = 32, vector = 8, rows_per_block = 1, hold = loop> {
  ^bb0(%a: tensor<?x2049xbf16>):
    %s = fuse.reduce max %a dims = [1] keep : tensor<?x2049xbf16> -> tensor<?x1xbf16>
    %r = fuse.sub %a, %s : tensor<?x2049xbf16>, tensor<?x1xbf16> -> tensor<?x2049xbf16>
    fuse.yield %r : tensor<?x2049xbf16>
  }
  return %y : tensor<?x2049xbf16>
}
