func.func @main(%a: tensor<4xf32>) {
    cf.br ^bb2
  ^bb1:
    %u = "ttnn.neg"(%t) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|5|m")
    "ttnn.deallocate"(%t) : (tensor<4xf32>) -> () loc("DEBUG|1|m")
    return
  ^bb2:
    %t = "ttnn.abs"(%a) : (tensor<4xf32>) -> tensor<4xf32>
    cf.br ^bb1
}
