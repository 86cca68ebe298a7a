// Selections of rows of any length, the largest of 64 bits and the smallest integers.
func.func @selections(%x: tensor<?x?xf64> {fuse.dims=["r","n"]}, %y: tensor<?x?xi32> {fuse.dims=["r","n"]}) -> (tensor<?x5xf64>, tensor<?x5xi64>, tensor<?x5xi32>, tensor<?x5xi32>) {
  %v, %i = fuse.top_k %x k = 5 : tensor<?x?xf64> -> tensor<?x5xf64>, tensor<?x5xi64>
  %w, %j = fuse.top_k %y k = 5 smallest : tensor<?x?xi32> -> tensor<?x5xi32>, tensor<?x5xi32>
  return %v, %i, %w, %j : tensor<?x5xf64>, tensor<?x5xi64>, tensor<?x5xi32>, tensor<?x5xi32>
}
