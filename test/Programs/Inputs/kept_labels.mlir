// Loss with smoothing, whose flags of labels that count are a factor of each row's loss and summed themselves.
func.func @kept_labels(%x: tensor<?x100xf32> {fuse.dims = ["n"]}, %t: tensor<?xi64> {fuse.dims = ["n"]}) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x100xf32>
  %l = fuse.log_softmax %x dims = [1] : tensor<?x100xf32>
  %ids = tensor.expand_shape %t [[0, 1]] output_shape [%n, 1] : tensor<?xi64> into tensor<?x1xi64>
  %taken = fuse.take_along %l, %ids dim = 1 : tensor<?x100xf32>, tensor<?x1xi64> -> tensor<?x1xf32>
  %g = tensor.collapse_shape %taken [[0, 1]] : tensor<?x1xf32> into tensor<?xf32>
  %none = fuse.constant dense<-100> : tensor<i64>
  %is = fuse.compare ne %t, %none : tensor<?xi64>, tensor<i64> -> tensor<?xi1>
  %keep = fuse.cast %is : tensor<?xi1> -> tensor<?xf32>
  %a = fuse.constant dense<-0.9> : tensor<f32>
  %own = fuse.mul %a, %g : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
  %m = fuse.reduce mean %l dims = [1] : tensor<?x100xf32> -> tensor<?xf32>
  %b = fuse.constant dense<0.1> : tensor<f32>
  %all = fuse.mul %b, %m : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
  %loss = fuse.sub %own, %all : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
  %zero = fuse.constant dense<0.0> : tensor<f32>
  %kept = fuse.select %is, %loss, %zero : tensor<?xi1>, tensor<?xf32>, tensor<f32> -> tensor<?xf32>
  %weighed = fuse.mul %kept, %keep : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
  %sum = fuse.reduce sum %weighed dims = [0] : tensor<?xf32> -> tensor<f32>
  %count = fuse.reduce sum %keep dims = [0] : tensor<?xf32> -> tensor<f32>
  %one = fuse.constant dense<1.0> : tensor<f32>
  %some = fuse.max %count, %one : tensor<f32>, tensor<f32> -> tensor<f32>
  %y = fuse.div %sum, %some : tensor<f32>, tensor<f32> -> tensor<f32>
  return %y : tensor<f32>
}
