// Compiling never ended: blocks that look alike were merged again and again.
// RUN: fuse inspect %s --chip sm_90 --emit=ptx > %t
// RUN: fuse run %s --target emu --dim d0=31 --verify

func.func @program(%a0: tensor<1023xi1>, %a1: tensor<31xi1>, %a2: tensor<2xi1>, %a3: tensor<?xi1> {fuse.dims = ["d0"]}) -> (tensor<?xi1>, tensor<?xi1>) {
  %v0 = fuse.concat %a0, %a1, %a2, %a3 dim = 0 : tensor<1023xi1>, tensor<31xi1>, tensor<2xi1>, tensor<?xi1> -> tensor<?xi1>
  %v2 = fuse.compare ne %v0, %v0 : tensor<?xi1>, tensor<?xi1> -> tensor<?xi1>
  %v4 = fuse.slice %v2 offsets = [3] sizes = [-1] steps = [2] : tensor<?xi1> -> tensor<?xi1>
  %v5 = tensor.collapse_shape %v2 [[0]] : tensor<?xi1> into tensor<?xi1>
  return %v4, %v5 : tensor<?xi1>, tensor<?xi1>
}
