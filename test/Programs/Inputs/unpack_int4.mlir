// Two numbers of four bits each, and a scale for each group.
func.func @unpack_int4(%q: tensor<?x2048xi32> {fuse.dims = ["n"]},
                       %s: tensor<?x32xf16> {fuse.dims = ["n"]})
    -> tensor<?x4096xf16> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %q, %c0 : tensor<?x2048xi32>
  %m = tensor.dim %s, %c0 : tensor<?x32xf16>
  %f15 = fuse.constant dense<16> : tensor<i32>
  %f16 = fuse.constant dense<0.0625> : tensor<f32>
  %f8 = fuse.constant dense<8> : tensor<i32>
  %qf = fuse.cast %q : tensor<?x2048xi32> -> tensor<?x2048xf32>
  %h0 = fuse.mul %qf, %f16 : tensor<?x2048xf32>, tensor<f32> -> tensor<?x2048xf32>
  %hf = fuse.floor %h0 : tensor<?x2048xf32>
  %hi = fuse.cast %hf : tensor<?x2048xf32> -> tensor<?x2048xi32>
  %h16 = fuse.mul %hi, %f15 : tensor<?x2048xi32>, tensor<i32> -> tensor<?x2048xi32>
  %lo = fuse.sub %q, %h16 : tensor<?x2048xi32>
  %el = tensor.expand_shape %lo [[0], [1, 2]] output_shape [%n, 2048, 1] : tensor<?x2048xi32> into tensor<?x2048x1xi32>
  %eh = tensor.expand_shape %hi [[0], [1, 2]] output_shape [%n, 2048, 1] : tensor<?x2048xi32> into tensor<?x2048x1xi32>
  %c = fuse.concat %el, %eh dim = 2 : tensor<?x2048x1xi32>, tensor<?x2048x1xi32> -> tensor<?x2048x2xi32>
  %r = tensor.collapse_shape %c [[0], [1, 2]] : tensor<?x2048x2xi32> into tensor<?x4096xi32>
  %d = fuse.sub %r, %f8 : tensor<?x4096xi32>, tensor<i32> -> tensor<?x4096xi32>
  %f = fuse.cast %d : tensor<?x4096xi32> -> tensor<?x4096xf16>
  %g = tensor.expand_shape %f [[0], [1, 2]] output_shape [%n, 32, 128] : tensor<?x4096xf16> into tensor<?x32x128xf16>
  %us = tensor.expand_shape %s [[0], [1, 2]] output_shape [%m, 32, 1] : tensor<?x32xf16> into tensor<?x32x1xf16>
  %y = fuse.mul %g, %us : tensor<?x32x128xf16>, tensor<?x32x1xf16> -> tensor<?x32x128xf16>
  %o = tensor.collapse_shape %y [[0], [1, 2]] : tensor<?x32x128xf16> into tensor<?x4096xf16>
  return %o : tensor<?x4096xf16>
}
