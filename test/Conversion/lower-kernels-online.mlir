// RUN: fuse-opt %s -fuse-lower-kernels | FileCheck %s
// RUN: fuse-opt %s -fuse-lower-kernels=strict | FileCheck %s --check-prefix=STRICT
// RUN: fuse-opt %s -fuse-lower-kernels -fuse-expand-math=target=cuda | FileCheck %s --check-prefix=CUDA
// RUN: fuse run %s --target emu --entry stats --dim rows=3 --verify
// RUN: fuse run %s --target emu --entry exponents --dim rows=3 --verify

// Terms of the sum need not be as exact as the factors that rescale it, but in
// strict programs.
// CHECK-LABEL: gpu.func @stats
// CHECK-COUNT-2: math.exp %{{.*}} {fuse.summed}
// CHECK-NOT:     fuse.summed
// CHECK:         math.exp %{{.*}} {fuse.nonpositive}
// STRICT-LABEL: gpu.func @stats
// STRICT-NOT:    fuse.summed

// A product and the instruction; of a factor what the rounding took as well.
// CUDA-LABEL: gpu.func @stats
// CUDA:         %[[T:.*]] = arith.mulf %{{.*}}, %{{.*}} : vector<4xf32>
// CUDA:         llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"
// CUDA-NOT:     math.fma {{.*}} vector<4xf32>
// CUDA:         gpu.shuffle
// CUDA:         math.fma
func.func @stats(%x: tensor<?x256xf32> {fuse.dims = ["rows"]}) -> (tensor<?x1xf32>, tensor<?x1xf32>) {
  %m, %s = fuse.kernel "stats" ins(%x : tensor<?x256xf32>) -> tensor<?x1xf32>, tensor<?x1xf32>
      schedule = #fuse.rows<threads = 128, vector = 4, rows_per_block = 4, hold = registers> {
  ^bb0(%a: tensor<?x256xf32>):
    %max, %sum = fuse.softmax_stats %a dims = [1] : tensor<?x256xf32> -> tensor<?x1xf32>, tensor<?x1xf32>
    fuse.yield %max, %sum : tensor<?x1xf32>, tensor<?x1xf32>
  }
  return %m, %s : tensor<?x1xf32>, tensor<?x1xf32>
}

// For bf16 the exponential of what is below a maximum has no denormals to scale,
// but not that of what is below another's.
// CHECK-LABEL: gpu.func @softmax
// CHECK:         math.exp %{{.*}} {{.*}}afn> {fuse.bf16, fuse.nonpositive}
// CHECK-LABEL: gpu.func @other
// CHECK:         math.exp %{{.*}} {{.*}}afn> {fuse.bf16}
// STRICT-LABEL: gpu.func @softmax
// STRICT-NOT:    fuse.nonpositive
// STRICT:        gpu.return
// CUDA-LABEL: gpu.func @softmax
// CUDA:         %[[T:.*]] = math.fma
// CUDA-NEXT:    llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%[[T]])
// CUDA-LABEL: gpu.func @other
// CUDA:         llvm.call_intrinsic "llvm.nvvm.ex2.approx.f32"
func.func @exponents(%x: tensor<?x8xf32> {fuse.dims = ["rows"]}, %z: tensor<?x8xf32> {fuse.dims = ["rows"]}) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %y = fuse.kernel "softmax" ins(%x : tensor<?x8xf32>) -> tensor<?x8xf32>
      schedule = #fuse.rows<threads = 32, vector = 1, rows_per_block = 4, hold = registers> {
  ^bb0(%a: tensor<?x8xf32>):
    %m = fuse.reduce max %a dims = [1] keep : tensor<?x8xf32> -> tensor<?x1xf32>
    %d = fuse.sub %a, %m : tensor<?x8xf32>, tensor<?x1xf32> -> tensor<?x8xf32>
    %e = fuse.exp %d {fuse.accuracy = bf16} : tensor<?x8xf32>
    fuse.yield %e : tensor<?x8xf32>
  }
  %w = fuse.kernel "other" ins(%x, %z : tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
      schedule = #fuse.rows<threads = 32, vector = 1, rows_per_block = 4, hold = registers> {
  ^bb0(%a: tensor<?x8xf32>, %b: tensor<?x8xf32>):
    %m = fuse.reduce max %b dims = [1] keep : tensor<?x8xf32> -> tensor<?x1xf32>
    %d = fuse.sub %a, %m : tensor<?x8xf32>, tensor<?x1xf32> -> tensor<?x8xf32>
    %e = fuse.exp %d {fuse.accuracy = bf16} : tensor<?x8xf32>
    fuse.yield %e : tensor<?x8xf32>
  }
  return %y, %w : tensor<?x8xf32>, tensor<?x8xf32>
}
