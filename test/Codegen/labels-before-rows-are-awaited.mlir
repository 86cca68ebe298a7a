// RUN: fuse inspect %s --target cuda --chip sm_90 --emit ptx | FileCheck %s

// All of a row's loads start, then that of its label; nothing moves either over
// what follows. Only the label's logit is loaded later.
// CHECK:     griddepcontrol.wait
// CHECK-NOT: ld.global.nc.b64
// CHECK-COUNT-5: ld.global.nc.v4.b32
// CHECK-NOT: ld.global.nc.v4
// CHECK:     ld.global.nc.b64
// CHECK-NOT: ld.global
// CHECK:     griddepcontrol.launch_dependents
// CHECK-NOT: ld.global.nc.v4
// CHECK:     ld.global.nc.b16
// CHECK-NOT: ld.global
// CHECK:     ret;
func.func @cross_entropy(%x: tensor<?x1280xbf16> {fuse.dims = ["rows"]}, %labels: tensor<?xi64> {fuse.dims = ["rows"]}) -> tensor<?xf32> {
  %f = fuse.cast %x : tensor<?x1280xbf16> -> tensor<?x1280xf32>
  %lse = fuse.logsumexp %f dims = [1] : tensor<?x1280xf32> -> tensor<?xf32>
  %columns = fuse.constant dense<1280> : tensor<i64>
  %row = fuse.iota dim = 0 like %labels : tensor<?xi64> -> tensor<?xi64>
  %start = fuse.mul %row, %columns : tensor<?xi64>, tensor<i64> -> tensor<?xi64>
  %place = fuse.add %start, %labels : tensor<?xi64>
  %all = tensor.collapse_shape %x [[0, 1]] : tensor<?x1280xbf16> into tensor<?xbf16>
  %own = fuse.gather %all, %place dim = 0 : tensor<?xbf16>, tensor<?xi64> -> tensor<?xbf16>
  %w = fuse.cast %own : tensor<?xbf16> -> tensor<?xf32>
  %y = fuse.sub %lse, %w : tensor<?xf32>
  return %y : tensor<?xf32>
}
