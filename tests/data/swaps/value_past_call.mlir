// The declared function gets the tensor, but only another one is freed.
func.func private @g(tensor<4xf32>)
func.func @f(%x: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  call @g(%x) : (tensor<4xf32>) -> () loc("DEBUG|2|m")
  %b = stablehlo.add %x, %x : tensor<4xf32> loc("DEBUG|1|m")
  "ttnn.deallocate"(%o) <{force = true}> : (tensor<4xf32>) -> ()
  return %b : tensor<4xf32>
}
