// RUN: fuse-crosscheck %s --dim d0=2 --check strided,emulated,fused
// A box that is turned in registers went on in the row behind, where the result is a view.

func.func @program(%a0: tensor<?x7x3x1x2xi32> {fuse.dims = ["d0"]}) -> (tensor<?x7x3x1x2xi32> {fuse.name = "v1"}, tensor<?x7x2x3x1xi32> {fuse.name = "v0"}, tensor<?x7x3x1x8xi32> {fuse.name = "v2"}) {
  %v0 = fuse.transpose %a0 permutation = [0, 1, 4, 2, 3] : tensor<?x7x3x1x2xi32> -> tensor<?x7x2x3x1xi32>
  %v1 = fuse.add %a0, %a0 : tensor<?x7x3x1x2xi32>, tensor<?x7x3x1x2xi32> -> tensor<?x7x3x1x2xi32>
  %v2 = fuse.concat %a0, %v1, %v1, %v1 dim = 4 : tensor<?x7x3x1x2xi32>, tensor<?x7x3x1x2xi32>, tensor<?x7x3x1x2xi32>, tensor<?x7x3x1x2xi32> -> tensor<?x7x3x1x8xi32>
  return %v1, %v0, %v2 : tensor<?x7x3x1x2xi32>, tensor<?x7x2x3x1xi32>, tensor<?x7x3x1x8xi32>
}
