// Products whose sizes no tile divides: nothing is written past their ends.

// RUN: fuse run %s --target emu --dim rows=5 --verify | FileCheck %s
// RUN: fuse run %s --target cpu --dim rows=5 --verify | FileCheck %s
// CHECK: verify y: {{.*}}: ok
// CHECK: verify z: {{.*}}: ok

func.func @products(%x: tensor<?x37xf32> {fuse.dims = ["rows"]}, %w: tensor<33x37xf32>,
                    %a: tensor<3x7x36xf16>, %b: tensor<36x35xf16>)
    -> (tensor<?x33xf32>, tensor<3x7x35xf16>) {
  %y = fuse.matmul %x, %w transpose_rhs : tensor<?x37xf32>, tensor<33x37xf32> -> tensor<?x33xf32>
  %z = fuse.matmul %a, %b : tensor<3x7x36xf16>, tensor<36x35xf16> -> tensor<3x7x35xf16>
  return %y, %z : tensor<?x33xf32>, tensor<3x7x35xf16>
}
