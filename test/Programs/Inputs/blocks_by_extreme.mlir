// Blocks of 32 scaled by their element of the largest magnitude, with its sign.
func.func @blocks_by_extreme(%x: tensor<?x256xf16> {fuse.dims = ["T"]}) -> (tensor<?x8x32xi8>, tensor<?x8xf16>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x256xf16>
  %w = fuse.cast %x : tensor<?x256xf16> -> tensor<?x256xf32>
  %b = tensor.expand_shape %w [[0], [1, 2]] output_shape [%n, 8, 32] : tensor<?x256xf32> into tensor<?x8x32xf32>
  %a = fuse.abs %b : tensor<?x8x32xf32>
  %i = fuse.argmax %a dim = 2 keep : tensor<?x8x32xf32> -> tensor<?x8x1xi32>
  %e = fuse.take_along %b, %i dim = 2 : tensor<?x8x32xf32>, tensor<?x8x1xi32> -> tensor<?x8x1xf32>
  %k = fuse.constant dense<-8.0> : tensor<f32>
  %d = fuse.div %e, %k : tensor<?x8x1xf32>, tensor<f32> -> tensor<?x8x1xf32>
  %zero = fuse.constant dense<0.0> : tensor<f32>
  %is = fuse.compare eq %d, %zero : tensor<?x8x1xf32>, tensor<f32> -> tensor<?x8x1xi1>
  %one = fuse.constant dense<1.0> : tensor<f32>
  %safe = fuse.select %is, %one, %d : tensor<?x8x1xi1>, tensor<f32>, tensor<?x8x1xf32> -> tensor<?x8x1xf32>
  %q = fuse.div %b, %safe : tensor<?x8x32xf32>, tensor<?x8x1xf32> -> tensor<?x8x32xf32>
  %r = fuse.round %q : tensor<?x8x32xf32>
  %o = fuse.cast %r : tensor<?x8x32xf32> -> tensor<?x8x32xi8>
  %s = fuse.cast %d : tensor<?x8x1xf32> -> tensor<?x8x1xf16>
  %t = tensor.collapse_shape %s [[0], [1, 2]] : tensor<?x8x1xf16> into tensor<?x8xf16>
  return %o, %t : tensor<?x8x32xi8>, tensor<?x8xf16>
}
