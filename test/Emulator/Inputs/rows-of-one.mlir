// One row, its norm and two matrices: each of the kernel's segments has two reductions.
func.func @f(%x: tensor<1x1x4096xbf16>, %n: tensor<4096xbf16>,
             %wq: tensor<512x4096xbf16> {fuse.stddev = 0.0156},
             %wk: tensor<128x4096xbf16> {fuse.stddev = 0.0156})
    -> (tensor<1x1x512xbf16>, tensor<1x1x128xbf16>) {
  %h = fuse.rms_norm %x, %n eps = 1.0e-05 : tensor<1x1x4096xbf16>, tensor<4096xbf16>
  %q = fuse.matmul %h, %wq transpose_rhs : tensor<1x1x4096xbf16>, tensor<512x4096xbf16> -> tensor<1x1x512xbf16>
  %k = fuse.matmul %h, %wk transpose_rhs : tensor<1x1x4096xbf16>, tensor<128x4096xbf16> -> tensor<1x1x128xbf16>
  return %q, %k : tensor<1x1x512xbf16>, tensor<1x1x128xbf16>
}
