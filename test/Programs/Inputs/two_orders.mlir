// Scans, and selections, of two tensors with nothing in common but their shape.
func.func @two_orders(%x: tensor<?x37xf32> {fuse.dims = ["n"]}, %y: tensor<?x37xf32> {fuse.dims = ["n"]})
    -> (tensor<?x37xf32>, tensor<?x37xf32>, tensor<?x4xf32>, tensor<?x4xi32>) {
  %a = fuse.scan sum %x : tensor<?x37xf32>
  %b = fuse.scan sum %y : tensor<?x37xf32>
  %v, %i = fuse.top_k %y k = 4 : tensor<?x37xf32> -> tensor<?x4xf32>, tensor<?x4xi32>
  return %a, %b, %v, %i : tensor<?x37xf32>, tensor<?x37xf32>, tensor<?x4xf32>, tensor<?x4xi32>
}
