// Differences of neighbours along the contiguous dimension, and a mean of four around each element.
func.func @shifted_halves(%x: tensor<?x16x32xf16> {fuse.dims = ["n"]}) -> (tensor<?x16x32xf16>, tensor<?x16x32xf16>) {
  %l = fuse.slice %x offsets = [0, 0, 0] sizes = [-1, 16, 31] : tensor<?x16x32xf16> -> tensor<?x16x31xf16>
  %s = fuse.pad %l low = [0, 0, 1] high = [0, 0, 0] value = 0.0 : tensor<?x16x31xf16> -> tensor<?x16x32xf16>
  %d = fuse.sub %x, %s : tensor<?x16x32xf16>
  %p = fuse.pad %x low = [0, 1, 1] high = [0, 1, 1] value = 1.0 : tensor<?x16x32xf16> -> tensor<?x18x34xf16>
  %a = fuse.slice %p offsets = [0, 1, 0] sizes = [-1, 16, 32] : tensor<?x18x34xf16> -> tensor<?x16x32xf16>
  %b = fuse.slice %p offsets = [0, 1, 2] sizes = [-1, 16, 32] : tensor<?x18x34xf16> -> tensor<?x16x32xf16>
  %c = fuse.slice %p offsets = [0, 0, 1] sizes = [-1, 16, 32] : tensor<?x18x34xf16> -> tensor<?x16x32xf16>
  %e = fuse.slice %p offsets = [0, 2, 1] sizes = [-1, 16, 32] : tensor<?x18x34xf16> -> tensor<?x16x32xf16>
  %ab = fuse.add %a, %b : tensor<?x16x32xf16>
  %ce = fuse.add %c, %e : tensor<?x16x32xf16>
  %m = fuse.max %ab, %ce : tensor<?x16x32xf16>
  return %d, %m : tensor<?x16x32xf16>, tensor<?x16x32xf16>
}
