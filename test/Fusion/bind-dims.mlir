// RUN: fuse-opt %s -split-input-file -fuse-bind-dims | FileCheck %s

// CHECK-LABEL: func.func @equal
// CHECK-SAME:    %{{.*}}: tensor<?x4xf32> {fuse.dims = ["x.0"], fuse.name = "x"}
// CHECK-SAME:    %{{.*}}: tensor<?x4xf32> {fuse.dims = ["x.0"], fuse.name = "y"}
func.func @equal(%x: tensor<?x4xf32> {fuse.name = "x"},
                 %y: tensor<?x4xf32> {fuse.name = "y"}) -> tensor<?x4xf32> {
  %s = fuse.add %x, %y : tensor<?x4xf32>
  return %s : tensor<?x4xf32>
}

// -----

// A name that the user gave to one dimension is that of all equal ones.
// CHECK-LABEL: func.func @user_name
// CHECK-SAME:    {fuse.dims = ["rows"], fuse.name = "x"}
// CHECK-SAME:    {fuse.dims = ["rows"], fuse.name = "y"}
func.func @user_name(%x: tensor<?xf32> {fuse.name = "x"},
                     %y: tensor<?xf32> {fuse.name = "y", fuse.dims = ["rows"]}) -> tensor<?xf32> {
  %s = fuse.mul %x, %y : tensor<?xf32>
  return %s : tensor<?xf32>
}

// -----

// A size that the program forces.
// CHECK-LABEL: func.func @forced
// CHECK-SAME:    {fuse.dims = ["8"], fuse.name = "x"}
func.func @forced(%x: tensor<?xf32> {fuse.name = "x"}, %y: tensor<8xf32>) -> tensor<8xf32> {
  %s = fuse.mul %x, %y : tensor<?xf32>, tensor<8xf32> -> tensor<8xf32>
  return %s : tensor<8xf32>
}

// -----

// Unrelated sizes stay apart; a summed axis has one size.
// CHECK-LABEL: func.func @contract
// CHECK-SAME:    {fuse.dims = ["a.0", "a.1"], fuse.name = "a"}
// CHECK-SAME:    {fuse.dims = ["a.1", "b.1"], fuse.name = "b"}
func.func @contract(%a: tensor<?x?xf32> {fuse.name = "a"},
                    %b: tensor<?x?xf32> {fuse.name = "b"}) -> tensor<?x?xf32> {
  %c = fuse.contract "mk,kn->mn" %a, %b : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
  return %c : tensor<?x?xf32>
}
