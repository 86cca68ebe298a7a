// RUN: fuse-opt %s -fuse-form=chip=sm_90 -fuse-schedule=chip=sm_90 | FileCheck %s
// RUN: fuse-opt %s -fuse-form=chip=sm_90 -fuse-schedule=chip=sm_90 --remarks-filter=fuse-kernel 2>&1 >/dev/null | FileCheck %s --check-prefix=DECIDED
// RUN: fuse-opt %s -fuse-form=chip=sm_90 -fuse-schedule=chip=sm_90 -fuse-lower=chip=sm_90 -o /dev/null
// RUN: fuse-opt %s -fuse-form=chip=sm_90 -fuse-schedule="chip=sm_90 size=small" -fuse-lower="chip=sm_90 size=small" -o /dev/null
// RUN: fuse-opt %s -fuse-form=chip=sm_90 -fuse-schedule="chip=sm_90 size=few" -fuse-lower="chip=sm_90 size=few" -o /dev/null
// RUN: fuse-opt %s -fuse-form=chip=sm_80 -fuse-schedule=chip=sm_80 -fuse-lower=chip=sm_80 -o /dev/null

// Rows of many kinds and lengths have a schedule that can be lowered, in calls of each
// size, and on a chip that nobody has measured.

// CHECK-LABEL: func.func @long_rows(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @long_rows(%x: tensor<?x262144xbf16>) -> tensor<?x262144xbf16> {
  %s = fuse.reduce sum %x dims = [1] keep : tensor<?x262144xbf16> -> tensor<?x1xbf16>
  %y = fuse.mul %x, %s : tensor<?x262144xbf16>, tensor<?x1xbf16> -> tensor<?x262144xbf16>
  return %y : tensor<?x262144xbf16>
}

// CHECK-LABEL: func.func @vocabulary(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @vocabulary(%x: tensor<?x128256xbf16>) -> tensor<?x128256xbf16> {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x128256xbf16> -> tensor<?x1xbf16>
  %d = fuse.sub %x, %m : tensor<?x128256xbf16>, tensor<?x1xbf16> -> tensor<?x128256xbf16>
  %e = fuse.exp %d : tensor<?x128256xbf16>
  %s = fuse.reduce sum %e dims = [1] keep : tensor<?x128256xbf16> -> tensor<?x1xbf16>
  %y = fuse.div %e, %s : tensor<?x128256xbf16>, tensor<?x1xbf16> -> tensor<?x128256xbf16>
  return %y : tensor<?x128256xbf16>
}

// CHECK-LABEL: func.func @many_rows(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @many_rows(%x: tensor<?x24576xbf16>) -> tensor<?x24576xbf16> {
  %s = fuse.reduce sum %x dims = [1] keep : tensor<?x24576xbf16> -> tensor<?x1xbf16>
  %y = fuse.mul %x, %s : tensor<?x24576xbf16>, tensor<?x1xbf16> -> tensor<?x24576xbf16>
  return %y : tensor<?x24576xbf16>
}

// CHECK-LABEL: func.func @two_inputs(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @two_inputs(%x: tensor<?x131072xf32>, %r: tensor<?x131072xf32>) -> tensor<?x131072xf32> {
  %h = fuse.add %x, %r : tensor<?x131072xf32>
  %q = fuse.mul %h, %h : tensor<?x131072xf32>
  %s = fuse.reduce mean %q dims = [1] keep : tensor<?x131072xf32> -> tensor<?x1xf32>
  %n = fuse.rsqrt %s : tensor<?x1xf32>
  %y = fuse.mul %h, %n : tensor<?x131072xf32>, tensor<?x1xf32> -> tensor<?x131072xf32>
  return %y : tensor<?x131072xf32>
}

// CHECK-LABEL: func.func @only_row(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @only_row(%x: tensor<?xf32>) -> tensor<?xf32> {
  %s = fuse.reduce sum %x dims = [0] keep : tensor<?xf32> -> tensor<1xf32>
  %y = fuse.mul %x, %s : tensor<?xf32>, tensor<1xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// CHECK-LABEL: func.func @few_vectors(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @few_vectors(%x: tensor<?x5504xbf16>) -> tensor<?x5504xf8E4M3FN> {
  %a = fuse.abs %x : tensor<?x5504xbf16>
  %m = fuse.reduce max %a dims = [1] keep : tensor<?x5504xbf16> -> tensor<?x1xbf16>
  %d = fuse.div %x, %m : tensor<?x5504xbf16>, tensor<?x1xbf16> -> tensor<?x5504xbf16>
  %y = fuse.cast %d : tensor<?x5504xbf16> -> tensor<?x5504xf8E4M3FN>
  return %y : tensor<?x5504xf8E4M3FN>
}

// CHECK-LABEL: func.func @long_row(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @long_row(%x: tensor<?x18432xbf16>) -> tensor<?x18432xf8E4M3FN> {
  %a = fuse.abs %x : tensor<?x18432xbf16>
  %m = fuse.reduce max %a dims = [1] keep : tensor<?x18432xbf16> -> tensor<?x1xbf16>
  %d = fuse.div %x, %m : tensor<?x18432xbf16>, tensor<?x1xbf16> -> tensor<?x18432xbf16>
  %y = fuse.cast %d : tensor<?x18432xbf16> -> tensor<?x18432xf8E4M3FN>
  return %y : tensor<?x18432xf8E4M3FN>
}

// CHECK-LABEL: func.func @two_accesses(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @two_accesses(%x: tensor<?x5504xf32>) -> tensor<?x5504xf8E4M3FN> {
  %a = fuse.abs %x : tensor<?x5504xf32>
  %m = fuse.reduce max %a dims = [1] keep : tensor<?x5504xf32> -> tensor<?x1xf32>
  %d = fuse.div %x, %m : tensor<?x5504xf32>, tensor<?x1xf32> -> tensor<?x5504xf32>
  %y = fuse.cast %d : tensor<?x5504xf32> -> tensor<?x5504xf8E4M3FN>
  return %y : tensor<?x5504xf8E4M3FN>
}

// CHECK-LABEL: func.func @fewer(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @fewer(%x: tensor<?x2560xf32>) -> tensor<?x2560xf8E4M3FN> {
  %a = fuse.abs %x : tensor<?x2560xf32>
  %m = fuse.reduce max %a dims = [1] keep : tensor<?x2560xf32> -> tensor<?x1xf32>
  %d = fuse.div %x, %m : tensor<?x2560xf32>, tensor<?x1xf32> -> tensor<?x2560xf32>
  %y = fuse.cast %d : tensor<?x2560xf32> -> tensor<?x2560xf8E4M3FN>
  return %y : tensor<?x2560xf8E4M3FN>
}

// CHECK-LABEL: func.func @too_many(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @too_many(%x: tensor<?x14336xf32>) -> tensor<?x14336xf8E4M3FN> {
  %a = fuse.abs %x : tensor<?x14336xf32>
  %m = fuse.reduce max %a dims = [1] keep : tensor<?x14336xf32> -> tensor<?x1xf32>
  %d = fuse.div %x, %m : tensor<?x14336xf32>, tensor<?x1xf32> -> tensor<?x14336xf32>
  %y = fuse.cast %d : tensor<?x14336xf32> -> tensor<?x14336xf8E4M3FN>
  return %y : tensor<?x14336xf8E4M3FN>
}

// CHECK-LABEL: func.func @few_static(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @few_static(%x: tensor<16x8192xf32>) -> tensor<16x8192xf32> {
  %s = fuse.reduce sum %x dims = [1] keep : tensor<16x8192xf32> -> tensor<16x1xf32>
  %y = fuse.mul %x, %s : tensor<16x8192xf32>, tensor<16x1xf32> -> tensor<16x8192xf32>
  return %y : tensor<16x8192xf32>
}

// CHECK-LABEL: func.func @once_between(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @once_between(%x: tensor<?x5120xbf16>) -> tensor<?x1xbf16> {
  %s = fuse.reduce max %x dims = [1] keep : tensor<?x5120xbf16> -> tensor<?x1xbf16>
  return %s : tensor<?x1xbf16>
}

// CHECK-LABEL: func.func @moderate(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @moderate(%x: tensor<?x7168xbf16>) -> tensor<?x7168xbf16> {
  %s = fuse.reduce sum %x dims = [1] keep : tensor<?x7168xbf16> -> tensor<?x1xbf16>
  %y = fuse.mul %x, %s : tensor<?x7168xbf16>, tensor<?x1xbf16> -> tensor<?x7168xbf16>
  return %y : tensor<?x7168xbf16>
}

// CHECK-LABEL: func.func @moderate_long(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @moderate_long(%x: tensor<?x20480xbf16>) -> tensor<?x20480xbf16> {
  %s = fuse.reduce sum %x dims = [1] keep : tensor<?x20480xbf16> -> tensor<?x1xbf16>
  %y = fuse.mul %x, %s : tensor<?x20480xbf16>, tensor<?x1xbf16> -> tensor<?x20480xbf16>
  return %y : tensor<?x20480xbf16>
}

// CHECK-LABEL: func.func @twice(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @twice(%x: tensor<?x128256xf32>) -> tensor<?x128256xf32> {
  %m = fuse.reduce mean %x dims = [1] keep : tensor<?x128256xf32> -> tensor<?x1xf32>
  %d = fuse.sub %x, %m : tensor<?x128256xf32>, tensor<?x1xf32> -> tensor<?x128256xf32>
  %q = fuse.mul %d, %d : tensor<?x128256xf32>
  %v = fuse.reduce mean %q dims = [1] keep : tensor<?x128256xf32> -> tensor<?x1xf32>
  %y = fuse.mul %d, %v : tensor<?x128256xf32>, tensor<?x1xf32> -> tensor<?x128256xf32>
  return %y : tensor<?x128256xf32>
}

// CHECK-LABEL: func.func @two(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @two(%x: tensor<?x6144xbf16>, %w: tensor<6144xbf16>) -> tensor<?x6144xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x6144xbf16>, tensor<6144xbf16>
  return %y : tensor<?x6144xbf16>
}

// CHECK-LABEL: func.func @few_of_inputs(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @few_of_inputs(%x: tensor<?x7168xbf16>, %r: tensor<?x7168xbf16>, %w: tensor<7168xbf16>) -> tensor<?x7168xbf16> {
  %h = fuse.add %x, %r : tensor<?x7168xbf16>
  %y = fuse.rms_norm %h, %w eps = 1.0e-5 : tensor<?x7168xbf16>, tensor<7168xbf16>
  return %y : tensor<?x7168xbf16>
}

// CHECK-LABEL: func.func @short_words(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @short_words(%x: tensor<?x5120xf32>, %w: tensor<5120xf32>) -> tensor<?x5120xf32> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x5120xf32>, tensor<5120xf32>
  return %y : tensor<?x5120xf32>
}

// CHECK-LABEL: func.func @divided(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @divided(%x: tensor<?x12288xf32>) -> tensor<?x12288xf32> {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x12288xf32> -> tensor<?x1xf32>
  %y = fuse.div %x, %m : tensor<?x12288xf32>, tensor<?x1xf32> -> tensor<?x12288xf32>
  return %y : tensor<?x12288xf32>
}

// CHECK-LABEL: func.func @edges(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @edges(%x: tensor<?x12291xbf16>, %w: tensor<12291xbf16>) -> tensor<?x12291xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x12291xbf16>, tensor<12291xbf16>
  return %y : tensor<?x12291xbf16>
}

// CHECK-LABEL: func.func @exponentials_of_words(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @exponentials_of_words(%x: tensor<?x12288xf32>) -> tensor<?x12288xf32> {
  %y = fuse.softmax %x dims = [1] : tensor<?x12288xf32>
  return %y : tensor<?x12288xf32>
}

// CHECK-LABEL: func.func @many_deviations(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @many_deviations(%x: tensor<?x5120xbf16>, %w: tensor<5120xbf16>, %b: tensor<5120xbf16>) -> tensor<?x5120xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x5120xbf16>, tensor<5120xbf16>, tensor<5120xbf16>
  return %y : tensor<?x5120xbf16>
}

// CHECK-LABEL: func.func @once_one_vector(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @once_one_vector(%x: tensor<?x1024xbf16>) -> tensor<?x1xbf16> {
  %y = fuse.logsumexp %x dims = [1] keep : tensor<?x1024xbf16> -> tensor<?x1xbf16>
  return %y : tensor<?x1xbf16>
}

// CHECK-LABEL: func.func @once_shared_by_few(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @once_shared_by_few(%x: tensor<64x131072xbf16>) -> tensor<64x1xbf16> {
  %y = fuse.logsumexp %x dims = [1] keep : tensor<64x131072xbf16> -> tensor<64x1xbf16>
  return %y : tensor<64x1xbf16>
}

// CHECK-LABEL: func.func @uneven_pairs_of_deviations(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @uneven_pairs_of_deviations(%x: tensor<?x1536xf32>, %w: tensor<1536xf32>, %b: tensor<1536xf32>) -> tensor<?x1536xf32> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x1536xf32>, tensor<1536xf32>, tensor<1536xf32>
  return %y : tensor<?x1536xf32>
}

// CHECK-LABEL: func.func @exponentials(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @exponentials(%x: tensor<?x8191xbf16>) -> tensor<?x8191xbf16> {
  %y = fuse.softmax %x dims = [1] : tensor<?x8191xbf16>
  return %y : tensor<?x8191xbf16>
}

// CHECK-LABEL: func.func @long_light(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @long_light(%x: tensor<?x12001xbf16>, %w: tensor<12001xbf16>) -> tensor<?x12001xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x12001xbf16>, tensor<12001xbf16>
  return %y : tensor<?x12001xbf16>
}

// CHECK-LABEL: func.func @too_long(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @too_long(%x: tensor<?x32769xbf16>, %w: tensor<32769xbf16>) -> tensor<?x32769xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x32769xbf16>, tensor<32769xbf16>
  return %y : tensor<?x32769xbf16>
}

// CHECK-LABEL: func.func @words(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @words(%x: tensor<?x8191xf32>, %w: tensor<8191xf32>, %b: tensor<8191xf32>) -> tensor<?x8191xf32> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x8191xf32>, tensor<8191xf32>, tensor<8191xf32>
  return %y : tensor<?x8191xf32>
}

// CHECK-LABEL: func.func @divided_2(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @divided_2(%x: tensor<?x9001xbf16>) -> tensor<?x9001xbf16> {
  %m = fuse.reduce max %x dims = [1] keep : tensor<?x9001xbf16> -> tensor<?x1xbf16>
  %y = fuse.div %x, %m : tensor<?x9001xbf16>, tensor<?x1xbf16> -> tensor<?x9001xbf16>
  return %y : tensor<?x9001xbf16>
}

// CHECK-LABEL: func.func @labelled(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @labelled(%x: tensor<?x256xbf16>, %place: tensor<?xi64>) -> tensor<?xf32> {
  %f = fuse.cast %x : tensor<?x256xbf16> -> tensor<?x256xf32>
  %l = fuse.logsumexp %f dims = [1] : tensor<?x256xf32> -> tensor<?xf32>
  %all = tensor.collapse_shape %x [[0, 1]] : tensor<?x256xbf16> into tensor<?xbf16>
  %own = fuse.gather %all, %place dim = 0 : tensor<?xbf16>, tensor<?xi64> -> tensor<?xbf16>
  %w = fuse.cast %own : tensor<?xbf16> -> tensor<?xf32>
  %y = fuse.sub %l, %w : tensor<?xf32>
  return %y : tensor<?xf32>
}

// CHECK-LABEL: func.func @longer_logits(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @longer_logits(%x: tensor<4x151936xbf16>) -> tensor<4xf32> {
  %f = fuse.cast %x : tensor<4x151936xbf16> -> tensor<4x151936xf32>
  %l = fuse.logsumexp %f dims = [1] : tensor<4x151936xf32> -> tensor<4xf32>
  return %l : tensor<4xf32>
}

// CHECK-LABEL: func.func @more_logits(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @more_logits(%x: tensor<256x128256xbf16>) -> tensor<256xf32> {
  %f = fuse.cast %x : tensor<256x128256xbf16> -> tensor<256x128256xf32>
  %l = fuse.logsumexp %f dims = [1] : tensor<256x128256xf32> -> tensor<256xf32>
  return %l : tensor<256xf32>
}

// CHECK-LABEL: func.func @sums(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @sums(%x: tensor<2x128256xbf16>) -> tensor<2xbf16> {
  %s = fuse.reduce sum %x dims = [1] : tensor<2x128256xbf16> -> tensor<2xbf16>
  return %s : tensor<2xbf16>
}

// CHECK-LABEL: func.func @nine_vectors(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @nine_vectors(%x: tensor<?x72xbf16>) -> tensor<?xf32> {
  %f = fuse.cast %x : tensor<?x72xbf16> -> tensor<?x72xf32>
  %l = fuse.logsumexp %f dims = [1] : tensor<?x72xf32> -> tensor<?xf32>
  return %l : tensor<?xf32>
}

// CHECK-LABEL: func.func @gelu_rms_norm_bf16_5120(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @gelu_rms_norm_bf16_5120(%a: tensor<?x5120xbf16> {fuse.dims = ["rows"]}, %w: tensor<5120xbf16>) -> (tensor<?x5120xbf16>) {
  %g = fuse.gelu tanh %a : tensor<?x5120xbf16>
  %y = fuse.rms_norm %g, %w eps = 1.0e-5 : tensor<?x5120xbf16>, tensor<5120xbf16>
  return %y : tensor<?x5120xbf16>
}

// CHECK-LABEL: func.func @add_rms_norm_quantize_bf16_32768(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @add_rms_norm_quantize_bf16_32768(%a: tensor<?x32768xbf16> {fuse.dims = ["rows"]}, %b: tensor<?x32768xbf16> {fuse.dims = ["rows"]}, %w: tensor<32768xbf16>) -> (tensor<?x32768xf8E4M3FN>, tensor<?x32768xbf16>, tensor<?x1xbf16>) {
  %h = fuse.add %a, %b : tensor<?x32768xbf16>
  %g = fuse.rms_norm %h, %w eps = 1.0e-5 : tensor<?x32768xbf16>, tensor<32768xbf16>
  %e = fuse.abs %g : tensor<?x32768xbf16>
  %m = fuse.reduce max %e dims = [1] keep : tensor<?x32768xbf16> -> tensor<?x1xbf16>
  %d = fuse.div %g, %m : tensor<?x32768xbf16>, tensor<?x1xbf16> -> tensor<?x32768xbf16>
  %y = fuse.cast %d : tensor<?x32768xbf16> -> tensor<?x32768xf8E4M3FN>
  return %y, %h, %m : tensor<?x32768xf8E4M3FN>, tensor<?x32768xbf16>, tensor<?x1xbf16>
}

// CHECK-LABEL: func.func @gelu_rms_norm_f32_11008(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @gelu_rms_norm_f32_11008(%a: tensor<?x11008xf32> {fuse.dims = ["rows"]}, %w: tensor<11008xf32>) -> (tensor<?x11008xf32>) {
  %g = fuse.gelu tanh %a : tensor<?x11008xf32>
  %y = fuse.rms_norm %g, %w eps = 1.0e-5 : tensor<?x11008xf32>, tensor<11008xf32>
  return %y : tensor<?x11008xf32>
}

// CHECK-LABEL: func.func @rms_norm_layer_norm_bf16_8192(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @rms_norm_layer_norm_bf16_8192(%a: tensor<?x8192xbf16> {fuse.dims = ["rows"]}, %w: tensor<8192xbf16>, %c: tensor<8192xbf16>) -> (tensor<?x8192xbf16>) {
  %g = fuse.rms_norm %a, %w eps = 1.0e-5 : tensor<?x8192xbf16>, tensor<8192xbf16>
  %y = fuse.layer_norm %g, %w, %c eps = 1.0e-5 : tensor<?x8192xbf16>, tensor<8192xbf16>, tensor<8192xbf16>
  return %y : tensor<?x8192xbf16>
}

// CHECK-LABEL: func.func @masked_softmax_f32_18432(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @masked_softmax_f32_18432(%x: tensor<?x18432xf32> {fuse.dims = ["rows"]}, %m: tensor<18432xf32>) -> (tensor<?x18432xf32>) {
  %g = fuse.add %x, %m : tensor<?x18432xf32>, tensor<18432xf32> -> tensor<?x18432xf32>
  %y = fuse.softmax %g dims = [1] : tensor<?x18432xf32>
  return %y : tensor<?x18432xf32>
}

// CHECK-LABEL: func.func @rms_f32_21(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @rms_f32_21(%x: tensor<?x21xf32>, %w: tensor<21xf32>) -> tensor<?x21xf32> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x21xf32>, tensor<21xf32>
  return %y : tensor<?x21xf32>
}

// CHECK-LABEL: func.func @ln_f32_49(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @ln_f32_49(%x: tensor<?x49xf32>, %w: tensor<49xf32>, %b: tensor<49xf32>) -> tensor<?x49xf32> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x49xf32>, tensor<49xf32>, tensor<49xf32>
  return %y : tensor<?x49xf32>
}

// CHECK-LABEL: func.func @q_f32_21(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @q_f32_21(%x: tensor<?x21xf32>) -> tensor<?x21xf8E4M3FN> {
  %a = fuse.abs %x : tensor<?x21xf32>
  %m = fuse.reduce max %a dims = [1] keep : tensor<?x21xf32> -> tensor<?x1xf32>
  %d = fuse.div %x, %m : tensor<?x21xf32>, tensor<?x1xf32> -> tensor<?x21xf32>
  %q = fuse.cast %d : tensor<?x21xf32> -> tensor<?x21xf8E4M3FN>
  return %q : tensor<?x21xf8E4M3FN>
}

// CHECK-LABEL: func.func @q_f32_150(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @q_f32_150(%x: tensor<?x150xf32>) -> tensor<?x150xf8E4M3FN> {
  %a = fuse.abs %x : tensor<?x150xf32>
  %m = fuse.reduce max %a dims = [1] keep : tensor<?x150xf32> -> tensor<?x1xf32>
  %d = fuse.div %x, %m : tensor<?x150xf32>, tensor<?x1xf32> -> tensor<?x150xf32>
  %q = fuse.cast %d : tensor<?x150xf32> -> tensor<?x150xf8E4M3FN>
  return %q : tensor<?x150xf8E4M3FN>
}

// CHECK-LABEL: func.func @add_f32_49(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @add_f32_49(%x: tensor<?x49xf32>, %r: tensor<?x49xf32>, %w: tensor<49xf32>) -> (tensor<?x49xf32>, tensor<?x49xf32>) {
  %h = fuse.add %x, %r : tensor<?x49xf32>
  %y = fuse.rms_norm %h, %w eps = 1.0e-5 : tensor<?x49xf32>, tensor<49xf32>
  return %h, %y : tensor<?x49xf32>, tensor<?x49xf32>
}

// CHECK-LABEL: func.func @rms_bf16_20(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @rms_bf16_20(%x: tensor<?x20xbf16>, %w: tensor<20xbf16>) -> tensor<?x20xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x20xbf16>, tensor<20xbf16>
  return %y : tensor<?x20xbf16>
}

// CHECK-LABEL: func.func @ln_bf16_49(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @ln_bf16_49(%x: tensor<?x49xbf16>, %w: tensor<49xbf16>, %b: tensor<49xbf16>) -> tensor<?x49xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<?x49xbf16>, tensor<49xbf16>, tensor<49xbf16>
  return %y : tensor<?x49xbf16>
}

// CHECK-LABEL: func.func @softmax_bf16_77(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @softmax_bf16_77(%x: tensor<?x77xbf16>) -> tensor<?x77xbf16> {
  %y = fuse.softmax %x dims = [1] : tensor<?x77xbf16>
  return %y : tensor<?x77xbf16>
}

// CHECK-LABEL: func.func @q_bf16_49(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @q_bf16_49(%x: tensor<?x49xbf16>) -> tensor<?x49xf8E4M3FN> {
  %a = fuse.abs %x : tensor<?x49xbf16>
  %m = fuse.reduce max %a dims = [1] keep : tensor<?x49xbf16> -> tensor<?x1xbf16>
  %d = fuse.div %x, %m : tensor<?x49xbf16>, tensor<?x1xbf16> -> tensor<?x49xbf16>
  %q = fuse.cast %d : tensor<?x49xbf16> -> tensor<?x49xf8E4M3FN>
  return %q : tensor<?x49xf8E4M3FN>
}

// CHECK-LABEL: func.func @known_bf16_63(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @known_bf16_63(%x: tensor<2113923x63xbf16>, %w: tensor<63xbf16>) -> tensor<2113923x63xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<2113923x63xbf16>, tensor<63xbf16>
  return %y : tensor<2113923x63xbf16>
}

// CHECK-LABEL: func.func @three_halves(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @three_halves(%x: tensor<100000x197xbf16>) -> tensor<100000x197xbf16> {
  %y = fuse.softmax %x dims = [1] : tensor<100000x197xbf16>
  return %y : tensor<100000x197xbf16>
}

// CHECK-LABEL: func.func @deviations_of_half_a_warp(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @deviations_of_half_a_warp(%x: tensor<100000x257xbf16>, %w: tensor<257xbf16>, %b: tensor<257xbf16>) -> tensor<100000x257xbf16> {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<100000x257xbf16>, tensor<257xbf16>, tensor<257xbf16>
  return %y : tensor<100000x257xbf16>
}

// CHECK-LABEL: func.func @two_of_a_warp(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @two_of_a_warp(%x: tensor<100000x150xbf16>, %r: tensor<100000x150xbf16>) -> tensor<100000x150xbf16> {
  %s = fuse.add %x, %r : tensor<100000x150xbf16>
  %y = fuse.softmax %s dims = [1] : tensor<100000x150xbf16>
  return %y : tensor<100000x150xbf16>
}

// CHECK-LABEL: func.func @few_weighed_in_half(
// CHECK: schedule = #fuse.{{rows|columns}}<
func.func @few_weighed_in_half(%x: tensor<64x100xbf16>, %w: tensor<100xbf16>) -> tensor<64x100xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<64x100xbf16>, tensor<100xbf16>
  return %y : tensor<64x100xbf16>
}

// Threads have several rows of weights in four bits and in bytes, whose products
// tensor cores add up; of 8-bit floats, which ordinary cores multiply, they have one.
// CHECK-LABEL: func.func @halves(
// CHECK: schedule = #fuse.rows<{{.*}}rows_per_thread = {{[248]}}>
func.func @halves(%x: tensor<1x4096xbf16>, %w: tensor<28672x2048xi8>, %s: tensor<28672x32x1xbf16>) -> tensor<1x28672xbf16> {
  %q = fuse.unpack %w : tensor<28672x2048xi8> -> tensor<28672x4096xi8>
  %g = tensor.expand_shape %q [[0], [1, 2]] output_shape [28672, 32, 128] : tensor<28672x4096xi8> into tensor<28672x32x128xi8>
  %f = fuse.cast %g : tensor<28672x32x128xi8> -> tensor<28672x32x128xbf16>
  %d = fuse.mul %f, %s : tensor<28672x32x128xbf16>, tensor<28672x32x1xbf16> -> tensor<28672x32x128xbf16>
  %r = tensor.collapse_shape %d [[0], [1, 2]] : tensor<28672x32x128xbf16> into tensor<28672x4096xbf16>
  %y = fuse.matmul %x, %r transpose_rhs : tensor<1x4096xbf16>, tensor<28672x4096xbf16> -> tensor<1x28672xbf16>
  return %y : tensor<1x28672xbf16>
}

// CHECK-LABEL: func.func @bytes(
// CHECK: schedule = [[BYTES:#fuse.rows<.*rows_per_thread = [248]>.*>]] {
func.func @bytes(%x: tensor<1x4096xbf16>, %w: tensor<4096x4096xi8>, %s: tensor<4096x1x1xbf16>) -> tensor<1x4096xbf16> {
  %g = tensor.expand_shape %w [[0], [1, 2]] output_shape [4096, 1, 4096] : tensor<4096x4096xi8> into tensor<4096x1x4096xi8>
  %f = fuse.cast %g : tensor<4096x1x4096xi8> -> tensor<4096x1x4096xbf16>
  %d = fuse.mul %f, %s : tensor<4096x1x4096xbf16>, tensor<4096x1x1xbf16> -> tensor<4096x1x4096xbf16>
  %r = tensor.collapse_shape %d [[0], [1, 2]] : tensor<4096x1x4096xbf16> into tensor<4096x4096xbf16>
  %y = fuse.matmul %x, %r transpose_rhs : tensor<1x4096xbf16>, tensor<4096x4096xbf16> -> tensor<1x4096xbf16>
  return %y : tensor<1x4096xbf16>
}

// So they have however a scale is given sizes of 1.
// DECIDED: Function=bytes |{{.*}}Decided="the fastest that was measured
// DECIDED: Function=bytes_by_column |{{.*}}Decided="the fastest that was measured
// DECIDED: Function=bytes_by_vector |{{.*}}Decided="the fastest that was measured
// DECIDED: Function=bytes_by_whole |{{.*}}Decided="the fastest that was measured
// CHECK-LABEL: func.func @bytes_by_column(
// CHECK: schedule = [[BYTES]] {
func.func @bytes_by_column(%x: tensor<1x4096xbf16>, %w: tensor<4096x4096xi8>, %s: tensor<4096x1xbf16>) -> tensor<1x4096xbf16> {
  %f = fuse.cast %w : tensor<4096x4096xi8> -> tensor<4096x4096xbf16>
  %d = fuse.mul %f, %s : tensor<4096x4096xbf16>, tensor<4096x1xbf16>
  %y = fuse.matmul %x, %d transpose_rhs : tensor<1x4096xbf16>, tensor<4096x4096xbf16> -> tensor<1x4096xbf16>
  return %y : tensor<1x4096xbf16>
}

// CHECK-LABEL: func.func @bytes_by_vector(
// CHECK: schedule = [[BYTES]] {
func.func @bytes_by_vector(%x: tensor<1x4096xbf16>, %w: tensor<4096x4096xi8>, %s: tensor<4096xbf16>) -> tensor<1x4096xbf16> {
  %f = fuse.cast %w : tensor<4096x4096xi8> -> tensor<4096x4096xbf16>
  %e = tensor.expand_shape %s [[0, 1]] output_shape [4096, 1] : tensor<4096xbf16> into tensor<4096x1xbf16>
  %d = fuse.mul %f, %e : tensor<4096x4096xbf16>, tensor<4096x1xbf16>
  %y = fuse.matmul %x, %d transpose_rhs : tensor<1x4096xbf16>, tensor<4096x4096xbf16> -> tensor<1x4096xbf16>
  return %y : tensor<1x4096xbf16>
}

// CHECK-LABEL: func.func @bytes_by_whole(
// CHECK: schedule = [[BYTES]] {
func.func @bytes_by_whole(%x: tensor<1x4096xbf16>, %w: tensor<4096x4096xi8>, %s: tensor<4096x1xbf16>) -> tensor<1x4096xbf16> {
  %f = fuse.cast %w : tensor<4096x4096xi8> -> tensor<4096x4096xbf16>
  %b = fuse.broadcast %s : tensor<4096x1xbf16> -> tensor<4096x4096xbf16>
  %d = fuse.mul %f, %b : tensor<4096x4096xbf16>
  %y = fuse.matmul %x, %d transpose_rhs : tensor<1x4096xbf16>, tensor<4096x4096xbf16> -> tensor<1x4096xbf16>
  return %y : tensor<1x4096xbf16>
}

// CHECK-LABEL: func.func @floats(
// CHECK-NOT: rows_per_thread
// CHECK: return
func.func @floats(%x: tensor<1x4096xbf16>, %w: tensor<4096x4096xf8E4M3FN>, %s: tensor<4096x1x1xbf16>) -> tensor<1x4096xbf16> {
  %g = tensor.expand_shape %w [[0], [1, 2]] output_shape [4096, 1, 4096] : tensor<4096x4096xf8E4M3FN> into tensor<4096x1x4096xf8E4M3FN>
  %f = fuse.cast %g : tensor<4096x1x4096xf8E4M3FN> -> tensor<4096x1x4096xbf16>
  %d = fuse.mul %f, %s : tensor<4096x1x4096xbf16>, tensor<4096x1x1xbf16> -> tensor<4096x1x4096xbf16>
  %r = tensor.collapse_shape %d [[0], [1, 2]] : tensor<4096x1x4096xbf16> into tensor<4096x4096xbf16>
  %y = fuse.matmul %x, %r transpose_rhs : tensor<1x4096xbf16>, tensor<4096x4096xbf16> -> tensor<1x4096xbf16>
  return %y : tensor<1x4096xbf16>
}
