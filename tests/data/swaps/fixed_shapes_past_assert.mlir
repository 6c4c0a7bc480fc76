// #1 may pass #2: the extents are known to match
func.func @main(%a: tensor<4xf32>, %d: tensor<?xf32>, %c: i1) -> tensor<4xf32> {
  cf.assert %c, "no" loc("DEBUG|2|m")
  %p = arith.addf %a, %a : tensor<4xf32> loc("DEBUG|1|m")
  return %p : tensor<4xf32>
}
