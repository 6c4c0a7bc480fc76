func.func @main(%a: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
    %t = "ttnn.abs"(%a) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|0|m")
    %u = scf.if %c -> (tensor<4xf32>) {
      %n = "ttnn.neg"(%t) : (tensor<4xf32>) -> tensor<4xf32>
      scf.yield %n : tensor<4xf32>
    } else {
      scf.yield %a : tensor<4xf32>
    } loc("DEBUG|5|m")
    "ttnn.deallocate"(%t) : (tensor<4xf32>) -> () loc("DEBUG|1|m")
    return %u : tensor<4xf32>
}
