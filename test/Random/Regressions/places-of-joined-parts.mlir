// Random numbers and indices follow from an element's place: two joined parts
// were each numbered from zero, in the shape of a part.
// RUN: fuse-crosscheck %s --dim d0=5

func.func @program(%x: tensor<?x32x1xf32> {fuse.dims = ["d0"]}, %seed: tensor<i64> {fuse.scalar}) -> (tensor<?x32x2xf32>, tensor<?x32x2xf32>, tensor<?x32x2xf32>) {
  %e = fuse.exp %x : tensor<?x32x1xf32>
  %both = fuse.concat %x, %e dim = 2 : tensor<?x32x1xf32>, tensor<?x32x1xf32> -> tensor<?x32x2xf32>
  %p = fuse.log_softmax %both dims = [2] : tensor<?x32x2xf32>
  %r = fuse.random %seed stream = 1 like %both : tensor<i64>, tensor<?x32x2xf32> -> tensor<?x32x2xf32>
  %i = fuse.iota dim = 2 like %both : tensor<?x32x2xf32> -> tensor<?x32x2xf32>
  return %r, %p, %i : tensor<?x32x2xf32>, tensor<?x32x2xf32>, tensor<?x32x2xf32>
}
