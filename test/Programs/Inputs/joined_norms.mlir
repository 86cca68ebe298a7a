// Norms of two inputs, one after the other.
func.func @joined_norms(%x: tensor<?x1024xbf16> {fuse.dims = ["n"]},
                        %y: tensor<77x1024xbf16>,
                        %w: tensor<1024xbf16>,
                        %v: tensor<1024xbf16>)
    -> tensor<?x1024xbf16> {
  %a = fuse.rms_norm %x, %w eps = 1.0e-6 : tensor<?x1024xbf16>, tensor<1024xbf16>
  %b = fuse.rms_norm %y, %v eps = 1.0e-6 : tensor<77x1024xbf16>, tensor<1024xbf16>
  %o = fuse.concat %a, %b dim = 0 : tensor<?x1024xbf16>, tensor<77x1024xbf16> -> tensor<?x1024xbf16>
  return %o : tensor<?x1024xbf16>
}
