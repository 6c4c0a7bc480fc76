// A program that ends on one host starts no more ops, and the devices of the others would wait for it.
func.func @main(%a: tensor<4xf32>, %c: i1) -> tensor<8xf32> {
  %g = "ttnn.all_gather"(%a) <{all_gather_dim = 0 : si32, cluster_axis = 0 : ui32}> : (tensor<4xf32>) -> tensor<8xf32> loc("DEBUG|5|m")
  cf.assert %c, "some host ends here" loc("DEBUG|1|m")
  return %g : tensor<8xf32>
}
