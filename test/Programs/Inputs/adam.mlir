// One step of Adam (Kingma and Ba, arXiv:1412.6980) on three parameters of
// different shapes, in place.
func.func @adam(%w_p: tensor<64x256xf32>, %w_g: tensor<64x256xf32>, %w_m: tensor<64x256xf32>, %w_v: tensor<64x256xf32>,
                %b_p: tensor<256xf32>, %b_g: tensor<256xf32>, %b_m: tensor<256xf32>, %b_v: tensor<256xf32>,
                %e_p: tensor<1000x32xf32>, %e_g: tensor<1000x32xf32>, %e_m: tensor<1000x32xf32>, %e_v: tensor<1000x32xf32>,
                %lr: tensor<f32>, %step: tensor<f32>)
    -> (tensor<64x256xf32> {fuse.in_place = "w_p"},
        tensor<64x256xf32> {fuse.in_place = "w_m"},
        tensor<64x256xf32> {fuse.in_place = "w_v"},
        tensor<256xf32> {fuse.in_place = "b_p"},
        tensor<256xf32> {fuse.in_place = "b_m"},
        tensor<256xf32> {fuse.in_place = "b_v"},
        tensor<1000x32xf32> {fuse.in_place = "e_p"},
        tensor<1000x32xf32> {fuse.in_place = "e_m"},
        tensor<1000x32xf32> {fuse.in_place = "e_v"}) {
  %one = fuse.constant dense<1.0> : tensor<f32>
  %eps = fuse.constant dense<1.0e-8> : tensor<f32>
  %b1 = fuse.constant dense<0.9> : tensor<f32>
  %b2 = fuse.constant dense<0.999> : tensor<f32>
  %n1 = fuse.constant dense<0.1> : tensor<f32>
  %n2 = fuse.constant dense<0.001> : tensor<f32>
  %p1 = fuse.pow %b1, %step : tensor<f32>
  %p2 = fuse.pow %b2, %step : tensor<f32>
  %c1 = fuse.sub %one, %p1 : tensor<f32>
  %c2 = fuse.sub %one, %p2 : tensor<f32>
  %w_m1 = fuse.mul %w_m, %b1 : tensor<64x256xf32>, tensor<f32> -> tensor<64x256xf32>
  %w_g1 = fuse.mul %w_g, %n1 : tensor<64x256xf32>, tensor<f32> -> tensor<64x256xf32>
  %w_mn = fuse.add %w_m1, %w_g1 : tensor<64x256xf32>
  %w_gg = fuse.mul %w_g, %w_g : tensor<64x256xf32>
  %w_v1 = fuse.mul %w_v, %b2 : tensor<64x256xf32>, tensor<f32> -> tensor<64x256xf32>
  %w_g2 = fuse.mul %w_gg, %n2 : tensor<64x256xf32>, tensor<f32> -> tensor<64x256xf32>
  %w_vn = fuse.add %w_v1, %w_g2 : tensor<64x256xf32>
  %w_mh = fuse.div %w_mn, %c1 : tensor<64x256xf32>, tensor<f32> -> tensor<64x256xf32>
  %w_vh = fuse.div %w_vn, %c2 : tensor<64x256xf32>, tensor<f32> -> tensor<64x256xf32>
  %w_sq = fuse.sqrt %w_vh : tensor<64x256xf32>
  %w_de = fuse.add %w_sq, %eps : tensor<64x256xf32>, tensor<f32> -> tensor<64x256xf32>
  %w_up = fuse.div %w_mh, %w_de : tensor<64x256xf32>
  %w_st = fuse.mul %w_up, %lr : tensor<64x256xf32>, tensor<f32> -> tensor<64x256xf32>
  %w_pn = fuse.sub %w_p, %w_st : tensor<64x256xf32>
  %b_m1 = fuse.mul %b_m, %b1 : tensor<256xf32>, tensor<f32> -> tensor<256xf32>
  %b_g1 = fuse.mul %b_g, %n1 : tensor<256xf32>, tensor<f32> -> tensor<256xf32>
  %b_mn = fuse.add %b_m1, %b_g1 : tensor<256xf32>
  %b_gg = fuse.mul %b_g, %b_g : tensor<256xf32>
  %b_v1 = fuse.mul %b_v, %b2 : tensor<256xf32>, tensor<f32> -> tensor<256xf32>
  %b_g2 = fuse.mul %b_gg, %n2 : tensor<256xf32>, tensor<f32> -> tensor<256xf32>
  %b_vn = fuse.add %b_v1, %b_g2 : tensor<256xf32>
  %b_mh = fuse.div %b_mn, %c1 : tensor<256xf32>, tensor<f32> -> tensor<256xf32>
  %b_vh = fuse.div %b_vn, %c2 : tensor<256xf32>, tensor<f32> -> tensor<256xf32>
  %b_sq = fuse.sqrt %b_vh : tensor<256xf32>
  %b_de = fuse.add %b_sq, %eps : tensor<256xf32>, tensor<f32> -> tensor<256xf32>
  %b_up = fuse.div %b_mh, %b_de : tensor<256xf32>
  %b_st = fuse.mul %b_up, %lr : tensor<256xf32>, tensor<f32> -> tensor<256xf32>
  %b_pn = fuse.sub %b_p, %b_st : tensor<256xf32>
  %e_m1 = fuse.mul %e_m, %b1 : tensor<1000x32xf32>, tensor<f32> -> tensor<1000x32xf32>
  %e_g1 = fuse.mul %e_g, %n1 : tensor<1000x32xf32>, tensor<f32> -> tensor<1000x32xf32>
  %e_mn = fuse.add %e_m1, %e_g1 : tensor<1000x32xf32>
  %e_gg = fuse.mul %e_g, %e_g : tensor<1000x32xf32>
  %e_v1 = fuse.mul %e_v, %b2 : tensor<1000x32xf32>, tensor<f32> -> tensor<1000x32xf32>
  %e_g2 = fuse.mul %e_gg, %n2 : tensor<1000x32xf32>, tensor<f32> -> tensor<1000x32xf32>
  %e_vn = fuse.add %e_v1, %e_g2 : tensor<1000x32xf32>
  %e_mh = fuse.div %e_mn, %c1 : tensor<1000x32xf32>, tensor<f32> -> tensor<1000x32xf32>
  %e_vh = fuse.div %e_vn, %c2 : tensor<1000x32xf32>, tensor<f32> -> tensor<1000x32xf32>
  %e_sq = fuse.sqrt %e_vh : tensor<1000x32xf32>
  %e_de = fuse.add %e_sq, %eps : tensor<1000x32xf32>, tensor<f32> -> tensor<1000x32xf32>
  %e_up = fuse.div %e_mh, %e_de : tensor<1000x32xf32>
  %e_st = fuse.mul %e_up, %lr : tensor<1000x32xf32>, tensor<f32> -> tensor<1000x32xf32>
  %e_pn = fuse.sub %e_p, %e_st : tensor<1000x32xf32>
  return %w_pn, %w_mn, %w_vn, %b_pn, %b_mn, %b_vn, %e_pn, %e_mn, %e_vn
    : tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<1000x32xf32>, tensor<1000x32xf32>, tensor<1000x32xf32>
}
