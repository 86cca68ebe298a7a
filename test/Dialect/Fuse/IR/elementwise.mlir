// RUN: fuse-opt %s | FileCheck %s
// RUN: fuse-opt %s | fuse-opt | FileCheck %s
// RUN: fuse-opt %s -mlir-print-op-generic | fuse-opt | FileCheck %s

// Types are printed in the shortest form from which the others follow.

// CHECK-LABEL: func.func @unary
func.func @unary(%x: tensor<?x8xbf16>, %i: tensor<4xi32>, %b: tensor<i1>) {
  // CHECK: fuse.neg %{{.*}} : tensor<?x8xbf16>{{$}}
  %neg = fuse.neg %x : tensor<?x8xbf16> -> tensor<?x8xbf16>
  // CHECK: fuse.abs %{{.*}} : tensor<?x8xbf16>{{$}}
  %abs = fuse.abs %x : tensor<?x8xbf16> -> tensor<?x8xbf16>
  // CHECK: fuse.sign %{{.*}} : tensor<?x8xbf16>{{$}}
  %sign = fuse.sign %x : tensor<?x8xbf16> -> tensor<?x8xbf16>
  // CHECK: fuse.relu %{{.*}} : tensor<?x8xbf16>{{$}}
  %relu = fuse.relu %x : tensor<?x8xbf16> -> tensor<?x8xbf16>
  // CHECK: fuse.exp %{{.*}} : tensor<?x8xbf16>{{$}}
  %exp = fuse.exp %x : tensor<?x8xbf16> -> tensor<?x8xbf16>
  // CHECK: fuse.exp2 %{{.*}} : tensor<?x8xbf16>{{$}}
  %exp2 = fuse.exp2 %x : tensor<?x8xbf16> -> tensor<?x8xbf16>
  // CHECK: fuse.expm1 %{{.*}} : tensor<?x8xbf16>{{$}}
  %expm1 = fuse.expm1 %x : tensor<?x8xbf16> -> tensor<?x8xbf16>
  // CHECK: fuse.log %{{.*}} : tensor<?x8xbf16>{{$}}
  %log = fuse.log %x : tensor<?x8xbf16> -> tensor<?x8xbf16>
  // CHECK: fuse.log2 %{{.*}} : tensor<?x8xbf16>{{$}}
  %log2 = fuse.log2 %x : tensor<?x8xbf16> -> tensor<?x8xbf16>
  // CHECK: fuse.log1p %{{.*}} : tensor<?x8xbf16>{{$}}
  %log1p = fuse.log1p %x : tensor<?x8xbf16> -> tensor<?x8xbf16>
  // CHECK: fuse.sqrt %{{.*}} : tensor<?x8xbf16>{{$}}
  %sqrt = fuse.sqrt %x : tensor<?x8xbf16> -> tensor<?x8xbf16>
  // CHECK: fuse.rsqrt %{{.*}} : tensor<?x8xbf16>{{$}}
  %rsqrt = fuse.rsqrt %x : tensor<?x8xbf16> -> tensor<?x8xbf16>
  // CHECK: fuse.recip %{{.*}} : tensor<?x8xbf16>{{$}}
  %recip = fuse.recip %x : tensor<?x8xbf16> -> tensor<?x8xbf16>
  // CHECK: fuse.sin %{{.*}} : tensor<?x8xbf16>{{$}}
  %sin = fuse.sin %x : tensor<?x8xbf16> -> tensor<?x8xbf16>
  // CHECK: fuse.cos %{{.*}} : tensor<?x8xbf16>{{$}}
  %cos = fuse.cos %x : tensor<?x8xbf16> -> tensor<?x8xbf16>
  // CHECK: fuse.tanh %{{.*}} : tensor<?x8xbf16>{{$}}
  %tanh = fuse.tanh %x : tensor<?x8xbf16> -> tensor<?x8xbf16>
  // CHECK: fuse.erf %{{.*}} : tensor<?x8xbf16>{{$}}
  %erf = fuse.erf %x : tensor<?x8xbf16> -> tensor<?x8xbf16>
  // CHECK: fuse.sigmoid %{{.*}} : tensor<?x8xbf16>{{$}}
  %sigmoid = fuse.sigmoid %x : tensor<?x8xbf16> -> tensor<?x8xbf16>
  // CHECK: fuse.floor %{{.*}} : tensor<?x8xbf16>{{$}}
  %floor = fuse.floor %x : tensor<?x8xbf16> -> tensor<?x8xbf16>
  // CHECK: fuse.ceil %{{.*}} : tensor<?x8xbf16>{{$}}
  %ceil = fuse.ceil %x : tensor<?x8xbf16> -> tensor<?x8xbf16>
  // CHECK: fuse.round %{{.*}} : tensor<?x8xbf16>{{$}}
  %round = fuse.round %x : tensor<?x8xbf16> -> tensor<?x8xbf16>
  // CHECK: fuse.silu %{{.*}} : tensor<?x8xbf16>{{$}}
  %silu = fuse.silu %x : tensor<?x8xbf16> -> tensor<?x8xbf16>
  // CHECK: fuse.neg %{{.*}} : tensor<4xi32>{{$}}
  %i_neg = fuse.neg %i : tensor<4xi32>
  // CHECK: fuse.abs %{{.*}} : tensor<4xi32>{{$}}
  %i_abs = fuse.abs %i : tensor<4xi32>
  // CHECK: fuse.sign %{{.*}} : tensor<4xi32>{{$}}
  %i_sign = fuse.sign %i : tensor<4xi32>
  // CHECK: fuse.relu %{{.*}} : tensor<4xi32>{{$}}
  %i_relu = fuse.relu %i : tensor<4xi32>
  // CHECK: fuse.not %{{.*}} : tensor<i1>
  %not = fuse.not %b : tensor<i1>
  // CHECK: fuse.gelu tanh %{{.*}} : tensor<?x8xbf16>
  %tanh_gelu = fuse.gelu tanh %x : tensor<?x8xbf16>
  // CHECK: fuse.gelu erf %{{.*}} : tensor<?x8xbf16>
  %erf_gelu = fuse.gelu erf %x : tensor<?x8xbf16>
  // CHECK: fuse.gelu sigmoid %{{.*}} : tensor<?x8xbf16>
  %sigmoid_gelu = fuse.gelu sigmoid %x : tensor<?x8xbf16>
  return
}

// CHECK-LABEL: func.func @binary
func.func @binary(%x: tensor<4x8xf32>, %i: tensor<4x8xi64>, %b: tensor<8xi1>) {
  // CHECK: fuse.add %{{.*}}, %{{.*}} : tensor<4x8xf32>{{$}}
  %add = fuse.add %x, %x : tensor<4x8xf32>
  // CHECK: fuse.sub %{{.*}}, %{{.*}} : tensor<4x8xf32>{{$}}
  %sub = fuse.sub %x, %x : tensor<4x8xf32>
  // CHECK: fuse.mul %{{.*}}, %{{.*}} : tensor<4x8xf32>{{$}}
  %mul = fuse.mul %x, %x : tensor<4x8xf32>
  // CHECK: fuse.div %{{.*}}, %{{.*}} : tensor<4x8xf32>{{$}}
  %div = fuse.div %x, %x : tensor<4x8xf32>
  // CHECK: fuse.pow %{{.*}}, %{{.*}} : tensor<4x8xf32>{{$}}
  %pow = fuse.pow %x, %x : tensor<4x8xf32>
  // CHECK: fuse.min %{{.*}}, %{{.*}} : tensor<4x8xf32>{{$}}
  %min = fuse.min %x, %x : tensor<4x8xf32>
  // CHECK: fuse.max %{{.*}}, %{{.*}} : tensor<4x8xf32>{{$}}
  %max = fuse.max %x, %x : tensor<4x8xf32>
  // CHECK: fuse.swiglu %{{.*}}, %{{.*}} : tensor<4x8xf32>{{$}}
  %swiglu = fuse.swiglu %x, %x : tensor<4x8xf32>
  // CHECK: fuse.add %{{.*}}, %{{.*}} : tensor<4x8xi64>{{$}}
  %i_add = fuse.add %i, %i : tensor<4x8xi64>
  // CHECK: fuse.sub %{{.*}}, %{{.*}} : tensor<4x8xi64>{{$}}
  %i_sub = fuse.sub %i, %i : tensor<4x8xi64>
  // CHECK: fuse.mul %{{.*}}, %{{.*}} : tensor<4x8xi64>{{$}}
  %i_mul = fuse.mul %i, %i : tensor<4x8xi64>
  // CHECK: fuse.div %{{.*}}, %{{.*}} : tensor<4x8xi64>{{$}}
  %i_div = fuse.div %i, %i : tensor<4x8xi64>
  // CHECK: fuse.min %{{.*}}, %{{.*}} : tensor<4x8xi64>{{$}}
  %i_min = fuse.min %i, %i : tensor<4x8xi64>
  // CHECK: fuse.max %{{.*}}, %{{.*}} : tensor<4x8xi64>{{$}}
  %i_max = fuse.max %i, %i : tensor<4x8xi64>
  // CHECK: fuse.and %{{.*}}, %{{.*}} : tensor<8xi1>{{$}}
  %and = fuse.and %b, %b : tensor<8xi1>
  // CHECK: fuse.or %{{.*}}, %{{.*}} : tensor<8xi1>{{$}}
  %or = fuse.or %b, %b : tensor<8xi1>
  // CHECK: fuse.geglu erf %{{.*}}, %{{.*}} : tensor<4x8xf32>
  %geglu = fuse.geglu erf %x, %x : tensor<4x8xf32>
  return
}

// A dynamic size takes the static size that it meets, unless that is 1.
// CHECK-LABEL: func.func @broadcast
func.func @broadcast(%x: tensor<?x8xf32>, %row: tensor<8xf32>, %one: tensor<1x8xf32>,
                     %four: tensor<4x1xf32>, %column: tensor<?x1xf32>, %s: tensor<f32>) {
  // CHECK: fuse.add %{{.*}} : tensor<?x8xf32>, tensor<8xf32>{{$}}
  %row_sum = fuse.add %x, %row : tensor<?x8xf32>, tensor<8xf32> -> tensor<?x8xf32>
  // CHECK: fuse.add %{{.*}} : tensor<?x8xf32>, tensor<1x8xf32>{{$}}
  %one_sum = fuse.add %x, %one : tensor<?x8xf32>, tensor<1x8xf32> -> tensor<?x8xf32>
  // CHECK: fuse.add %{{.*}} : tensor<?x8xf32>, tensor<4x1xf32>{{$}}
  %four_sum = fuse.add %x, %four : tensor<?x8xf32>, tensor<4x1xf32> -> tensor<4x8xf32>
  // CHECK: fuse.mul %{{.*}} : tensor<?x1xf32>, tensor<8xf32>{{$}}
  %outer = fuse.mul %column, %row : tensor<?x1xf32>, tensor<8xf32> -> tensor<?x8xf32>
  // CHECK: fuse.sub %{{.*}} : tensor<f32>, tensor<?x8xf32>{{$}}
  %scalar = fuse.sub %s, %x : tensor<f32>, tensor<?x8xf32> -> tensor<?x8xf32>
  // The inferred type is a use's type.
  // CHECK: fuse.neg %{{.*}} : tensor<4x8xf32>
  %inferred = fuse.add %x, %four : tensor<?x8xf32>, tensor<4x1xf32>
  %neg = fuse.neg %inferred : tensor<4x8xf32>
  return
}

// CHECK-LABEL: func.func @compare_select_clamp
func.func @compare_select_clamp(%x: tensor<4xf32>, %row: tensor<1xf32>, %b: tensor<4xi1>,
                                %i: tensor<4xi32>) {
  // CHECK: fuse.compare eq %{{.*}} : tensor<4xf32>{{$}}
  %eq = fuse.compare eq %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xi1>
  // CHECK: fuse.compare ne %{{.*}} : tensor<4xi1>{{$}}
  %ne = fuse.compare ne %b, %eq : tensor<4xi1>
  // CHECK: fuse.compare lt %{{.*}} : tensor<4xf32>, tensor<1xf32>{{$}}
  %lt = fuse.compare lt %x, %row : tensor<4xf32>, tensor<1xf32>
  // CHECK: fuse.compare le
  %le = fuse.compare le %i, %i : tensor<4xi32>
  // CHECK: fuse.compare gt
  %gt = fuse.compare gt %i, %i : tensor<4xi32>
  // CHECK: fuse.compare ge
  %ge = fuse.compare ge %i, %i : tensor<4xi32>
  // CHECK: fuse.select %{{.*}} : tensor<4xi1>, tensor<4xf32>, tensor<1xf32>{{$}}
  %select = fuse.select %b, %x, %row : tensor<4xi1>, tensor<4xf32>, tensor<1xf32> -> tensor<4xf32>
  // CHECK: fuse.select %{{.*}} : tensor<4xi1>{{$}}
  %logic = fuse.select %b, %eq, %lt : tensor<4xi1>
  // CHECK: fuse.clamp %{{.*}} : tensor<4xf32>, tensor<1xf32>, tensor<1xf32>{{$}}
  %clamp = fuse.clamp %x, %row, %row : tensor<4xf32>, tensor<1xf32>, tensor<1xf32>
  return
}

// CHECK-LABEL: func.func @cast_constant_iota
func.func @cast_constant_iota(%x: tensor<?x8xf32>) {
  // CHECK: fuse.cast %{{.*}} : tensor<?x8xf32> -> tensor<?x8xbf16>
  %cast = fuse.cast %x : tensor<?x8xf32> -> tensor<?x8xbf16>
  // CHECK: fuse.constant dense<5.000000e-01> : tensor<bf16>
  %half = fuse.constant dense<0.5> : tensor<bf16>
  // CHECK: fuse.constant dense<[1, 2]> : tensor<2xi64>
  %pair = fuse.constant dense<[1, 2]> : tensor<2xi64>
  // CHECK: fuse.iota dim = 1 : tensor<4x8xi32>
  %i = fuse.iota dim = 1 : tensor<4x8xi32>
  // CHECK: fuse.iota dim = 0 like %{{.*}} : tensor<?x8xf32> -> tensor<?x8xi64>
  %j = fuse.iota dim = 0 like %x : tensor<?x8xf32> -> tensor<?x8xi64>
  return
}
