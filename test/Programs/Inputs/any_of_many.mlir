// Whether a gradient is not finite; and whether all are positive, of which short rows have no part.
func.func @any_of_many(%a: tensor<300xf16>, %b: tensor<77xf16>, %c: tensor<16x32xf16>)
    -> (tensor<i1>, tensor<i1>) {
  %m = fuse.constant dense<6.0e+4> : tensor<f32>
  %af = fuse.cast %a : tensor<300xf16> -> tensor<300xf32>
  %bf = fuse.cast %b : tensor<77xf16> -> tensor<77xf32>
  %cf = fuse.cast %c : tensor<16x32xf16> -> tensor<16x32xf32>
  %aa = fuse.abs %af : tensor<300xf32>
  %ba = fuse.abs %bf : tensor<77xf32>
  %ca = fuse.abs %cf : tensor<16x32xf32>
  %ag = fuse.compare gt %aa, %m : tensor<300xf32>, tensor<f32> -> tensor<300xi1>
  %bg = fuse.compare gt %ba, %m : tensor<77xf32>, tensor<f32> -> tensor<77xi1>
  %cg = fuse.compare gt %ca, %m : tensor<16x32xf32>, tensor<f32> -> tensor<16x32xi1>
  %x = fuse.reduce any %ag dims = [0] : tensor<300xi1> -> tensor<i1>
  %y = fuse.reduce any %bg dims = [0] : tensor<77xi1> -> tensor<i1>
  %z = fuse.reduce any %cg dims = [0, 1] : tensor<16x32xi1> -> tensor<i1>
  %1 = fuse.or %x, %y : tensor<i1>
  %2 = fuse.or %1, %z : tensor<i1>
  %al = fuse.compare lt %aa, %m : tensor<300xf32>, tensor<f32> -> tensor<300xi1>
  %bl = fuse.compare lt %ba, %m : tensor<77xf32>, tensor<f32> -> tensor<77xi1>
  %cl = fuse.compare lt %ca, %m : tensor<16x32xf32>, tensor<f32> -> tensor<16x32xi1>
  %u = fuse.reduce all %al dims = [0] : tensor<300xi1> -> tensor<i1>
  %v = fuse.reduce all %bl dims = [0] : tensor<77xi1> -> tensor<i1>
  %w = fuse.reduce all %cl dims = [0, 1] : tensor<16x32xi1> -> tensor<i1>
  %3 = fuse.and %u, %v : tensor<i1>
  %4 = fuse.and %3, %w : tensor<i1>
  return %2, %4 : tensor<i1>, tensor<i1>
}
