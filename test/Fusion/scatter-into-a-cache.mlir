// RUN: fuse-opt %s -fuse-form=chip=sm_90a | FileCheck %s
// RUN: fuse-opt %s -fuse-form=chip=cpu | FileCheck %s

// A scatter takes as long as its updates do, however large what it writes into is:
// it is not the cache that would be computed again in one kernel.
// CHECK-LABEL: func.func @append
// CHECK:         fuse.kernel "append"
// CHECK-COUNT-2: fuse.rotary
// CHECK-COUNT-2: fuse.scatter
// CHECK-NOT:     fuse.kernel
func.func @append(%q: tensor<1x1x32x128xbf16>, %k: tensor<1x1x8x128xbf16>, %v: tensor<1x1x8x128xbf16>,
                  %cos: tensor<?x64xf32>, %sin: tensor<?x64xf32>, %slots: tensor<1xi32>,
                  %keys: tensor<1x8192x8x128xbf16>, %values: tensor<1x8192x8x128xbf16>)
    -> (tensor<1x1x32x128xbf16>, tensor<1x8192x8x128xbf16> {fuse.in_place = "keys"},
        tensor<1x8192x8x128xbf16> {fuse.in_place = "values"}) {
  %qr = fuse.rotary half tokens_heads %q tables(%cos, %sin) positions(%slots)
        : tensor<1x1x32x128xbf16>, tensor<?x64xf32>, tensor<1xi32>
  %kr = fuse.rotary half tokens_heads %k tables(%cos, %sin) positions(%slots)
        : tensor<1x1x8x128xbf16>, tensor<?x64xf32>, tensor<1xi32>
  %nk = fuse.scatter %keys, %slots, %kr dim = 1
        : tensor<1x8192x8x128xbf16>, tensor<1xi32>, tensor<1x1x8x128xbf16> -> tensor<1x8192x8x128xbf16>
  %nv = fuse.scatter %values, %slots, %v dim = 1
        : tensor<1x8192x8x128xbf16>, tensor<1xi32>, tensor<1x1x8x128xbf16> -> tensor<1x8192x8x128xbf16>
  return %qr, %nk, %nv : tensor<1x1x32x128xbf16>, tensor<1x8192x8x128xbf16>, tensor<1x8192x8x128xbf16>
}
