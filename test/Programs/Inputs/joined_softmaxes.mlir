// Softmaxes of two lengths, and what is computed after both.
func.func @joined_softmaxes(%x: tensor<?x64xf16> {fuse.dims = ["n"]},
                            %y: tensor<?x32xf16> {fuse.dims = ["n"]},
                            %b: tensor<96xf16>)
    -> tensor<?x96xf16> {
  %s = fuse.softmax %x dims = [1] : tensor<?x64xf16>
  %t = fuse.softmax %y dims = [1] : tensor<?x32xf16>
  %c = fuse.concat %s, %t dim = 1 : tensor<?x64xf16>, tensor<?x32xf16> -> tensor<?x96xf16>
  %d = fuse.add %c, %b : tensor<?x96xf16>, tensor<96xf16> -> tensor<?x96xf16>
  %g = fuse.silu %d : tensor<?x96xf16>
  return %g : tensor<?x96xf16>
}
