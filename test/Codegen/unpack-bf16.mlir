// RUN: fuse inspect %s --entry add --target cuda --chip sm_90 --emit=ptx --no-cache | FileCheck %s
// RUN: fuse inspect %s --entry add --target cuda --chip sm_80 --emit=ptx --no-cache | FileCheck %s

// Lanes of a word become f32 by one instruction each.
// CHECK-LABEL: .entry add(
// CHECK-NOT:     cvt.f32.bf16
// CHECK-COUNT-2: ld.global{{.*}}.v4
// CHECK-DAG:     shl.b32 {{.*}}, 16;
// CHECK-DAG:     and.b32 {{.*}}, -65536;
// CHECK-NOT:     cvt.f32.bf16
// CHECK:         ret;
func.func @add(%x: tensor<4096x64xbf16>, %y: tensor<4096x64xbf16>) -> tensor<4096x64xbf16> {
  %s = fuse.add %x, %y : tensor<4096x64xbf16>
  %e = fuse.exp %s : tensor<4096x64xbf16>
  return %e : tensor<4096x64xbf16>
}

// Not of what a loop over rows carries, which would take twice the registers.
// RUN: fuse inspect %s --entry gradient --target cuda --chip sm_90 --emit=ptx --no-cache | FileCheck %s --check-prefix=CARRIED
// CARRIED-COUNT-32: cvt.f32.bf16
func.func @gradient(%x: tensor<?x1024xbf16> {fuse.dims = ["rows"]}, %d: tensor<?x1024xbf16> {fuse.dims = ["rows"]}) -> (tensor<?x1024xbf16>, tensor<1024xf32>) {
  %p = fuse.mul %x, %d : tensor<?x1024xbf16>
  %s = fuse.reduce sum %p dims = [1] keep : tensor<?x1024xbf16> -> tensor<?x1xbf16>
  %y = fuse.mul %d, %s : tensor<?x1024xbf16>, tensor<?x1xbf16> -> tensor<?x1024xbf16>
  %w = fuse.cast %p : tensor<?x1024xbf16> -> tensor<?x1024xf32>
  %c = fuse.reduce sum %w dims = [0] : tensor<?x1024xf32> -> tensor<1024xf32>
  return %y, %c : tensor<?x1024xbf16>, tensor<1024xf32>
}
