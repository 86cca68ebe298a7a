// RUN: fuse-crosscheck %s
// Tiles of tensor cores reduce inputs of few elements: where nothing was aligned
// one kernel reduced them in rows of another shape than it stored.
// --dim d0=16
// --seed 60014499
// --fill small
// --check compiled,emulated,fused,strict
func.func @program(%a0: tensor<?xf32> {fuse.dims = ["d0"]}, %a1: tensor<1x48xi1>, %a2: tensor<9x8x16xbf16>, %a7: tensor<9x48xbf16>, %a8: tensor<48x8xbf16>) -> (tensor<9x8xbf16>, tensor<9x8xbf16>) {
  %v15 = fuse.matmul %a7, %a8 : tensor<9x48xbf16>, tensor<48x8xbf16> -> tensor<9x8xbf16>
  %v19 = fuse.reduce any %a1 dims = [1] : tensor<1x48xi1> -> tensor<1xi1>
  %v20 = fuse.constant dense<2.0> : tensor<bf16>
  %v21 = fuse.select %v19, %v20, %v15 : tensor<1xi1>, tensor<bf16>, tensor<9x8xbf16> -> tensor<9x8xbf16>
  %v22 = fuse.reduce mean %a2 dims = [2] : tensor<9x8x16xbf16> -> tensor<9x8xbf16>
  %v23 = fuse.add %v21, %v22 : tensor<9x8xbf16>
  %v24 = fuse.reduce mean %a0 dims = [0] keep : tensor<?xf32> -> tensor<1xf32>
  %v25 = fuse.cast %v24 : tensor<1xf32> -> tensor<1xbf16>
  %v26 = fuse.mul %v23, %v25 : tensor<9x8xbf16>, tensor<1xbf16> -> tensor<9x8xbf16>
  return %v26, %v22 : tensor<9x8xbf16>, tensor<9x8xbf16>
}
