func.func @main(%a: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
    "my.region"() ({ %n = "ttnn.reshape"(%a) : (tensor<4xf32>) -> tensor<4xf32>
 scf.yield %n : tensor<4xf32> }) : () -> ()
    %u = "ttnn.neg"(%a) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|5|m")
    "my.write"() : () -> () loc("DEBUG|1|m")
    return %u : tensor<4xf32>
}
