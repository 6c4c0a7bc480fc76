// #1 may pass #2: the op looks at no extent
func.func @main(%a: tensor<?xf32>, %c: i1) -> index {
  cf.assert %c, "no" loc("DEBUG|2|m")
  %p = tensor.rank %a : tensor<?xf32> loc("DEBUG|1|m")
  return %p : index
}
