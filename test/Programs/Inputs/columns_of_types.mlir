// Sums of the columns of eight tensors of three types.
func.func @columns_of_types(%a: tensor<?x1024xf32> {fuse.dims = ["n"]}, %b: tensor<?x768xbf16> {fuse.dims = ["n"]},
                            %c: tensor<?x516xbf16> {fuse.dims = ["n"]}, %d: tensor<?x320xf64> {fuse.dims = ["m"]},
                            %e: tensor<?x256xf32> {fuse.dims = ["m"]}, %f: tensor<?x130xf32> {fuse.dims = ["m"]},
                            %g: tensor<?x64xbf16> {fuse.dims = ["n"]}, %h: tensor<?x48xf32> {fuse.dims = ["m"]})
    -> (tensor<1024xf32>, tensor<768xbf16>, tensor<516xbf16>, tensor<320xf64>, tensor<256xf32>, tensor<130xf32>, tensor<64xbf16>, tensor<48xf32>) {
  %0 = fuse.reduce sum %a dims = [0] : tensor<?x1024xf32> -> tensor<1024xf32>
  %1 = fuse.reduce sum %b dims = [0] : tensor<?x768xbf16> -> tensor<768xbf16>
  %2 = fuse.reduce max %c dims = [0] : tensor<?x516xbf16> -> tensor<516xbf16>
  %3 = fuse.reduce sum %d dims = [0] : tensor<?x320xf64> -> tensor<320xf64>
  %4 = fuse.reduce mean %e dims = [0] : tensor<?x256xf32> -> tensor<256xf32>
  %5 = fuse.reduce sum %f dims = [0] : tensor<?x130xf32> -> tensor<130xf32>
  %6 = fuse.reduce sum %g dims = [0] : tensor<?x64xbf16> -> tensor<64xbf16>
  %7 = fuse.reduce min %h dims = [0] : tensor<?x48xf32> -> tensor<48xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<1024xf32>, tensor<768xbf16>, tensor<516xbf16>, tensor<320xf64>, tensor<256xf32>, tensor<130xf32>, tensor<64xbf16>, tensor<48xf32>
}
