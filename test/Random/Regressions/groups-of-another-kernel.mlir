// What another kernel has reduced groups to was taken for groups of these rows, whose dimensions then became
// one: no scheduler could run the kernel.
// RUN: fuse inspect %s --chip sm_90 --emit=ptx > %t
// RUN: fuse run %s --target emu --dim d0=2 --verify

func.func @program(%a0: tensor<?x8x32xf16> {fuse.dims = ["d0"]}) -> (tensor<?x1x1xf32>, tensor<?x1x1xf32>, tensor<?x10xf32>, tensor<?xf32>) {
  %v0 = fuse.cast %a0 : tensor<?x8x32xf16> -> tensor<?x8x32xf32>
  %v1 = fuse.sigmoid %v0 : tensor<?x8x32xf32>
  %v2 = fuse.reduce sum %v0 dims = [2] keep : tensor<?x8x32xf32> -> tensor<?x8x1xf32>
  %v3 = fuse.reduce min %v0 dims = [1, 2] keep : tensor<?x8x32xf32> -> tensor<?x1x1xf32>
  %v4 = fuse.sub %v2, %v3 : tensor<?x8x1xf32>, tensor<?x1x1xf32> -> tensor<?x8x1xf32>
  %v5 = fuse.abs %v3 : tensor<?x1x1xf32>
  %v6 = fuse.reduce sum %v4 dims = [1, 2] : tensor<?x8x1xf32> -> tensor<?xf32>
  %v7 = fuse.reduce mean %v0 dims = [2] : tensor<?x8x32xf32> -> tensor<?x8xf32>
  %v8 = fuse.reduce max %v1 dims = [1, 2] keep : tensor<?x8x32xf32> -> tensor<?x1x1xf32>
  %v9 = fuse.pad %v7 low = [2, 2] high = [0, 0] value = 0.5 : tensor<?x8xf32> -> tensor<?x10xf32>
  return %v8, %v5, %v9, %v6 : tensor<?x1x1xf32>, tensor<?x1x1xf32>, tensor<?x10xf32>, tensor<?xf32>
}
