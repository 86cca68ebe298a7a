// RUN: fuse inspect %s --target cuda --chip sm_90 --emit=ptx --no-cache | FileCheck %s
// RUN: fuse inspect %s --target cuda --chip sm_80 --emit=ptx --no-cache | FileCheck %s

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
