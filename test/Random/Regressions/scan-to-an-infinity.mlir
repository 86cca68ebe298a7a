// Finite elements whose sum is below the least f32 left a rest of +inf, and NaN a few
// elements later.
// RUN: fuse-crosscheck %s
// --dim d0=65
// --seed 380002590
// --fill special
// --check fused,schedules,emulated
func.func @program(%x: tensor<40x?xbf16> {fuse.dims = ["d0"]}) -> tensor<40x?xbf16> {
  %y = fuse.scan sum %x exclusive : tensor<40x?xbf16>
  return %y : tensor<40x?xbf16>
}
