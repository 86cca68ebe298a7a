// The norm of one tensor's rows divides also the shorter rows of another.
func.func @shorter_rows(%x: tensor<?x64xf32> {fuse.dims = ["n"]}, %y: tensor<?x48xf32> {fuse.dims = ["n"]}) -> (tensor<?x64xf32>, tensor<?x48xf32>) {
  %1 = fuse.mul %x, %x : tensor<?x64xf32>, tensor<?x64xf32> -> tensor<?x64xf32>
  %2 = fuse.reduce sum %1 dims = [1] keep : tensor<?x64xf32> -> tensor<?x1xf32>
  %3 = fuse.sqrt %2 : tensor<?x1xf32> -> tensor<?x1xf32>
  %4 = fuse.div %x, %3 : tensor<?x64xf32>, tensor<?x1xf32> -> tensor<?x64xf32>
  %5 = fuse.div %y, %3 : tensor<?x48xf32>, tensor<?x1xf32> -> tensor<?x48xf32>
  return %4, %5 : tensor<?x64xf32>, tensor<?x48xf32>
}
