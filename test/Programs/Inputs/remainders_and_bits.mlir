// Remainders of floats and integers, shifts and bits.
func.func @remainders_and_bits(%x: tensor<?x8xf32> {fuse.dims=["r"]}, %y: tensor<?x8xf32> {fuse.dims=["r"]}, %a: tensor<?x8xi32> {fuse.dims=["r"]}, %b: tensor<?x8xi32> {fuse.dims=["r"]}) -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xi32>, tensor<?x8xi32>, tensor<?x8xi32>, tensor<?x8xi32>) {
  %0 = fuse.fmod %x, %y : tensor<?x8xf32>
  %1 = fuse.remainder %x, %y : tensor<?x8xf32>
  %2 = fuse.trunc %x : tensor<?x8xf32>
  %3 = fuse.remainder %a, %b : tensor<?x8xi32>
  %4 = fuse.shl %a, %b : tensor<?x8xi32>
  %5 = fuse.shr %a, %b : tensor<?x8xi32>
  %n = fuse.not %a : tensor<?x8xi32>
  %6 = fuse.xor %n, %b : tensor<?x8xi32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xi32>, tensor<?x8xi32>, tensor<?x8xi32>, tensor<?x8xi32>
}
