// How far the best of a row's logits is ahead, and how much they leave open.
func.func @margin_and_entropy(%x: tensor<?x1024xf32> {fuse.dims = ["n"]}) -> (tensor<?x1xf32>, tensor<?x1xi64>, tensor<?xf32>) {
  %top, %ids = fuse.top_k %x k = 2 : tensor<?x1024xf32> -> tensor<?x2xf32>, tensor<?x2xi64>
  %p = fuse.softmax %x dims = [1] : tensor<?x1024xf32>
  %first = fuse.slice %top offsets = [0, 0] sizes = [-1, 1] steps = [1, 1] : tensor<?x2xf32> -> tensor<?x1xf32>
  %second = fuse.slice %top offsets = [0, 1] sizes = [-1, 1] steps = [1, 1] : tensor<?x2xf32> -> tensor<?x1xf32>
  %margin = fuse.sub %first, %second : tensor<?x1xf32>, tensor<?x1xf32> -> tensor<?x1xf32>
  %id = fuse.slice %ids offsets = [0, 0] sizes = [-1, 1] steps = [1, 1] : tensor<?x2xi64> -> tensor<?x1xi64>
  %least = fuse.constant dense<1.0e-9> : tensor<f32>
  %kept = fuse.max %p, %least : tensor<?x1024xf32>, tensor<f32> -> tensor<?x1024xf32>
  %log = fuse.log %kept : tensor<?x1024xf32> -> tensor<?x1024xf32>
  %terms = fuse.mul %p, %log : tensor<?x1024xf32>, tensor<?x1024xf32> -> tensor<?x1024xf32>
  %sum = fuse.reduce sum %terms dims = [1] : tensor<?x1024xf32> -> tensor<?xf32>
  %entropy = fuse.neg %sum : tensor<?xf32> -> tensor<?xf32>
  return %margin, %id, %entropy : tensor<?x1xf32>, tensor<?x1xi64>, tensor<?xf32>
}
