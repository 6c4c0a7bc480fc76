func.func @begins(%d: !ttnn.device) {
    %id = "ttnn.begin_trace_capture"(%d) <{cq_id = 0 : ui32}> : (!ttnn.device) -> tensor<ui32>
    return
}
func.func @main(%d: !ttnn.device, %a: tensor<4xf32>) -> tensor<4xf32> {
    call @begins(%d) : (!ttnn.device) -> () loc("DEBUG|5|m")
    %u = "ttnn.neg"(%a) : (tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|1|m")
    return %u : tensor<4xf32>
}
