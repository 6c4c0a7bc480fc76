// #1 may pass #2: they only say how the tensor is spread
sdy.mesh @mesh = <["a"=2]>
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %p = sdy.sharding_constraint %x <@mesh, [{"a"}]> : tensor<4xf32> loc("DEBUG|2|m")
  %q = sdy.sharding_constraint %x <@mesh, [{}]> : tensor<4xf32> loc("DEBUG|1|m")
  return %p, %q : tensor<4xf32>, tensor<4xf32>
}
