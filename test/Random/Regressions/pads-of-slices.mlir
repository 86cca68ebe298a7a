// The size of each slice follows from that of its pad, which is that of the other
// pad, too: a kernel of one pad must not derive its size from itself.
// RUN: fuse-crosscheck %s
// --dim t=7
// --check unfused,fused
func.func @program(%x: tensor<?xf32> {fuse.dims = ["t"]}) -> tensor<?xf32> {
  %a = fuse.slice %x offsets = [0] sizes = [-4] : tensor<?xf32> -> tensor<?xf32>
  %b = fuse.pad %a low = [3] high = [0] value = 0.0 : tensor<?xf32> -> tensor<?xf32>
  %c = fuse.slice %x offsets = [0] sizes = [-3] : tensor<?xf32> -> tensor<?xf32>
  %d = fuse.pad %c low = [2] high = [0] value = 0.0 : tensor<?xf32> -> tensor<?xf32>
  %y = fuse.add %b, %d : tensor<?xf32>
  %z = fuse.add %y, %x : tensor<?xf32>
  return %z : tensor<?xf32>
}
