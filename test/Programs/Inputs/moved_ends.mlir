// Slices whose ends are counted from the end, and elements of each row by ids.
func.func @moved_ends(%x: tensor<?x?xf32> {fuse.dims=["r","n"]}, %ids: tensor<?x3xi64> {fuse.dims=["r"]}) -> (tensor<?x?xf32>, tensor<?x3xf32>, tensor<?x?xf32>) {
  %a = fuse.slice %x offsets = [0, 1] sizes = [-2, -3] : tensor<?x?xf32> -> tensor<?x?xf32>
  %b = fuse.take_along %x, %ids dim = 1 : tensor<?x?xf32>, tensor<?x3xi64> -> tensor<?x3xf32>
  %c = fuse.slice %x offsets = [1, 0] sizes = [-2, -2] steps = [2, 3] : tensor<?x?xf32> -> tensor<?x?xf32>
  return %a, %b, %c : tensor<?x?xf32>, tensor<?x3xf32>, tensor<?x?xf32>
}
