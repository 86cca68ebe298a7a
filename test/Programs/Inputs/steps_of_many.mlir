func.func @steps_of_many(
    %p0: tensor<8x64xf32>,
    %g0: tensor<8x64xf32>,
    %m0: tensor<8x64xf32>,
    %rate0: tensor<f32>,
    %p1: tensor<512xf32>,
    %g1: tensor<512xf32>,
    %m1: tensor<512xf32>,
    %rate1: tensor<f32>,
    %p2: tensor<?xf32> {fuse.dims = ["n"]},
    %g2: tensor<?xf32> {fuse.dims = ["n"]},
    %m2: tensor<?xf32> {fuse.dims = ["n"]},
    %rate2: tensor<f32>,
    %p3: tensor<21xf32>,
    %g3: tensor<21xf32>,
    %m3: tensor<21xf32>,
    %rate3: tensor<f32>,
    %p4: tensor<5x5xf32>,
    %g4: tensor<5x5xf32>,
    %m4: tensor<5x5xf32>,
    %rate4: tensor<f32>,
    %p5: tensor<33xf32>,
    %g5: tensor<33xf32>,
    %m5: tensor<33xf32>,
    %rate5: tensor<f32>,
    %p6: tensor<7xf32>,
    %g6: tensor<7xf32>,
    %m6: tensor<7xf32>,
    %rate6: tensor<f32>,
    %p7: tensor<?x4xf32> {fuse.dims = ["m"]},
    %g7: tensor<?x4xf32> {fuse.dims = ["m"]},
    %m7: tensor<?x4xf32> {fuse.dims = ["m"]},
    %rate7: tensor<f32>,
    %p8: tensor<3x8xf32>,
    %g8: tensor<3x8xf32>,
    %m8: tensor<3x8xf32>,
    %rate8: tensor<f32>,
    %p9: tensor<4xf32>,
    %g9: tensor<4xf32>,
    %m9: tensor<4xf32>,
    %rate9: tensor<f32>,
    %decay: tensor<f32>)
    -> (tensor<8x64xf32>, tensor<8x64xf32>, tensor<512xf32>, tensor<512xf32>, tensor<?xf32>, tensor<?xf32>, tensor<21xf32>, tensor<21xf32>, tensor<5x5xf32>, tensor<5x5xf32>, tensor<33xf32>, tensor<33xf32>, tensor<7xf32>, tensor<7xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<3x8xf32>, tensor<3x8xf32>, tensor<4xf32>, tensor<4xf32>) {
  %a0 = fuse.mul %m0, %decay : tensor<8x64xf32>, tensor<f32> -> tensor<8x64xf32>
  %b0 = fuse.add %a0, %g0 : tensor<8x64xf32>
  %c0 = fuse.abs %g0 : tensor<8x64xf32>
  %d0 = fuse.sqrt %c0 : tensor<8x64xf32>
  %e0 = fuse.mul %b0, %rate0 : tensor<8x64xf32>, tensor<f32> -> tensor<8x64xf32>
  %f0 = fuse.mul %e0, %d0 : tensor<8x64xf32>
  %q0 = fuse.sub %p0, %f0 : tensor<8x64xf32>
  %a1 = fuse.mul %m1, %decay : tensor<512xf32>, tensor<f32> -> tensor<512xf32>
  %b1 = fuse.add %a1, %g1 : tensor<512xf32>
  %c1 = fuse.abs %g1 : tensor<512xf32>
  %d1 = fuse.sqrt %c1 : tensor<512xf32>
  %e1 = fuse.mul %b1, %rate1 : tensor<512xf32>, tensor<f32> -> tensor<512xf32>
  %f1 = fuse.mul %e1, %d1 : tensor<512xf32>
  %q1 = fuse.sub %p1, %f1 : tensor<512xf32>
  %a2 = fuse.mul %m2, %decay : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
  %b2 = fuse.add %a2, %g2 : tensor<?xf32>
  %c2 = fuse.abs %g2 : tensor<?xf32>
  %d2 = fuse.sqrt %c2 : tensor<?xf32>
  %e2 = fuse.mul %b2, %rate2 : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
  %f2 = fuse.mul %e2, %d2 : tensor<?xf32>
  %q2 = fuse.sub %p2, %f2 : tensor<?xf32>
  %a3 = fuse.mul %m3, %decay : tensor<21xf32>, tensor<f32> -> tensor<21xf32>
  %b3 = fuse.add %a3, %g3 : tensor<21xf32>
  %c3 = fuse.abs %g3 : tensor<21xf32>
  %d3 = fuse.sqrt %c3 : tensor<21xf32>
  %e3 = fuse.mul %b3, %rate3 : tensor<21xf32>, tensor<f32> -> tensor<21xf32>
  %f3 = fuse.mul %e3, %d3 : tensor<21xf32>
  %q3 = fuse.sub %p3, %f3 : tensor<21xf32>
  %a4 = fuse.mul %m4, %decay : tensor<5x5xf32>, tensor<f32> -> tensor<5x5xf32>
  %b4 = fuse.add %a4, %g4 : tensor<5x5xf32>
  %c4 = fuse.abs %g4 : tensor<5x5xf32>
  %d4 = fuse.sqrt %c4 : tensor<5x5xf32>
  %e4 = fuse.mul %b4, %rate4 : tensor<5x5xf32>, tensor<f32> -> tensor<5x5xf32>
  %f4 = fuse.mul %e4, %d4 : tensor<5x5xf32>
  %q4 = fuse.sub %p4, %f4 : tensor<5x5xf32>
  %a5 = fuse.mul %m5, %decay : tensor<33xf32>, tensor<f32> -> tensor<33xf32>
  %b5 = fuse.add %a5, %g5 : tensor<33xf32>
  %c5 = fuse.abs %g5 : tensor<33xf32>
  %d5 = fuse.sqrt %c5 : tensor<33xf32>
  %e5 = fuse.mul %b5, %rate5 : tensor<33xf32>, tensor<f32> -> tensor<33xf32>
  %f5 = fuse.mul %e5, %d5 : tensor<33xf32>
  %q5 = fuse.sub %p5, %f5 : tensor<33xf32>
  %a6 = fuse.mul %m6, %decay : tensor<7xf32>, tensor<f32> -> tensor<7xf32>
  %b6 = fuse.add %a6, %g6 : tensor<7xf32>
  %c6 = fuse.abs %g6 : tensor<7xf32>
  %d6 = fuse.sqrt %c6 : tensor<7xf32>
  %e6 = fuse.mul %b6, %rate6 : tensor<7xf32>, tensor<f32> -> tensor<7xf32>
  %f6 = fuse.mul %e6, %d6 : tensor<7xf32>
  %q6 = fuse.sub %p6, %f6 : tensor<7xf32>
  %a7 = fuse.mul %m7, %decay : tensor<?x4xf32>, tensor<f32> -> tensor<?x4xf32>
  %b7 = fuse.add %a7, %g7 : tensor<?x4xf32>
  %c7 = fuse.abs %g7 : tensor<?x4xf32>
  %d7 = fuse.sqrt %c7 : tensor<?x4xf32>
  %e7 = fuse.mul %b7, %rate7 : tensor<?x4xf32>, tensor<f32> -> tensor<?x4xf32>
  %f7 = fuse.mul %e7, %d7 : tensor<?x4xf32>
  %q7 = fuse.sub %p7, %f7 : tensor<?x4xf32>
  %a8 = fuse.mul %m8, %decay : tensor<3x8xf32>, tensor<f32> -> tensor<3x8xf32>
  %b8 = fuse.add %a8, %g8 : tensor<3x8xf32>
  %c8 = fuse.abs %g8 : tensor<3x8xf32>
  %d8 = fuse.sqrt %c8 : tensor<3x8xf32>
  %e8 = fuse.mul %b8, %rate8 : tensor<3x8xf32>, tensor<f32> -> tensor<3x8xf32>
  %f8 = fuse.mul %e8, %d8 : tensor<3x8xf32>
  %q8 = fuse.sub %p8, %f8 : tensor<3x8xf32>
  %a9 = fuse.mul %m9, %decay : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
  %b9 = fuse.add %a9, %g9 : tensor<4xf32>
  %c9 = fuse.abs %g9 : tensor<4xf32>
  %d9 = fuse.sqrt %c9 : tensor<4xf32>
  %e9 = fuse.mul %b9, %rate9 : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
  %f9 = fuse.mul %e9, %d9 : tensor<4xf32>
  %q9 = fuse.sub %p9, %f9 : tensor<4xf32>
  return %q0, %b0, %q1, %b1, %q2, %b2, %q3, %b3, %q4, %b4, %q5, %b5, %q6, %b6, %q7, %b7, %q8, %b8, %q9, %b9
      : tensor<8x64xf32>, tensor<8x64xf32>, tensor<512xf32>, tensor<512xf32>, tensor<?xf32>, tensor<?xf32>, tensor<21xf32>, tensor<21xf32>, tensor<5x5xf32>, tensor<5x5xf32>, tensor<33xf32>, tensor<33xf32>, tensor<7xf32>, tensor<7xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<3x8xf32>, tensor<3x8xf32>, tensor<4xf32>, tensor<4xf32>
}
