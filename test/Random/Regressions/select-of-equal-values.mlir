// The arms of the select became one value after the last canonicalization, and the
// reduction went after the kernel had its schedule.
// RUN: fuse-crosscheck %s
// --seed 19009397
// --fill small

func.func @program(%a0: tensor<4x1x31xui8>) -> (tensor<4x1x31xui8>) {
  %v0 = fuse.reduce sum %a0 dims = [2] keep : tensor<4x1x31xui8> -> tensor<4x1x1xui8>
  %v1 = fuse.compare eq %a0, %v0 : tensor<4x1x31xui8>, tensor<4x1x1xui8> -> tensor<4x1x31xi1>
  %v2 = fuse.select %v1, %a0, %a0 : tensor<4x1x31xi1>, tensor<4x1x31xui8>, tensor<4x1x31xui8> -> tensor<4x1x31xui8>
  return %v2 : tensor<4x1x31xui8>
}
