// The same formula written out. It becomes the same single kernel: what counts
// is the graph, not the name of an op.
func.func @gelu_by_hand(%x: tensor<?x4096xf32> {fuse.dims = ["rows"]}) -> tensor<?x4096xf32> {
  %half = fuse.constant dense<0.5> : tensor<f32>
  %one = fuse.constant dense<1.0> : tensor<f32>
  %c = fuse.constant dense<0.044715> : tensor<f32>
  %root = fuse.constant dense<0.7978845608028654> : tensor<f32>
  %x2 = fuse.mul %x, %x : tensor<?x4096xf32>
  %x3 = fuse.mul %x2, %x : tensor<?x4096xf32>
  %cx3 = fuse.mul %x3, %c : tensor<?x4096xf32>, tensor<f32>
  %sum = fuse.add %x, %cx3 : tensor<?x4096xf32>
  %inner = fuse.mul %sum, %root : tensor<?x4096xf32>, tensor<f32>
  %t = fuse.tanh %inner : tensor<?x4096xf32>
  %t1 = fuse.add %t, %one : tensor<?x4096xf32>, tensor<f32>
  %h = fuse.mul %x, %half : tensor<?x4096xf32>, tensor<f32>
  %y = fuse.mul %h, %t1 : tensor<?x4096xf32>
  return %y : tensor<?x4096xf32>
}
