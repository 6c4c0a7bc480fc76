func.func @main(%d: !ttnn.device, %a: tensor<4xf32>, %id: tensor<ui32>) -> tensor<4xf32> {
    %u = "ttnn.neg"(%a) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|5|m")
    "ttnn.end_trace_capture"(%d, %id) <{cq_id = 0 : ui32}> : (!ttnn.device, tensor<ui32>) -> () loc("DEBUG|1|m")
    return %u : tensor<4xf32>
}
