// Channels last, and zeros for the channels that are missing to 72.
func.func @transposed_pad(%x: tensor<?x66x96xf16> {fuse.dims = ["n"]}) -> tensor<?x96x72xf16> {
  %t = fuse.transpose %x permutation = [0, 2, 1] : tensor<?x66x96xf16> -> tensor<?x96x66xf16>
  %c = fuse.constant dense<2.0> : tensor<f16>
  %m = fuse.mul %t, %c : tensor<?x96x66xf16>, tensor<f16> -> tensor<?x96x66xf16>
  %p = fuse.pad %m low = [0, 0, 0] high = [0, 0, 6] value = 0.0 : tensor<?x96x66xf16> -> tensor<?x96x72xf16>
  return %p : tensor<?x96x72xf16>
}
