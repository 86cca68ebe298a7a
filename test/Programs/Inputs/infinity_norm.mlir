// Gradients clipped by the largest of their elements: maxima of tensors of
// several sizes, two by two and of a stack.
func.func @infinity_norm(%a: tensor<64x512xf32>, %b: tensor<77xf32>, %c: tensor<30x100xf32>, %d: tensor<1024xf32>, %e: tensor<1xf32>)
    -> (tensor<64x512xf32>, tensor<77xf32>, tensor<30x100xf32>) {
  %one = fuse.constant dense<1.0> : tensor<f32>
  %aa = fuse.abs %a : tensor<64x512xf32>
  %ba = fuse.abs %b : tensor<77xf32>
  %ca = fuse.abs %c : tensor<30x100xf32>
  %da = fuse.abs %d : tensor<1024xf32>
  %am = fuse.reduce max %aa dims = [0, 1] : tensor<64x512xf32> -> tensor<f32>
  %bm = fuse.reduce max %ba dims = [0] : tensor<77xf32> -> tensor<f32>
  %cm = fuse.reduce max %ca dims = [0, 1] : tensor<30x100xf32> -> tensor<f32>
  %dm = fuse.reduce max %da dims = [0] : tensor<1024xf32> -> tensor<f32>
  %a1 = tensor.expand_shape %am [] output_shape [1] : tensor<f32> into tensor<1xf32>
  %b1 = tensor.expand_shape %bm [] output_shape [1] : tensor<f32> into tensor<1xf32>
  %ab = fuse.concat %a1, %b1, %e dim = 0 : tensor<1xf32>, tensor<1xf32>, tensor<1xf32> -> tensor<3xf32>
  %first = fuse.reduce max %ab dims = [0] : tensor<3xf32> -> tensor<f32>
  %second = fuse.max %cm, %dm : tensor<f32>
  %norm = fuse.max %first, %second : tensor<f32>
  %divisor = fuse.max %norm, %one : tensor<f32>
  %ay = fuse.div %a, %divisor : tensor<64x512xf32>, tensor<f32> -> tensor<64x512xf32>
  %by = fuse.div %b, %divisor : tensor<77xf32>, tensor<f32> -> tensor<77xf32>
  %cy = fuse.div %c, %divisor : tensor<30x100xf32>, tensor<f32> -> tensor<30x100xf32>
  return %ay, %by, %cy : tensor<64x512xf32>, tensor<77xf32>, tensor<30x100xf32>
}
