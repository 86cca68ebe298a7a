// SwiGLU of a gate and a value, as in the MLP of LLaMA.
func.func @swiglu(%gate: tensor<?x14336xbf16> {fuse.dims = ["rows"]},
                  %up: tensor<?x14336xbf16>   {fuse.dims = ["rows"]}) -> tensor<?x14336xbf16> {
  %y = fuse.swiglu %gate, %up : tensor<?x14336xbf16>
  return %y : tensor<?x14336xbf16>
}
