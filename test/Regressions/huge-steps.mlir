// Offsets and steps of slices of dynamic dimensions are multiplied before any
// size is known, and may be larger than an index can hold.
// RUN: fuse run %s --target cpu --dim n=5 --verify | FileCheck %s
// RUN: fuse run %s --target emu --dim n=5 --verify | FileCheck %s

// CHECK-DAG: verify one: f32 [1], {{.*}} ok
// CHECK-DAG: verify none: f32 [0], {{.*}} ok
func.func @slices(%x: tensor<?xf32> {fuse.dims = ["n"]})
    -> (tensor<?xf32> {fuse.name = "one"}, tensor<?xf32> {fuse.name = "none"}) {
  %one = fuse.slice %x offsets = [1] sizes = [-1] steps = [9223372036854775807]
      : tensor<?xf32> -> tensor<?xf32>
  %none = fuse.slice %one offsets = [1] sizes = [-1] steps = [3]
      : tensor<?xf32> -> tensor<?xf32>
  return %one, %none : tensor<?xf32>, tensor<?xf32>
}
