// All negative, so that the padding of short rows must not be 0; minima of bf16.
func.func @smallest_of_many(%a: tensor<300xbf16>, %b: tensor<77xbf16>, %c: tensor<512xbf16>, %d: tensor<65xf32>, %e: tensor<33xf32>, %f: tensor<9xf32>)
    -> (tensor<bf16>, tensor<f32>) {
  %one = fuse.constant dense<1.0> : tensor<bf16>
  %aa = fuse.abs %a : tensor<300xbf16>
  %ba = fuse.abs %b : tensor<77xbf16>
  %an = fuse.add %aa, %one : tensor<300xbf16>, tensor<bf16> -> tensor<300xbf16>
  %bn = fuse.add %ba, %one : tensor<77xbf16>, tensor<bf16> -> tensor<77xbf16>
  %ca = fuse.abs %c : tensor<512xbf16>
  %cn = fuse.add %ca, %one : tensor<512xbf16>, tensor<bf16> -> tensor<512xbf16>
  %am = fuse.reduce min %an dims = [0] : tensor<300xbf16> -> tensor<bf16>
  %bm = fuse.reduce min %bn dims = [0] : tensor<77xbf16> -> tensor<bf16>
  %cm = fuse.reduce min %cn dims = [0] : tensor<512xbf16> -> tensor<bf16>
  %x = fuse.min %am, %bm : tensor<bf16>
  %y = fuse.min %x, %cm : tensor<bf16>
  %o = fuse.constant dense<1.0> : tensor<f32>
  %da = fuse.abs %d : tensor<65xf32>
  %ea = fuse.abs %e : tensor<33xf32>
  %fa = fuse.abs %f : tensor<9xf32>
  %dn = fuse.neg %da : tensor<65xf32>
  %en = fuse.neg %ea : tensor<33xf32>
  %fn = fuse.neg %fa : tensor<9xf32>
  %ds = fuse.sub %dn, %o : tensor<65xf32>, tensor<f32> -> tensor<65xf32>
  %es = fuse.sub %en, %o : tensor<33xf32>, tensor<f32> -> tensor<33xf32>
  %fs = fuse.sub %fn, %o : tensor<9xf32>, tensor<f32> -> tensor<9xf32>
  %dm = fuse.reduce max %ds dims = [0] : tensor<65xf32> -> tensor<f32>
  %em = fuse.reduce max %es dims = [0] : tensor<33xf32> -> tensor<f32>
  %fm = fuse.reduce max %fs dims = [0] : tensor<9xf32> -> tensor<f32>
  %u = fuse.max %dm, %em : tensor<f32>
  %v = fuse.max %u, %fm : tensor<f32>
  return %y, %v : tensor<bf16>, tensor<f32>
}
