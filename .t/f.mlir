func.func @fmod(%x: tensor<?xf32> {fuse.dims=["r"]}, %y: tensor<?xf32> {fuse.dims=["r"]}) -> tensor<?xf32> {
  %v = fuse.remainder %x, %y : tensor<?xf32>
  return %v : tensor<?xf32>
}
