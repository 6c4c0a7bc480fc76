// #1 may pass #2: it reads the tensor that devices exchange
sdy.mesh @mesh = <["a"=2]>
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %p = sdy.all_gather [{"a"}] %x out_sharding=<@mesh, [{}]> : tensor<4xf32> loc("DEBUG|2|m")
  %q = math.exp %x : tensor<4xf32> loc("DEBUG|1|m")
  return %p, %q : tensor<4xf32>, tensor<4xf32>
}
