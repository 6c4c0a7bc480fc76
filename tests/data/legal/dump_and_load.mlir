func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    "ttnn.dump_tensor"(%a) <{file_path = "a.bin"}> : (tensor<4xf32>) -> () loc("DEBUG|5|m")
    %u = "ttnn.load_tensor"() <{file_path = "a.bin"}> : () -> tensor<4xf32> loc("DEBUG|1|m")
    return %u : tensor<4xf32>
}
