// RUN: fuse-opt %s -split-input-file -fuse-compile=chip=sm_90 | FileCheck %s

// Results that have nothing in common are computed by blocks of their own, at
// any time: none may lie where another's input does.
// CHECK-LABEL: func.func @neighbours
// CHECK:         in_place = {{\[\[}}0, 0], [1, 1]]
func.func @neighbours(%x: tensor<1024x64xf32>, %y: tensor<1024x64xf32>) -> (tensor<1024x64xf32>, tensor<1024x64xf32>) {
  %a = fuse.exp %x : tensor<1024x64xf32>
  %b = fuse.neg %y : tensor<1024x64xf32>
  return %a, %b : tensor<1024x64xf32>, tensor<1024x64xf32>
}

// -----

// What both are computed from is read by one thread, which reads all of it
// before it writes.
// CHECK-LABEL: func.func @of_both
// CHECK:         in_place = {{\[\[}}0, 0], [0, 1], [1, 0], [1, 1]]
func.func @of_both(%x: tensor<1024x64xf32>, %y: tensor<1024x64xf32>) -> (tensor<1024x64xf32>, tensor<1024x64xf32>) {
  %a = fuse.add %x, %y : tensor<1024x64xf32>
  %b = fuse.sub %x, %y : tensor<1024x64xf32>
  return %a, %b : tensor<1024x64xf32>, tensor<1024x64xf32>
}
