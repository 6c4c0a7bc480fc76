// The result is the operand, and the free of it is forced.
sdy.mesh @mesh = <["a"=2]>
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>) {
  %p = sdy.sharding_constraint %x <@mesh, [{"a"}]> : tensor<4xf32> loc("DEBUG|0|m")
  %q = stablehlo.add %p, %p : tensor<4xf32> loc("DEBUG|5|m")
  "ttnn.deallocate"(%x) <{force = true}> : (tensor<4xf32>) -> () loc("DEBUG|1|m")
  return %q : tensor<4xf32>
}
