// Floats become narrow integers by saturating.
func.func @narrow_casts(%x: tensor<?x64xf32> {fuse.dims = ["n"]}) -> (tensor<?x64xui8>, tensor<?x64xi16>, tensor<?x64xbf16>) {
  %1 = fuse.constant dense<100.0> : tensor<f32>
  %2 = fuse.mul %x, %1 : tensor<?x64xf32>, tensor<f32> -> tensor<?x64xf32>
  %3 = fuse.cast %2 : tensor<?x64xf32> -> tensor<?x64xui8>
  %4 = fuse.constant dense<40000.0> : tensor<f32>
  %5 = fuse.mul %x, %4 : tensor<?x64xf32>, tensor<f32> -> tensor<?x64xf32>
  %6 = fuse.cast %5 : tensor<?x64xf32> -> tensor<?x64xi16>
  %7 = fuse.cast %x : tensor<?x64xf32> -> tensor<?x64xui8>
  %8 = fuse.cast %7 : tensor<?x64xui8> -> tensor<?x64xbf16>
  return %3, %6, %8 : tensor<?x64xui8>, tensor<?x64xi16>, tensor<?x64xbf16>
}
