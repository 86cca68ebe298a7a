// A running sum down columns, with what is computed before and behind it.
func.func @scanned_columns(%x: tensor<?x768xf32> {fuse.dims = ["n"]}, %w: tensor<768xf32>) -> (tensor<?x768xf32>, tensor<?x768xf32>) {
  %s = fuse.exp %x : tensor<?x768xf32>
  %m = fuse.mul %s, %w : tensor<?x768xf32>, tensor<768xf32> -> tensor<?x768xf32>
  %c = fuse.scan sum %m dim = 0 : tensor<?x768xf32>
  %y = fuse.mul %c, %x : tensor<?x768xf32>
  return %y, %m : tensor<?x768xf32>, tensor<?x768xf32>
}
