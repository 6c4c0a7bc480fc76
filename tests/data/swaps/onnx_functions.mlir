// #1 may pass #2: both are functions of their operands
func.func @main(%x: !torch.vtensor<[4],f32>) -> (!torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>) {
  %p = torch.operator "onnx.Relu"(%x) : (!torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32> loc("DEBUG|2|m")
  %q = "torch.operator"(%x) <{name = "onnx.Neg"}> : (!torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32> loc("DEBUG|1|m")
  return %p, %q : !torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>
}
