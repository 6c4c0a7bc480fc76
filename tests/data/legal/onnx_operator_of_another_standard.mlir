// Nobody knows the operator.
func.func @main(%x: !torch.vtensor<[4],f32>) -> (!torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>) {
  %p = torch.operator "onnx.LogAndRelu"(%x) : (!torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32> loc("DEBUG|5|m")
  %q = torch.operator "onnx.LogAndRelu"(%x) : (!torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32> loc("DEBUG|1|m")
  return %p, %q : !torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>
}
