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
func.func @gradient(%arg0: tensor<?x1024xbf16> {fuse.dims = ["rows"]}, %arg1: tensor<?x1024xbf16> {fuse.dims = ["rows"]}) -> (tensor<?x1024xbf16>, tensor<1024xf32>) {
  %0:2 = fuse.kernel "gradient" ins(%arg0, %arg1 : tensor<?x1024xbf16>, tensor<?x1024xbf16>) -> tensor<?x1024xbf16>, tensor<1024xf32> schedule = #fuse.rows<threads = 256, vector = 8, rows_per_block = 4, hold = registers<preload = true>, persistent = 396, least_blocks = 3> {
  ^bb0(%arg2: tensor<?x1024xbf16>, %arg3: tensor<?x1024xbf16>):
    %1 = fuse.mul %arg2, %arg3 : tensor<?x1024xbf16>
    %2 = fuse.reduce sum %1 dims = [1] keep : tensor<?x1024xbf16> -> tensor<?x1xbf16>
    %3 = fuse.mul %arg3, %2 : tensor<?x1024xbf16>, tensor<?x1xbf16>
    %4 = fuse.cast %1 : tensor<?x1024xbf16> -> tensor<?x1024xf32>
    %5 = fuse.reduce sum %4 dims = [0] : tensor<?x1024xf32> -> tensor<1024xf32>
    fuse.yield %3, %5 : tensor<?x1024xbf16>, tensor<1024xf32>
  }
  return %0#0, %0#1 : tensor<?x1024xbf16>, tensor<1024xf32>
}
