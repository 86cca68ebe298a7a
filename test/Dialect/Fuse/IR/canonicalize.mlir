// RUN: fuse-opt %s -canonicalize -split-input-file | FileCheck %s

// Identities that hold for NaN, infinities and both zeros.
// CHECK-LABEL: func.func @identities(
// CHECK-SAME:    %[[X:.*]]: tensor<?xf32>
// CHECK-NEXT:  return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]] :
func.func @identities(%x: tensor<?xf32>)
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %zero = fuse.constant dense<0.0> : tensor<f32>
  %minus_zero = fuse.constant dense<-0.0> : tensor<f32>
  %one = fuse.constant dense<1.0> : tensor<f32>
  %0 = fuse.add %minus_zero, %x : tensor<f32>, tensor<?xf32>
  %1 = fuse.sub %x, %zero : tensor<?xf32>, tensor<f32>
  %2 = fuse.mul %one, %x : tensor<f32>, tensor<?xf32>
  %3 = fuse.div %x, %one : tensor<?xf32>, tensor<f32>
  %4 = fuse.pow %x, %one : tensor<?xf32>, tensor<f32>
  return %0, %1, %2, %3, %4
      : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// -----

// -0 + 0 is 0, -0 - -0 is 0, 0 - x has the other zero, x * 0 may be NaN.
// CHECK-LABEL: func.func @no_identities(
// CHECK-DAG:   fuse.add
// CHECK-DAG:   fuse.sub %{{.*}}, %{{.*}} : tensor<?xf32>, tensor<f32>
// CHECK-DAG:   fuse.sub %{{.*}}, %{{.*}} : tensor<f32>, tensor<?xf32>
// CHECK-DAG:   fuse.mul
// CHECK-DAG:   fuse.sub %{{.*}}, %{{.*}} : tensor<?xf32>{{$}}
func.func @no_identities(%x: tensor<?xf32>)
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %zero = fuse.constant dense<0.0> : tensor<f32>
  %minus_zero = fuse.constant dense<-0.0> : tensor<f32>
  %0 = fuse.add %x, %zero : tensor<?xf32>, tensor<f32>
  %1 = fuse.sub %x, %minus_zero : tensor<?xf32>, tensor<f32>
  %2 = fuse.sub %zero, %x : tensor<f32>, tensor<?xf32>
  %3 = fuse.mul %x, %zero : tensor<?xf32>, tensor<f32>
  %4 = fuse.sub %x, %x : tensor<?xf32>
  return %0, %1, %2, %3, %4
      : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @integers(
// CHECK-SAME:    %[[X:.*]]: tensor<?xi32>
// CHECK-NEXT:  return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]] :
func.func @integers(%x: tensor<?xi32>)
    -> (tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) {
  %zero = fuse.constant dense<0> : tensor<i32>
  %one = fuse.constant dense<1> : tensor<i32>
  %0 = fuse.add %x, %zero : tensor<?xi32>, tensor<i32>
  %1 = fuse.sub %x, %zero : tensor<?xi32>, tensor<i32>
  %2 = fuse.mul %x, %one : tensor<?xi32>, tensor<i32>
  %3 = fuse.div %x, %one : tensor<?xi32>, tensor<i32>
  %minus = fuse.neg %x : tensor<?xi32>
  %4 = fuse.neg %minus : tensor<?xi32>
  return %0, %1, %2, %3, %4
      : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
}

// -----

// An identity that broadcasts stays: it changes the shape.
// CHECK-LABEL: func.func @broadcasts(
// CHECK:       fuse.mul
// CHECK:       fuse.select
func.func @broadcasts(%x: tensor<1xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %ones = fuse.constant dense<1.0> : tensor<4xf32>
  %true = fuse.constant dense<true> : tensor<4xi1>
  %0 = fuse.mul %x, %ones : tensor<1xf32>, tensor<4xf32>
  %1 = fuse.select %true, %x, %x : tensor<4xi1>, tensor<1xf32>, tensor<1xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @constants
// CHECK-DAG:   %[[SUM:.*]] = fuse.constant dense<3.000000e+00> : tensor<4xf32>
// CHECK-DAG:   %[[DIFFERENCE:.*]] = fuse.constant dense<-1.000000e+00> : tensor<4xf32>
// CHECK-DAG:   %[[THIRD:.*]] = fuse.constant dense<0.333333343> : tensor<f32>
// CHECK-DAG:   %[[NEG:.*]] = fuse.constant dense<-0.000000e+00> : tensor<f32>
// CHECK:       return %[[SUM]], %[[DIFFERENCE]], %[[THIRD]], %[[NEG]]
func.func @constants() -> (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>) {
  %one = fuse.constant dense<1.0> : tensor<f32>
  %two = fuse.constant dense<2.0> : tensor<4xf32>
  %three = fuse.constant dense<3.0> : tensor<f32>
  %zero = fuse.constant dense<0.0> : tensor<f32>
  %0 = fuse.add %one, %two : tensor<f32>, tensor<4xf32>
  %1 = fuse.sub %one, %two : tensor<f32>, tensor<4xf32>
  %2 = fuse.div %one, %three : tensor<f32>
  %3 = fuse.neg %zero : tensor<f32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>
}

// -----

// A kernel keeps f16 values in f32: 1/3 would be rounded too early, 2 + 1 is
// exact. 60000 + 60000 overflows f16, but not f32.
// CHECK-LABEL: func.func @late_rounding
// CHECK-DAG:   %[[EXACT:.*]] = fuse.constant dense<3.000000e+00> : tensor<f16>
// CHECK-DAG:   %[[QUOTIENT:.*]] = fuse.div
// CHECK-DAG:   %[[OVERFLOW:.*]] = fuse.add
// CHECK:       return %[[EXACT]], %[[QUOTIENT]], %[[OVERFLOW]]
func.func @late_rounding() -> (tensor<f16>, tensor<f16>, tensor<f16>) {
  %one = fuse.constant dense<1.0> : tensor<f16>
  %two = fuse.constant dense<2.0> : tensor<f16>
  %three = fuse.constant dense<3.0> : tensor<f16>
  %large = fuse.constant dense<60000.0> : tensor<f16>
  %0 = fuse.add %two, %one : tensor<f16>
  %1 = fuse.div %one, %three : tensor<f16>
  %2 = fuse.add %large, %large : tensor<f16>
  return %0, %1, %2 : tensor<f16>, tensor<f16>, tensor<f16>
}

// -----

// CHECK-LABEL: func.func @integer_division
// CHECK-DAG:   %[[ZERO:.*]] = fuse.constant dense<0> : tensor<i32>
// CHECK-DAG:   %[[MIN:.*]] = fuse.constant dense<-2147483648> : tensor<i32>
// CHECK-DAG:   %[[TOWARDS_ZERO:.*]] = fuse.constant dense<-3> : tensor<i32>
// CHECK:       return %[[ZERO]], %[[MIN]], %[[TOWARDS_ZERO]]
func.func @integer_division() -> (tensor<i32>, tensor<i32>, tensor<i32>) {
  %zero = fuse.constant dense<0> : tensor<i32>
  %minus_one = fuse.constant dense<-1> : tensor<i32>
  %minus_seven = fuse.constant dense<-7> : tensor<i32>
  %two = fuse.constant dense<2> : tensor<i32>
  %min = fuse.constant dense<-2147483648> : tensor<i32>
  %0 = fuse.div %min, %zero : tensor<i32>
  %1 = fuse.div %min, %minus_one : tensor<i32>
  %2 = fuse.div %minus_seven, %two : tensor<i32>
  return %0, %1, %2 : tensor<i32>, tensor<i32>, tensor<i32>
}

// -----

// CHECK-LABEL: func.func @square(
// CHECK-SAME:    %[[X:.*]]: tensor<?xf16>
// CHECK-NEXT:  %[[Y:.*]] = fuse.mul %[[X]], %[[X]] : tensor<?xf16>
// CHECK-NEXT:  return %[[Y]]
func.func @square(%x: tensor<?xf16>) -> tensor<?xf16> {
  %two = fuse.constant dense<2.0> : tensor<f16>
  %0 = fuse.pow %x, %two : tensor<?xf16>, tensor<f16>
  return %0 : tensor<?xf16>
}

// -----

// pow(-0, 0.5) is 0 and pow(-inf, 0.5) is inf: not a square root.
// CHECK-LABEL: func.func @no_square_root
// CHECK:       fuse.pow
func.func @no_square_root(%x: tensor<?xf16>) -> tensor<?xf16> {
  %half = fuse.constant dense<0.5> : tensor<f16>
  %0 = fuse.pow %x, %half : tensor<?xf16>, tensor<f16>
  return %0 : tensor<?xf16>
}

// -----

// CHECK-LABEL: func.func @logic(
// CHECK-SAME:    %[[X:.*]]: tensor<4xi1>
// CHECK-DAG:   %[[TRUE:.*]] = fuse.constant dense<true> : tensor<4xi1>
// CHECK-DAG:   %[[FALSE:.*]] = fuse.constant dense<false> : tensor<4xi1>
// CHECK:       return %[[X]], %[[FALSE]], %[[X]], %[[TRUE]], %[[X]], %[[X]]
func.func @logic(%x: tensor<4xi1>)
    -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  %true = fuse.constant dense<true> : tensor<4xi1>
  %false = fuse.not %true : tensor<4xi1>
  %0 = fuse.and %true, %x : tensor<4xi1>
  %1 = fuse.and %x, %false : tensor<4xi1>
  %2 = fuse.or %x, %false : tensor<4xi1>
  %3 = fuse.or %x, %true : tensor<4xi1>
  %not = fuse.not %x : tensor<4xi1>
  %4 = fuse.not %not : tensor<4xi1>
  %5 = fuse.and %x, %x : tensor<4xi1>
  return %0, %1, %2, %3, %4, %5
      : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}

// -----

// CHECK-LABEL: func.func @select(
// CHECK-SAME:    %[[C:[^:]*]]: tensor<?xi1>, %[[X:[^:]*]]: tensor<?xf32>, %[[Y:[^:]*]]: tensor<?xf32>
// CHECK-NEXT:  return %[[X]], %[[Y]], %[[X]] :
func.func @select(%c: tensor<?xi1>, %x: tensor<?xf32>, %y: tensor<?xf32>)
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %true = fuse.constant dense<true> : tensor<i1>
  %false = fuse.constant dense<false> : tensor<i1>
  %0 = fuse.select %true, %x, %y : tensor<i1>, tensor<?xf32>, tensor<?xf32>
  %1 = fuse.select %false, %x, %y : tensor<i1>, tensor<?xf32>, tensor<?xf32>
  %2 = fuse.select %c, %x, %x : tensor<?xi1>, tensor<?xf32>, tensor<?xf32>
  return %0, %1, %2 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// -----

// A cast rounds, also from f16 to f16, unless the type is kept as it is.
// CHECK-LABEL: func.func @casts(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<?xf32>, %[[H:[^:]*]]: tensor<?xf16>
// CHECK-NEXT:  %[[NARROW:.*]] = fuse.cast %[[X]]
// CHECK-NEXT:  %[[WIDE:.*]] = fuse.cast %[[NARROW]]
// CHECK-NEXT:  %[[SAME:.*]] = fuse.cast %[[H]] : tensor<?xf16> -> tensor<?xf16>
// CHECK-NEXT:  return %[[X]], %[[WIDE]], %[[SAME]]
func.func @casts(%x: tensor<?xf32>, %h: tensor<?xf16>)
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf16>) {
  %0 = fuse.cast %x : tensor<?xf32> -> tensor<?xf32>
  %1 = fuse.cast %x : tensor<?xf32> -> tensor<?xbf16>
  %2 = fuse.cast %1 : tensor<?xbf16> -> tensor<?xf32>
  %3 = fuse.cast %h : tensor<?xf16> -> tensor<?xf16>
  return %0, %2, %3 : tensor<?xf32>, tensor<?xf32>, tensor<?xf16>
}

// -----

// CHECK-LABEL: func.func @cast_constants
// CHECK-DAG:   %[[BF16:.*]] = fuse.constant dense<1.000980e-01> : tensor<bf16>
// CHECK-DAG:   %[[MAX:.*]] = fuse.constant dense<2147483647> : tensor<i32>
// CHECK-DAG:   %[[ZERO:.*]] = fuse.constant dense<0> : tensor<i32>
// CHECK-DAG:   %[[TRUNCATED:.*]] = fuse.constant dense<-1> : tensor<i64>
// CHECK-DAG:   %[[TRUE:.*]] = fuse.constant dense<true> : tensor<i1>
// CHECK-DAG:   %[[ONE:.*]] = fuse.constant dense<1> : tensor<i64>
// CHECK-DAG:   %[[WRAPPED:.*]] = fuse.constant dense<5> : tensor<i32>
// CHECK-DAG:   %[[FLOAT:.*]] = fuse.constant dense<0x4B800000> : tensor<f32>
// CHECK:       return %[[BF16]], %[[MAX]], %[[ZERO]], %[[TRUNCATED]], %[[TRUE]], %[[ONE]], %[[WRAPPED]], %[[FLOAT]]
func.func @cast_constants() -> (tensor<bf16>, tensor<i32>, tensor<i32>, tensor<i64>, tensor<i1>,
                                tensor<i64>, tensor<i32>, tensor<f32>) {
  %tenth = fuse.constant dense<0.1> : tensor<f32>
  %large = fuse.constant dense<1.0e10> : tensor<f32>
  %nan = fuse.constant dense<0x7FC00000> : tensor<f32>
  %negative = fuse.constant dense<-1.9> : tensor<f32>
  %long = fuse.constant dense<4294967301> : tensor<i64>
  %odd = fuse.constant dense<16777217> : tensor<i32>
  %0 = fuse.cast %tenth : tensor<f32> -> tensor<bf16>
  %1 = fuse.cast %large : tensor<f32> -> tensor<i32>
  %2 = fuse.cast %nan : tensor<f32> -> tensor<i32>
  %3 = fuse.cast %negative : tensor<f32> -> tensor<i64>
  %4 = fuse.cast %nan : tensor<f32> -> tensor<i1>
  %5 = fuse.cast %4 : tensor<i1> -> tensor<i64>
  %6 = fuse.cast %long : tensor<i64> -> tensor<i32>
  %7 = fuse.cast %odd : tensor<i32> -> tensor<f32>
  return %0, %1, %2, %3, %4, %5, %6, %7
      : tensor<bf16>, tensor<i32>, tensor<i32>, tensor<i64>, tensor<i1>, tensor<i64>, tensor<i32>,
        tensor<f32>
}

// -----

// The cast that ends a composite does not round yet.
// CHECK-LABEL: func.func @implicit_cast
// CHECK:       fuse.cast
func.func @implicit_cast() -> tensor<bf16> {
  %tenth = fuse.constant dense<0.1> : tensor<f32>
  %0 = fuse.cast %tenth {fuse.implicit} : tensor<f32> -> tensor<bf16>
  return %0 : tensor<bf16>
}

// -----

// A sum of one element is x + 0, which loses the sign of -0, and so is a mean.
// CHECK-LABEL: func.func @reductions_of_one(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<?x1xf32>, %[[I:[^:]*]]: tensor<?x1xi32>
// CHECK-NEXT:  %[[ZERO:.*]] = fuse.constant dense<0.000000e+00>
// CHECK-NEXT:  %[[SUM:.*]] = fuse.add %[[X]], %[[ZERO]]
// CHECK-NEXT:  %[[DROP:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1]]
// CHECK-NEXT:  %[[MEAN:.*]] = fuse.add %[[X]], %[[ZERO]]
// CHECK-NEXT:  %[[MEANS:.*]] = tensor.collapse_shape %[[MEAN]] {{\[\[}}0, 1]]
// CHECK-NEXT:  return %[[X]], %[[I]], %[[SUM]], %[[DROP]], %[[MEANS]]
func.func @reductions_of_one(%x: tensor<?x1xf32>, %i: tensor<?x1xi32>)
    -> (tensor<?x1xf32>, tensor<?x1xi32>, tensor<?x1xf32>, tensor<?xf32>, tensor<?xf32>) {
  %0 = fuse.reduce max %x dims = [1] keep : tensor<?x1xf32> -> tensor<?x1xf32>
  %1 = fuse.reduce sum %i dims = [1] keep : tensor<?x1xi32> -> tensor<?x1xi32>
  %2 = fuse.reduce sum %x dims = [1] keep : tensor<?x1xf32> -> tensor<?x1xf32>
  %3 = fuse.reduce max %x dims = [1] : tensor<?x1xf32> -> tensor<?xf32>
  %4 = fuse.reduce mean %x dims = [1] : tensor<?x1xf32> -> tensor<?xf32>
  return %0, %1, %2, %3, %4 : tensor<?x1xf32>, tensor<?x1xi32>, tensor<?x1xf32>, tensor<?xf32>, tensor<?xf32>
}

// -----

// Only a dimension of size 1.
// CHECK-LABEL: func.func @not_of_one
// CHECK:       fuse.reduce max
func.func @not_of_one(%x: tensor<4x1xf32>) -> tensor<1x1xf32> {
  %0 = fuse.reduce max %x dims = [0] keep : tensor<4x1xf32> -> tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}
