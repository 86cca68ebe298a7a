// ptxas took ex2(x) >= -0 for true where x is NaN.
// RUN: fuse-crosscheck %s
// --seed 9501980
// --fill special
func.func @program(%a0: tensor<3x5x3x31xf16>) -> (tensor<3x5x3x31xf16>) {
  %v0 = fuse.exp2 %a0 : tensor<3x5x3x31xf16>
  %v1 = fuse.constant dense<-0.0> : tensor<f16>
  %v2 = fuse.compare ge %v0, %v1 : tensor<3x5x3x31xf16>, tensor<f16> -> tensor<3x5x3x31xi1>
  %v3 = fuse.constant dense<0.5> : tensor<f16>
  %v4 = fuse.select %v2, %v3, %v0 : tensor<3x5x3x31xi1>, tensor<f16>, tensor<3x5x3x31xf16> -> tensor<3x5x3x31xf16>
  return %v4 : tensor<3x5x3x31xf16>
}
