// Means of groups, a variance of these, and rows that both normalise.
func.func @softmax_of_groups(%x: tensor<?x24x40xf32> {fuse.dims = ["n"]})
    -> (tensor<?x24x40xf32>, tensor<?x1x1xf32>) {
  %m = fuse.reduce mean %x dims = [2] keep : tensor<?x24x40xf32> -> tensor<?x24x1xf32>
  %p = fuse.softmax %m dims = [1] : tensor<?x24x1xf32>
  %v = fuse.reduce mean %m dims = [1] keep : tensor<?x24x1xf32> -> tensor<?x1x1xf32>
  %d = fuse.sub %m, %v : tensor<?x24x1xf32>, tensor<?x1x1xf32> -> tensor<?x24x1xf32>
  %q = fuse.mul %d, %d : tensor<?x24x1xf32>
  %w = fuse.reduce mean %q dims = [1] keep : tensor<?x24x1xf32> -> tensor<?x1x1xf32>
  %a = fuse.mul %x, %p : tensor<?x24x40xf32>, tensor<?x24x1xf32> -> tensor<?x24x40xf32>
  %y = fuse.sub %a, %w : tensor<?x24x40xf32>, tensor<?x1x1xf32> -> tensor<?x24x40xf32>
  return %y, %w : tensor<?x24x40xf32>, tensor<?x1x1xf32>
}
