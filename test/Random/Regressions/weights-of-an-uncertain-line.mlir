// An uncertain line has exponentials without a bound; weights lie between 0 and 1 all
// the same.
// RUN: fuse-crosscheck %s
// --seed 580187673
// --fill normal
// --check fused
func.func @program(%b0: tensor<8x2x1xi32>, %b3: tensor<8x2x1xbf16>) -> (tensor<8x2x1xbf16>) {
  %v2 = fuse.cast %b0 : tensor<8x2x1xi32> -> tensor<8x2x1xbf16>
  %v5 = fuse.mul %v2, %v2 : tensor<8x2x1xbf16>, tensor<8x2x1xbf16> -> tensor<8x2x1xbf16>
  %v8 = fuse.compare lt %v5, %v5 : tensor<8x2x1xbf16>, tensor<8x2x1xbf16> -> tensor<8x2x1xi1>
  %v9 = fuse.select %v8, %v5, %b3 : tensor<8x2x1xi1>, tensor<8x2x1xbf16>, tensor<8x2x1xbf16> -> tensor<8x2x1xbf16>
  %v14 = fuse.softmax %v9 dims = [1, 2] : tensor<8x2x1xbf16>
  return %v14 : tensor<8x2x1xbf16>
}
