// RUN: fuse-opt %s -fuse-lower-kernels="shared-bytes=101376 wgmma=true" | FileCheck %s

// Of TF32 an instruction takes 8 elements of K: four of a row of 128 bytes, 2 x 16 bytes apart. Sums go on
// from step to step.
// CHECK-LABEL:   gpu.func @sync(
// CHECK:         scf.for
// CHECK-NOT:       nvvm.ldmatrix {{.*}}<col>
// CHECK-COUNT-32:  nvvm.mma.sync {{.*}}multiplicandAPtxType = #nvvm.mma_type<tf32>, multiplicandBPtxType = #nvvm.mma_type<tf32>{{.*}}#nvvm.shape<m = 16, n = 8, k = 8>
// CHECK-NOT:       arith.addf
// CHECK:           scf.yield
func.func @on_every_chip(%x: tensor<?x4096xf32>, %w: tensor<1024x4096xf32>) -> tensor<?x1024xf32> {
  %y = fuse.kernel "sync" ins(%x, %w : tensor<?x4096xf32>, tensor<1024x4096xf32>) -> tensor<?x1024xf32>
      schedule = #fuse.mma<isa = mma_sync, tile_m = 64, tile_n = 64, tile_k = 32, stages = 3, consumers = 1, raster = 8, store = rows, persistent = 142, operand_bits = 32> {
  ^bb0(%a: tensor<?x4096xf32>, %b: tensor<1024x4096xf32>):
    %p = fuse.contract "mk,nk->mn" %a, %b precision = tf32 : tensor<?x4096xf32>, tensor<1024x4096xf32> -> tensor<?x1024xf32>
    fuse.yield %p : tensor<?x1024xf32>
  }
  return %y : tensor<?x1024xf32>
}

// Of wgmma operands have no order to choose: two scales follow the predicate, and nothing else.
// CHECK-LABEL:   gpu.func @groups(
// CHECK-COUNT-4:   wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 {{.*}}, p, 1, 1; }"
// CHECK-NOT:       wgmma.mma_async
// CHECK:           nvvm.wgmma.commit.group.sync.aligned
func.func @on_hopper(%x: tensor<?x4096xf32>, %w: tensor<1024x4096xf32>) -> tensor<?x1024xf32> {
  %y = fuse.kernel "groups" ins(%x, %w : tensor<?x4096xf32>, tensor<1024x4096xf32>) -> tensor<?x1024xf32>
      schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 128, tile_k = 32, stages = 4, consumers = 2, raster = 8, store = tma, persistent = 132, operand_bits = 32> {
  ^bb0(%a: tensor<?x4096xf32>, %b: tensor<1024x4096xf32>):
    %p = fuse.contract "mk,nk->mn" %a, %b precision = tf32 : tensor<?x4096xf32>, tensor<1024x4096xf32> -> tensor<?x1024xf32>
    fuse.yield %p : tensor<?x1024xf32>
  }
  return %y : tensor<?x1024xf32>
}
