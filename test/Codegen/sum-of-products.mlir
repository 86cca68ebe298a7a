// RUN: fuse inspect %s --target=cuda --chip=sm_90 --emit=ptx --no-cache | FileCheck %s
// RUN: fuse inspect %s --target=cuda --chip=sm_90 --emit=ptx --no-cache --strict | FileCheck %s --check-prefix=STRICT

// A product comes to its sum unrounded, by one instruction, at the row's edge too;
// the first ones are there as they are, with nothing added. No thread waits for the
// division of a mean, which is a product and one step of correction.
// CHECK-LABEL: .entry squares
// CHECK-NOT:   add.{{.*}}, 0f80000000
// CHECK-NOT:   div.
// CHECK-COUNT-8: fma.rn.f32
// CHECK:       shfl.sync.bfly
// CHECK-NOT:   div.
// CHECK:       mul.rn.f32 %[[Q:.*]], %[[S:.*]], 0f3A83126F
// CHECK:       fma.rn.f32 %[[R:.*]], %[[Q]], 0fC47A0000, %[[S]]
// CHECK:       fma.rn.f32 %{{.*}}, %[[R]], 0f3A83126F, %[[Q]]
// CHECK-NOT:   div.
// CHECK:       ret;

// STRICT-LABEL: .entry squares
// STRICT-NOT:   fma
// STRICT:       shfl.sync.bfly
func.func @squares(%x: tensor<?x1000xf32>) -> tensor<?xf32> {
  %q = fuse.mul %x, %x : tensor<?x1000xf32>
  %y = fuse.reduce mean %q dims = [1] : tensor<?x1000xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}
