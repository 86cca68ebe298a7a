// Features that are not rotated, the other way round, and positions that a table
// does not have.

// RUN: fuse run %s --target emu --dim tokens=3 --verify | FileCheck %s
// RUN: fuse run %s --target cpu --dim tokens=3 --verify | FileCheck %s
// CHECK: verify y: {{.*}}: ok
// CHECK: verify z: {{.*}}: ok
// CHECK: verify t: {{.*}}: ok
// CHECK: verify m: {{.*}}: ok
// CHECK: verify n: {{.*}}: ok

func.func @parts(%x: tensor<?x2x12xf32> {fuse.dims = ["tokens"]},
                 %h: tensor<?x2x20xf32> {fuse.dims = ["tokens"]},
                 %cos: tensor<16x6xf32>, %sin: tensor<16x6xf32>,
                 %p: tensor<?xi32> {fuse.dims = ["tokens"]})
    -> (tensor<?x2x12xf32>, tensor<?x2x20xf32>, tensor<?x2x12xf32>,
        tensor<?x2x1xf32>, tensor<?x2x1xf32>) {
  %y = fuse.rotary interleaved tokens_heads %x base = 1.0e4 dims = 8 inverse
      : tensor<?x2x12xf32>
  %z = fuse.rotary half tokens_heads %h base = 1.0e4 dims = 8 inverse
      : tensor<?x2x20xf32>
  // Positions are below 64, and rows are 16.
  %t = fuse.rotary interleaved tokens_heads %x tables(%cos, %sin) positions(%p)
      : tensor<?x2x12xf32>, tensor<16x6xf32>, tensor<?xi32>
  // Where rows are reduced, a thread's vectors do not know which features they are.
  %a = fuse.rotary interleaved tokens_heads %x base = 1.0e4 dims = 8 heads = 1
      : tensor<?x2x12xf32>
  %m = fuse.reduce max %a dims = [2] keep : tensor<?x2x12xf32> -> tensor<?x2x1xf32>
  %b = fuse.rotary half tokens_heads %h base = 1.0e4 dims = 8 heads = 1
      : tensor<?x2x20xf32>
  %n = fuse.reduce max %b dims = [2] keep : tensor<?x2x20xf32> -> tensor<?x2x1xf32>
  return %y, %z, %t, %m, %n : tensor<?x2x12xf32>, tensor<?x2x20xf32>, tensor<?x2x12xf32>,
      tensor<?x2x1xf32>, tensor<?x2x1xf32>
}
