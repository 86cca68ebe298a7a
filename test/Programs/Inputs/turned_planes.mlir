// Rows and columns stay together, so that vectors divide a plane, if not its rows; and back.
func.func @turned_planes(%x: tensor<?x64x28x20xi8> {fuse.dims = ["n"]},
                         %z: tensor<?x28x20x64xi8> {fuse.dims = ["n"]})
    -> (tensor<?x28x20x64xi8>, tensor<?x64x28x20xi8>) {
  %y = fuse.transpose %x permutation = [0, 2, 3, 1] : tensor<?x64x28x20xi8> -> tensor<?x28x20x64xi8>
  %w = fuse.transpose %z permutation = [0, 3, 1, 2] : tensor<?x28x20x64xi8> -> tensor<?x64x28x20xi8>
  return %y, %w : tensor<?x28x20x64xi8>, tensor<?x64x28x20xi8>
}
