// Keys that are widened in the kernel lie with their features next to each other, not
// with the keys of one feature, which a thread would have read in place of these.
// RUN: fuse-crosscheck %s
func.func @program(%q: tensor<130x64xbf16>, %k: tensor<64x128xi8>, %s: tensor<1x128xbf16>, %v: tensor<128x64xbf16>) -> (tensor<130x64xbf16>) {
  %c = fuse.cast %k : tensor<64x128xi8> -> tensor<64x128xbf16>
  %m = fuse.mul %c, %s : tensor<64x128xbf16>, tensor<1x128xbf16>
  %x = fuse.matmul %q, %m : tensor<130x64xbf16>, tensor<64x128xbf16> -> tensor<130x128xbf16>
  %f = fuse.cast %x : tensor<130x128xbf16> -> tensor<130x128xf32>
  %p = fuse.softmax %f dims = [1] : tensor<130x128xf32>
  %h = fuse.cast %p : tensor<130x128xf32> -> tensor<130x128xbf16>
  %y = fuse.matmul %h, %v : tensor<130x128xbf16>, tensor<128x64xbf16> -> tensor<130x64xbf16>
  return %y : tensor<130x64xbf16>
}
