// The same, written where the input is: a thread reads a whole pair before it
// writes one, which the compiler proves.
func.func @rope_interleaved_in_place(
    %x: tensor<?x32x128xf16>   {fuse.dims = ["tokens"]},
    %cos: tensor<?x64xf32>     {fuse.dims = ["tokens"]},
    %sin: tensor<?x64xf32>     {fuse.dims = ["tokens"]})
    -> (tensor<?x32x128xf16> {fuse.in_place = "x"}) {
  %y = fuse.rotary interleaved tokens_heads %x tables(%cos, %sin)
       : tensor<?x32x128xf16>, tensor<?x64xf32>
  return %y : tensor<?x32x128xf16>
}
