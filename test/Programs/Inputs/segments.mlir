// The gradient of an embedding from rows in the order of their ids, scaled: sums of runs.
func.func @segments(%g: tensor<?x40xbf16> {fuse.dims = ["T"]}, %order: tensor<?xi64> {fuse.dims = ["T"]},
                    %offsets: tensor<?xi32> {fuse.dims = ["V"]}, %w: tensor<?xf32> {fuse.dims = ["N"]})
    -> (tensor<?x40xf32>, tensor<?xf32>) {
  %rows = fuse.gather %g, %order dim = 0 : tensor<?x40xbf16>, tensor<?xi64> -> tensor<?x40xbf16>
  %wide = fuse.cast %rows : tensor<?x40xbf16> -> tensor<?x40xf32>
  %sum = fuse.segment_sum %wide, %offsets : tensor<?x40xf32>, tensor<?xi32> -> tensor<?x40xf32>
  %y = fuse.add %sum, %sum : tensor<?x40xf32>
  %z = fuse.segment_sum %w, %offsets : tensor<?xf32>, tensor<?xi32> -> tensor<?xf32>
  return %y, %z : tensor<?x40xf32>, tensor<?xf32>
}
