// Seven different terms are rounded in seven ways, all of them many times: their
// errors add up, which the oracle took for unlikely.
// RUN: fuse-crosscheck %s
// --dim d0=4
// --dim d1=31
// --seed 10717
// --fill small
// --check fused
func.func @program(%x: tensor<?x16x?xf32> {fuse.dims = ["d0", "d1"]}) -> tensor<?xf32> {
  %l = fuse.log_softmax %x dims = [1, 2] : tensor<?x16x?xf32>
  %m = fuse.reduce mean %l dims = [1, 2] : tensor<?x16x?xf32> -> tensor<?xf32>
  return %m : tensor<?xf32>
}
