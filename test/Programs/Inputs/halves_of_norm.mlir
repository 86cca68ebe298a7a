// Both halves of a norm.
func.func @halves_of_norm(%x: tensor<?x512xf16> {fuse.dims = ["n"]},
                          %w: tensor<512xf16>)
    -> (tensor<?x256xf16>, tensor<?x256xf16>) {
  %n = fuse.layer_norm %x, %w eps = 1.0e-6 : tensor<?x512xf16>, tensor<512xf16>
  %a = fuse.slice %n offsets = [0, 0] sizes = [-1, 256] : tensor<?x512xf16> -> tensor<?x256xf16>
  %b = fuse.slice %n offsets = [0, 256] sizes = [-1, 256] : tensor<?x512xf16> -> tensor<?x256xf16>
  return %a, %b : tensor<?x256xf16>, tensor<?x256xf16>
}
